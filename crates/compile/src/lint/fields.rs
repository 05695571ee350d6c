//! `missing-field`, `wrong-type`, `unknown-field`, `bad-enum`: the shape of `schema.json`.
//!
//! The table below is the shape. A field that is not in it would silently do nothing, so it is refused; a value of
//! another type would be guessed at, so it is refused too.

use serde_json::{Map, Value};

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::source::pointer;
use crate::suggest::{listed, suggestion};
use crate::tool::{Document, Tool};
use toolgate_did_you_mean::nearest;

struct Field {
    name: &'static str,
    kind: Kind,
    required: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Flag,
    Number,
    NumberOrFalse,
    Choice(&'static [&'static str]),
    Texts,
    List,
    Schema,
    /// Numbers by argument by mode.
    Clamp,
    Object(&'static [Field]),
}

const fn required(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: true }
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: false }
}

const FIELDS: &[Field] = &[
    // For editors that complete and check the file.
    optional("$schema", Kind::Text),
    required("toolId", Kind::Text),
    required("version", Kind::Text),
    optional("title", Kind::Text),
    required("description", Kind::Text),
    required("category", Kind::Choice(&["retrieval", "action", "utility"])),
    required("sideEffects", Kind::Choice(&["none", "read_only", "writes"])),
    required("idempotent", Kind::Flag),
    required("requiresConfirmation", Kind::Flag),
    required("allowedModes", Kind::Texts),
    required("latencyBudgetMs", Kind::Number),
    optional("timeoutMs", Kind::NumberOrFalse),
    optional("retry", Kind::Object(RETRY)),
    optional("cache", Kind::Object(CACHE)),
    optional("rateLimit", Kind::Object(RATE_LIMIT)),
    optional("requiredRoles", Kind::Texts),
    optional("requires", Kind::Texts),
    optional("confirmation", Kind::Object(CONFIRMATION)),
    optional("clamp", Kind::Clamp),
    optional("resultSchema", Kind::Schema),
    optional("resultLimitBytes", Kind::Number),
    optional("examples", Kind::List),
    optional("parallel", Kind::Flag),
    optional("lintAccepted", Kind::Texts),
    optional("loweringAccepted", Kind::Texts),
    required("parameters", Kind::Schema),
];

const RETRY: &[Field] = &[
    optional("maxAttempts", Kind::Number),
    optional("baseDelayMs", Kind::Number),
    optional("multiplier", Kind::Number),
];
const CACHE: &[Field] = &[required("ttlMs", Kind::Number)];
const RATE_LIMIT: &[Field] = &[required("calls", Kind::Number), required("windowMs", Kind::Number)];
const CONFIRMATION: &[Field] =
    &[optional("preview", Kind::Text), optional("ttlMs", Kind::Number), optional("when", Kind::Schema)];

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    if let Some(document) = &tool.schema {
        Check { document, findings }.object("", &document.members, FIELDS);
    }
}

struct Check<'a> {
    document: &'a Document,
    findings: &'a mut Findings,
}

