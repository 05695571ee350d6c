//! The sensitive names and values of one call, for masking text that is not the call's arguments: what its handler logs and
//! answers.

use std::collections::HashSet;

use serde_json::{Map, Number, Value};

use super::annotation_plan::AnnotationPlan;
use super::sensitive::MASK;
use toolgate_json::{Kind, Node, Tape, write_number, write_string};

/// The shortest sensitive value, in characters, that is masked inside a longer text. A shorter one, such as `42`, occurs
/// in texts by chance; it is masked as a whole value only.
const MIN_PART_CHARS: usize = 4;

/// The sensitive names and values of one call's arguments.
#[derive(Debug, Default)]
pub struct SensitiveTerms {
    /// Whether the arguments as a whole are sensitive: then any value is.
    everything: bool,
    names: HashSet<String>,
    /// Scalars as text, the longest first: one may contain another. Both as they were sent and as they may be written.
    values: Vec<String>,
}

impl SensitiveTerms {
    pub(super) fn collect(plan: &AnnotationPlan, args: Option<&Tape>) -> Self {
        let mut terms = Self { names: plan.sensitive_names().map(str::to_owned).collect(), ..Self::default() };
        let applied = plan.root();
        terms.everything = plan.marks_sensitive_root(applied);
        if let Some(args) = args.filter(|_| plan.has_sensitive()) {
            plan.for_each_sensitive(args.root(), applied, &mut |name, value| {
                terms.names.extend(name.map(str::to_owned));
                collect_scalars(value, &mut terms.values);
            });
        }
        terms.values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        terms
    }

    /// Terms that mask any value.
    #[must_use]
    pub fn everything() -> Self {
        Self { everything: true, ..Self::default() }
    }

