//! `null` for what is optional: whether a schema takes it, and how a declaration is made to.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::super::references::definition_of;
use super::Lowering;
use super::kind::type_names;

impl Lowering<'_> {
    /// Whether a schema takes `null`. What is too entangled to see counts as rejecting it.
    pub(super) fn accepts_null(&self, schema: &Value) -> bool {
        self.takes_null(schema, &mut HashMap::new())
    }

    /// `known` holds the answers about references; one that is being found out counts as rejecting.
    fn takes_null(&self, schema: &Value, known: &mut HashMap<String, bool>) -> bool {
        let Value::Object(members) = schema else { return schema.as_bool().unwrap_or_default() };
        let by_type = type_names(members).is_none_or(|names| names.contains(&"null"));
        let by_value = members.get("const").is_none_or(Value::is_null)
            && members.get("enum").and_then(Value::as_array).is_none_or(|values| values.contains(&Value::Null));
        let mut by = |keyword: &str, all: bool| {
            let Some(Value::Array(branches)) = members.get(keyword) else { return true };
            let mut takes = branches.iter().map(|branch| self.takes_null(branch, known));
            if all { takes.all(|takes| takes) } else { takes.any(|takes| takes) }
        };
        by_type
            && by_value
            && by("allOf", true)
            && by("anyOf", false)
            && by("oneOf", false)
            && members.get("not").is_none_or(|denied| !self.takes_null(denied, known))
            && members.get("$ref").and_then(Value::as_str).is_none_or(|reference| self.leads_to_null(reference, known))
    }

    fn leads_to_null(&self, reference: &str, known: &mut HashMap<String, bool>) -> bool {
        if let Some(answer) = known.get(reference) {
            return *answer;
        }
        known.insert(reference.to_owned(), false);
        let answer = self.target(reference).is_some_and(|target| self.takes_null(target, known));
        known.insert(reference.to_owned(), answer);
        answer
    }

    fn target(&self, reference: &str) -> Option<&Value> {
        match definition_of(reference) {
            None => Some(&self.local.schema),
            Some(name) => self.definition(name),
        }
    }

    /// A declaration that takes `null` as well.
    pub(super) fn nullable(&self, mut lowered: Map<String, Value>) -> Map<String, Value> {
        if self.has_null(&lowered) {
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

    fn has_null(&self, lowered: &Map<String, Value>) -> bool {
        let by_type = type_names(lowered).is_some_and(|names| names.contains(&"null"));
        let branches = lowered.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        let by_branch = branches.filter_map(Value::as_object).any(|branch| self.has_null(branch));
        let by_reference = lowered
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| self.target(reference))
            .is_some_and(|target| self.accepts_null(target));
        by_type || by_branch || by_reference
    }
}

/// `null` among the fixed values, where there are any.
fn add_null_value(lowered: &mut Map<String, Value>) {
    if let Some(only) = lowered.shift_remove("const") {
        lowered.insert("enum".to_owned(), json!([only, null]));
    } else if let Some(Value::Array(values)) = lowered.get_mut("enum") {
        values.push(Value::Null);
    }
}