impl Check<'_> {
    fn object(&mut self, at: &str, members: &Map<String, Value>, fields: &[Field]) {
        for field in fields {
            match members.get(field.name) {
                Some(value) => self.value(&format!("{at}{}", pointer(&[field.name])), field.name, value, field.kind),
                None if field.required => self.missing(at, field),
                None => {}
            }
        }
        for name in members.keys().filter(|name| fields.iter().all(|field| field.name != name.as_str())) {
            self.unknown(at, name, fields);
        }
    }

    fn missing(&mut self, at: &str, field: &Field) {
        let message = match at {
            "" => format!("`{}` is missing", field.name),
            _ => format!("`{}` is missing in `{at}`", field.name),
        };
        let help = format!("add it: {}", expected(field.kind));
        self.findings.add(Code::MissingField, self.document.at_value(at), message, help);
    }

    fn unknown(&mut self, at: &str, name: &str, fields: &[Field]) {
        let below = format!("{at}{}", pointer(&[name]));
        let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let help = nearest(name, known.iter().copied()).map_or_else(
            || format!("remove it; the fields are {}", listed(&known)),
            |candidate| format!("did you mean `{candidate}`?"),
        );
        self.findings.add(Code::UnknownField, self.document.at_key(&below), format!("unknown field `{name}`"), help);
    }

    fn value(&mut self, at: &str, name: &str, value: &Value, kind: Kind) {
        match (kind, value) {
            (Kind::Choice(choices), Value::String(text)) => {
                if !choices.contains(&text.as_str()) {
                    let message = format!("`{name}` is `{text}`");
                    self.findings.add(Code::BadEnum, self.document.at_value(at), message, suggestion(text, choices));
                }
            }
            (Kind::Text, Value::String(text)) if text.trim().is_empty() => self.wrong(at, name, value, kind),
            (Kind::Object(fields), Value::Object(members)) => self.object(at, members, fields),
            (Kind::Texts, Value::Array(items)) => self.items(at, name, items),
            (Kind::Clamp, Value::Object(modes)) => self.clamp(at, modes),
            (Kind::Text, Value::String(_))
            | (Kind::Flag, Value::Bool(_))
            | (Kind::Number, Value::Number(_))
            | (Kind::NumberOrFalse, Value::Number(_) | Value::Bool(false))
            | (Kind::List, Value::Array(_))
            | (Kind::Schema, Value::Object(_)) => {}
            _ => self.wrong(at, name, value, kind),
        }
    }

    fn items(&mut self, at: &str, name: &str, items: &[Value]) {
        for (index, item) in items.iter().enumerate() {
            self.value(&format!("{at}/{index}"), &format!("{name}[{index}]"), item, Kind::Text);
        }
    }

    fn clamp(&mut self, at: &str, modes: &Map<String, Value>) {
        for (mode, limits) in modes {
            let at = format!("{at}{}", pointer(&[mode]));
            let Value::Object(limits) = limits else {
                self.wrong(&at, &format!("clamp.{mode}"), limits, Kind::Object(&[]));
                continue;
            };
            for (argument, limit) in limits {
                let at = format!("{at}{}", pointer(&[argument]));
                self.value(&at, &format!("clamp.{mode}.{argument}"), limit, Kind::Number);
            }
        }
    }

    fn wrong(&mut self, at: &str, name: &str, value: &Value, kind: Kind) {
        let message = format!("`{name}` is {}", described(value));
        let help = format!("it must be {}", expected(kind));
        self.findings.add(Code::WrongType, self.document.at_value(at), message, help);
    }
}

fn expected(kind: Kind) -> String {
    match kind {
        Kind::Text => "a text that is not empty".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::NumberOrFalse => "a number of milliseconds, or false".to_owned(),
        Kind::Choice(choices) => format!("one of {}", listed(choices)),
        Kind::Texts => "a list of texts".to_owned(),
        Kind::List => "a list".to_owned(),
        Kind::Schema => "a JSON Schema, as an object".to_owned(),
        Kind::Clamp => "an object such as `{ \"voice\": { \"top_k\": 3 } }`".to_owned(),
        Kind::Object(fields) => {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            if names.is_empty() { "an object".to_owned() } else { format!("an object with {}", listed(&names)) }
        }
    }
}

fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(text) if text.trim().is_empty() => "an empty text",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the table with an object schema of the published one.
    fn compare(schema: &Value, root: &Value, fields: &[Field]) {
        let schema = schema
            .get("$ref")
            .map_or(schema, |target| root.pointer(target.as_str().unwrap().trim_start_matches('#')).unwrap());
        let mut names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        names.sort_unstable();
        let mut published: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        published.sort_unstable();
        assert_eq!(names, published);
        for field in fields {
            let required = schema["required"].as_array().is_some_and(|names| names.contains(&field.name.into()));
            assert_eq!(required, field.required, "{}", field.name);
            if let Kind::Object(inner) = field.kind {
                compare(&schema["properties"][field.name], root, inner);
            }
        }
    }

    #[test]
    fn the_table_has_the_fields_of_the_published_schema() {
        let root: Value = serde_json::from_str(include_str!("../../../../schemas/tool.schema.json")).unwrap();
        compare(&root, &root, FIELDS);
    }
}
