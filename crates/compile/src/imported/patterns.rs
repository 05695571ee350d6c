//! Patterns of imported schemas: those of other languages are written in ECMAScript, and those without such a form are
//! left out, so that the tool itself checks them at run time.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::findings::ToolFindings;
use crate::draft_upgrade::PointerMap;
use crate::findings::code::Code;
use crate::lint::{PatternPlace, pattern_refusal_message};
use crate::schema::dialect;
use crate::schema::refs;
use crate::text::source::pointer_from_names;
use toolgate_ecma_regex::to_ecmascript;

/// Makes every pattern of a schema one that the gate matches. `at` is the pointer of the schema in the definition.
pub(super) fn adopt_patterns(schema: &mut Value, pointer_map: &mut PointerMap, at: &str, found: &mut ToolFindings) {
    let refused = refused_patterns(schema);
    if refused.is_empty() {
        return;
    }
    let mut left_out = BTreeSet::new();
    // Inner patterns first: a name that changes moves what is below.
    for pattern in refused.into_iter().rev() {
        let pointer = format!("{at}{}", pointer_map.old_pointer(&pattern.pointer()));
        if let Some(form) = pattern.ecmascript_form() {
            let message = format!("`{}` is not a pattern of JavaScript; it is read as `{form}`", pattern.text);
            let help = "write that form: not every reader of the definition translates patterns";
            found.warning(Code::BadRegex, pointer, message, help);
            pattern.replace_in(schema, form, pointer_map);
            continue;
        }
        let (message, help) = pattern_refusal_message(&pattern.text, &pattern.refusal, pattern.place);
        found.warning(Code::BadRegex, pointer, format!("{message}; only the tool itself checks it"), help);
        left_out.insert(pattern.schema);
    }
    if !left_out.is_empty() {
        leave_out_refused(schema, &left_out);
    }
}

/// A pattern that the gate can't match.
struct RefusedPattern {
    /// JSON Pointer of the schema that has it.
    schema: String,
    place: PatternPlace,
    text: String,
    refusal: String,
}

fn refused_patterns(schema: &Value) -> Vec<RefusedPattern> {
    let mut refused = Vec::new();
    dialect::walk(schema, "", &mut |at, inner| {
        let texts = own_patterns(inner).into_iter().filter_map(|(place, text)| {
            let refusal = place.refusal(text)?;
            Some(RefusedPattern { schema: at.to_owned(), place, text: text.to_owned(), refusal })
        });
        refused.extend(texts);
    });
    refused
}

/// The patterns of a schema itself.
fn own_patterns(schema: &Value) -> Vec<(PatternPlace, &str)> {
    let value = schema.get("pattern").and_then(Value::as_str).map(|text| (PatternPlace::Value, text));
    let names = schema.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    value.into_iter().chain(names.map(|name| (PatternPlace::Name, name.as_str()))).collect()
}

impl RefusedPattern {
    fn pointer(&self) -> String {
        match self.place {
            PatternPlace::Value => format!("{}/pattern", self.schema),
            PatternPlace::Name => self.name_pointer(&self.text),
        }
    }

    fn name_pointer(&self, name: &str) -> String {
        format!("{}{}", self.schema, pointer_from_names(&["patternProperties", name]))
    }

    fn ecmascript_form(&self) -> Option<String> {
        to_ecmascript(&self.text).ok().filter(|form| self.place.refusal(form).is_none())
    }

    fn replace_in(&self, schema: &mut Value, form: String, pointer_map: &mut PointerMap) {
        let Some(Value::Object(members)) = schema.pointer_mut(&self.schema) else { return };
        if self.place == PatternPlace::Value {
            members.insert("pattern".to_owned(), Value::String(form));
            return;
        }
        let Some(Value::Object(named)) = members.get_mut("patternProperties") else { return };
        let Some(inner) = named.shift_remove(&self.text) else { return };
        pointer_map.record_adopted(&self.pointer(), &self.name_pointer(&form));
        // Both names may be there: a property has to fit both schemas.
        let inner = match named.shift_remove(&form) {
            Some(other) => json!({ "allOf": [other, inner] }),
            None => inner,
        };
        named.insert(form, inner);
    }
}

/// Leaves out the patterns that are refused, so that the schema accepts more values and never fewer: a keyword that
/// would turn "more" into "fewer", such as `not`, goes with them. `places` are the schemas that have them.
fn leave_out_refused(schema: &mut Value, places: &BTreeSet<String>) {
    let mut is_referenced = false;
    dialect::walk(schema, "", &mut |_, inner| {
        let target = refs::reference(inner).and_then(|(_, reference)| refs::resolve(schema, reference));
        let has_place_below =
            |target: &String| places.range(target.clone()..).next().is_some_and(|place| place.starts_with(target));
        is_referenced |= target.is_some_and(|(target, _)| has_place_below(&target));
    });
    widen(schema, is_referenced);
}

/// Widens a schema. True if it may accept more values than before, as each one with a reference may if
/// `references_are_wider`.
fn widen(schema: &mut Value, references_are_wider: bool) -> bool {
    let inner: Vec<String> = dialect::subschemas(schema).into_iter().map(|(pointer, _)| pointer).collect();
    let mut wider_keywords = BTreeSet::new();
    for pointer in inner {
        if schema.pointer_mut(&pointer).is_some_and(|child| widen(child, references_are_wider)) {
            wider_keywords.extend(pointer.split('/').nth(1).map(str::to_owned));
        }
    }
    for keyword in &wider_keywords {
        widen_keyword(schema, keyword);
    }
    let is_wider = !wider_keywords.is_empty();
    let Value::Object(members) = schema else { return is_wider };
    let refers = references_are_wider && (members.contains_key("$ref") || members.contains_key("$dynamicRef"));
    remove_own_patterns(members) || is_wider || refers
}

fn remove_own_patterns(members: &mut Map<String, Value>) -> bool {
    let is_refused = |place: PatternPlace, text: &str| place.refusal(text).is_some();
    let mut is_wider = false;
    if members.get("pattern").and_then(Value::as_str).is_some_and(|text| is_refused(PatternPlace::Value, text)) {
        members.shift_remove("pattern");
        is_wider = true;
    }
    if let Some(Value::Object(named)) = members.get_mut("patternProperties") {
        let count = named.len();
        named.retain(|name, _| !is_refused(PatternPlace::Name, name));
        if named.len() < count {
            // Any name may be one that the pattern matches.
            members.insert("additionalProperties".to_owned(), Value::Bool(true));
            is_wider = true;
        }
    }
    is_wider
}

/// Widens a keyword whose schema became wider, if a wider schema means fewer values there.
fn widen_keyword(schema: &mut Value, keyword: &str) {
    let Value::Object(members) = schema else { return };
    match keyword {
        "not" => drop(members.shift_remove("not")),
        "if" => ["if", "then", "else"].iter().for_each(|keyword| drop(members.shift_remove(*keyword))),
        "contains" => drop(members.shift_remove("maxContains")),
        "oneOf" => {
            let Some(branches) = members.shift_remove("oneOf") else { return };
            match members.get_mut("allOf") {
                Some(Value::Array(all)) => all.push(json!({ "anyOf": branches })),
                _ => {
                    members.insert("allOf".to_owned(), json!([{ "anyOf": branches }]));
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