    /// Masks, at any depth: each member with a sensitive name; each string, number or member name that is a sensitive
    /// value; and each sensitive value of 4 or more characters inside a longer string.
    pub fn mask(&self, value: &mut Value) {
        if self.everything && !value.is_null() {
            *value = MASK.into();
        }
        match value {
            Value::String(text) => *text = self.mask_text(text),
            Value::Number(number) if self.values.contains(&double_text(number)) => *value = MASK.into(),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item)),
            Value::Object(members) => *members = self.mask_members(std::mem::take(members)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The text with its sensitive values masked.
    #[must_use]
    pub fn mask_text(&self, text: &str) -> String {
        if self.everything || self.values.iter().any(|value| value == text) {
            return MASK.to_owned();
        }
        let parts = self.values.iter().filter(|value| value.chars().nth(MIN_PART_CHARS - 1).is_some());
        parts.fold(text.to_owned(), |text, part| text.replace(part.as_str(), MASK))
    }

    fn mask_members(&self, members: Map<String, Value>) -> Map<String, Value> {
        let masked = members.into_iter().map(|(name, mut member)| {
            if self.names.contains(&name) {
                member = MASK.into();
            } else {
                self.mask(&mut member);
            }
            (self.mask_text(&name), member)
        });
        masked.collect()
    }
}

/// Adds the scalars of a value as text. `null` and booleans are no secrets: masking them would mask most of a log.
fn collect_scalars(value: Node<'_>, into: &mut Vec<String>) {
    match value.kind() {
        Kind::Object => value.members().for_each(|(_, member)| collect_scalars(member, into)),
        Kind::Array => value.elements().for_each(|element| collect_scalars(element, into)),
        _ => match value.to_value() {
            Value::String(text) if !text.is_empty() => {
                into.extend(escaped(&text));
                into.push(text);
            }
            Value::Number(number) => into.extend([double_text(&number), number.to_string()]),
            _ => {}
        },
    }
}

/// A number as JavaScript writes it: a handler has `48151` for the `48151.0` of its call.
fn double_text(number: &Number) -> String {
    let mut text = String::new();
    write_number(&mut text, number.as_f64().unwrap_or(f64::NAN));
    text
}

/// What a text is in JSON, if that is another text: an error may quote the arguments of its call as JSON.
fn escaped(text: &str) -> Option<String> {
    let mut json = String::new();
    write_string(&mut json, text);
    json.strip_prefix('"')?.strip_suffix('"').filter(|escaped| *escaped != text).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ArgsSchema;
    use super::*;
    use toolgate_json::Limits;

    fn masked(schema: &Value, args: &Value, mut logged: Value) -> Value {
        let schema = ArgsSchema::compile(schema).unwrap();
        let args = Tape::parse(args.to_string(), &Limits::widest()).unwrap();
        schema.sensitive_terms(Some(&args)).mask(&mut logged);
        logged
    }

    #[test]
    fn names_and_values_are_masked_at_any_depth() {
        let schema = json!({ "properties": {
            "to": {},
            "card": { "$ref": "#/$defs/card" },
            "pin": { "type": "integer", "x-sensitive": true },
            "owner": { "properties": { "phone": { "x-sensitive": true } } },
            "mails": { "items": { "x-sensitive": true } }
        }, "$defs": { "card": { "x-sensitive": true } } });
        let args = json!({ "to": "Ada", "card": "4111-1111", "pin": 42, "owner": { "phone": "555 0100" },
                           "mails": ["ada@example.org", "a@example.org"] });
        let logged = json!({
            "card": { "number": 1 }, "list": [{ "phone": null }], "pan": "4111-1111", "code": 42, "text": "42",
            "note": "charged 4111-1111 of ada@example.org, 42 times", "ada@example.org": true, "to": "Ada", "n": 421
        });
        let expected = json!({
            "card": "***", "list": [{ "phone": "***" }], "pan": "***", "code": "***", "text": "***",
            "note": "charged *** of ***, 42 times", "***": true, "to": "Ada", "n": 421
        });
        assert_eq!(masked(&schema, &args, logged), expected);
    }

    #[test]
    fn parameters_are_named_that_are_sensitive_or_have_sensitive_parts() {
        let secret = json!({ "x-sensitive": true });
        let nested = json!({ "properties": { "phone": secret } });
        let cases = [
            (json!({ "properties": { "to": {}, "pin": { "x-sensitive": false } } }), None),
            (json!({ "properties": { "to": {}, "pin": secret, "owner": nested } }), Some(vec!["pin", "owner"])),
            (json!({ "properties": { "mails": { "items": secret } } }), Some(vec!["mails"])),
            (
                json!({ "properties": { "card": { "$ref": "#/$defs/card" } }, "$defs": { "card": secret } }),
                Some(vec!["card"]),
            ),
            // Declared in another place than its type.
            (json!({ "properties": { "pin": {} }, "allOf": [{ "properties": { "pin": secret } }] }), Some(vec!["pin"])),
            (json!({ "properties": { "to": {} }, "additionalProperties": secret }), Some(vec![])),
            (json!({ "properties": { "to": {} }, "x-sensitive": true }), Some(vec!["to"])),
        ];
        for (schema, expected) in cases {
            let args = ArgsSchema::compile(&schema).unwrap();
            assert_eq!(args.sensitive_parameters(), expected, "{schema}");
        }
    }

    #[test]
    fn a_schema_that_is_sensitive_as_a_whole_masks_everything() {
        let schema = json!({ "x-sensitive": true });
        assert_eq!(masked(&schema, &json!({ "a": 1 }), json!({ "b": 2 })), json!("***"));
        assert_eq!(masked(&schema, &json!({ "a": 1 }), json!(null)), json!(null));
        let mut value = json!("text");
        SensitiveTerms::everything().mask(&mut value);
        assert_eq!(value, json!("***"));
    }

    #[test]
    fn a_value_is_masked_as_a_handler_and_as_json_write_it() {
        let schema = json!({ "properties": { "pin": { "x-sensitive": true }, "word": { "x-sensitive": true } } });
        let word = "say \"né\"\nnow";
        let schema = ArgsSchema::compile(&schema).unwrap();
        let args = format!(r#"{{"pin": 48151.0, "word": {}}}"#, json!(word));
        let args = Tape::parse(args, &Limits::widest()).unwrap();
        let mut logged = json!({ "code": 48151, "same": 48151.0, "as_sent": "48151.0", "note": "pin 48151",
                                 "text": format!("<{word}>"), "json": json!({ "a": [word] }).to_string() });
        schema.sensitive_terms(Some(&args)).mask(&mut logged);
        let expected = json!({ "code": "***", "same": "***", "as_sent": "***", "note": "pin ***", "text": "<***>",
                               "json": r#"{"a":["***"]}"# });
        assert_eq!(logged, expected);
    }

    #[test]
    fn without_sensitive_parameters_nothing_changes() {
        let logged = json!({ "a": [1, "x"], "b": null });
        assert_eq!(masked(&json!({ "properties": { "a": {} } }), &json!({ "a": 1 }), logged.clone()), logged);
    }
}
