//! `null` for optional arguments: whether a schema accepts it, and how a declaration is made nullable.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::super::references::definition_name;
use super::strict_type::type_names;
use super::{StrictLowering, StrictResult, limits};

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

    /// The declaration at a pointer, with `null` accepted too.
    pub(super) fn make_nullable(&mut self, mut lowered: Map<String, Value>, at: &str, depth: usize) -> StrictResult {
        if self.declares_null(&lowered) {
            return Ok(lowered);
        }
        if let Some(kind) = lowered.get("type").cloned() {
            lowered.insert("type".to_owned(), json!([kind, "null"]));
            self.add_null_value(&mut lowered, at);
        } else if let Some(Value::Array(branches)) = lowered.get_mut("anyOf") {
            branches.push(json!({ "type": "null" }));
        } else {
            limits::check_depth(at, depth + 1)?;
            return Ok(Map::from_iter([("anyOf".to_owned(), json!([lowered, { "type": "null" }]))]));
        }
        Ok(lowered)
    }

    /// Adds `null` to `const` or `enum`, if present.
    fn add_null_value(&mut self, lowered: &mut Map<String, Value>, at: &str) {
        if let Some(only) = lowered.shift_remove("const") {
            lowered.insert("enum".to_owned(), json!([only, null]));
        } else if let Some(Value::Array(values)) = lowered.get_mut("enum") {
            values.push(Value::Null);
            if limits::is_enum_too_long(values) {
                self.receipt.lost(format!("{at}/enum"), format!("`enum` has too many values: {}", values.len()));
                lowered.shift_remove("enum");
            }
        }
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
