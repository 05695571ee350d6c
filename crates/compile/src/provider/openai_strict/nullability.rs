//! `null` for optional arguments: whether a schema accepts it, and how a declaration is made nullable.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::super::references::definition_name;
use super::StrictLowering;
use super::strict_type::type_names;

impl StrictLowering<'_> {
    /// Whether a schema accepts `null`. An undecidable recursive schema counts as rejecting it.
    pub(super) fn accepts_null(&self, schema: &Value) -> bool {
        self.schema_accepts_null(schema, &mut HashMap::new())
    }

    /// `known` caches the answers for references; a reference in progress counts as rejecting.
    fn schema_accepts_null(&self, schema: &Value, known: &mut HashMap<String, bool>) -> bool {
        let Value::Object(members) = schema else { return schema.as_bool().unwrap_or_default() };
        let by_type = type_names(members).is_none_or(|names| names.contains(&"null"));
        let by_value = members.get("const").is_none_or(Value::is_null)
            && members.get("enum").and_then(Value::as_array).is_none_or(|values| values.contains(&Value::Null));
        let mut by = |keyword: &str, all: bool| {
            let Some(Value::Array(branches)) = members.get(keyword) else { return true };
            let mut takes = branches.iter().map(|branch| self.schema_accepts_null(branch, known));
            if all { takes.all(|takes| takes) } else { takes.any(|takes| takes) }
        };
        by_type
            && by_value
            && by("allOf", true)
            && by("anyOf", false)
            && by("oneOf", false)
            && members.get("not").is_none_or(|denied| !self.schema_accepts_null(denied, known))
            && members
                .get("$ref")
                .and_then(Value::as_str)
                .is_none_or(|reference| self.reference_accepts_null(reference, known))
    }

    fn reference_accepts_null(&self, reference: &str, known: &mut HashMap<String, bool>) -> bool {
        if let Some(answer) = known.get(reference) {
            return *answer;
        }
        known.insert(reference.to_owned(), false);
        let answer = self.reference_target(reference).is_some_and(|target| self.schema_accepts_null(target, known));
        known.insert(reference.to_owned(), answer);
        answer
    }

    fn reference_target(&self, reference: &str) -> Option<&Value> {
        match definition_name(reference) {
            None => Some(&self.local.schema),
            Some(name) => self.definition(name),
        }
    }

    /// The declaration with `null` accepted too.
    pub(super) fn make_nullable(&self, mut lowered: Map<String, Value>) -> Map<String, Value> {
        if self.declares_null(&lowered) {
            return lowered;
        }
        if let Some(kind) = lowered.get("type").cloned() {
            lowered.insert("type".to_owned(), json!([kind, "null"]));
            add_null_value(&mut lowered);
        } else if let Some(Value::Array(branches)) = lowered.get_mut("anyOf") {
            branches.push(json!({ "type": "null" }));
        } else {
            return Map::from_iter([("anyOf".to_owned(), json!([lowered, { "type": "null" }]))]);
        }
        lowered
    }

    fn declares_null(&self, lowered: &Map<String, Value>) -> bool {
        let by_type = type_names(lowered).is_some_and(|names| names.contains(&"null"));
        let branches = lowered.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        let by_branch = branches.filter_map(Value::as_object).any(|branch| self.declares_null(branch));
        let by_reference = lowered
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| self.reference_target(reference))
            .is_some_and(|target| self.accepts_null(target));
        by_type || by_branch || by_reference
    }
}

/// Adds `null` to `const` or `enum`, if present.
fn add_null_value(lowered: &mut Map<String, Value>) {
    if let Some(only) = lowered.shift_remove("const") {
        lowered.insert("enum".to_owned(), json!([only, null]));
    } else if let Some(Value::Array(values)) = lowered.get_mut("enum") {
        values.push(Value::Null);
    }
}
