//! Whether parameters accept undeclared arguments. Those that say nothing about it are closed, as those of schema libraries are.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::refs;

/// Keywords whose schemas name properties of the same object.
const APPLICATORS: [&str; 9] =
    ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/// Whether the parameters accept no undeclared argument. A composition is closed by one of the parts that apply to every value: a
/// reference, a branch of `allOf`, all branches of `anyOf` or `oneOf`.
pub(crate) fn is_closed(parameters: &Value) -> bool {
    is_closed_part(parameters, parameters, &mut BTreeMap::new())
}

/// Adds `additionalProperties: false`, to a composition `unevaluatedProperties: false`, unless the parameters are closed or say whether
/// they are.
pub(crate) fn close_root(parameters: &mut Map<String, Value>) {
    let says = |keyword: &&str| parameters.contains_key(*keyword);
    if ["additionalProperties", "unevaluatedProperties"].iter().any(&says) {
        return;
    }
    let is_composed = APPLICATORS.iter().any(says);
    if is_composed && is_closed(&Value::Object(parameters.clone())) {
        return;
    }
    let keyword = if is_composed { "unevaluatedProperties" } else { "additionalProperties" };
    parameters.insert(keyword.to_owned(), Value::Bool(false));
}

/// Whether a schema accepts no object with undeclared properties. `known` has the answers for references; one in
/// progress closes nothing.
fn is_closed_part(root: &Value, schema: &Value, known: &mut BTreeMap<String, bool>) -> bool {
    let Value::Object(members) = schema else { return *schema == Value::Bool(false) };
    let closes = |keyword: &str| members.get(keyword) == Some(&Value::Bool(false));
    let is_other_type = members.get("type").is_some_and(|kind| match kind {
        Value::Array(names) => names.iter().all(|name| name != "object"),
        name => name != "object",
    });
    if is_other_type || closes("additionalProperties") || closes("unevaluatedProperties") {
        return true;
    }
    let mut branches = |keyword: &str| {
        let branches = members.get(keyword).and_then(Value::as_array).into_iter().flatten();
        branches.map(|branch| is_closed_part(root, branch, known)).collect::<Vec<_>>()
    };
    let is_all = |closed: &[bool]| !closed.is_empty() && closed.iter().all(|closed| *closed);
    if branches("allOf").contains(&true) || is_all(&branches("anyOf")) || is_all(&branches("oneOf")) {
        return true;
    }
    let target = refs::reference(schema).and_then(|(_, reference)| refs::resolve(root, reference));
    let Some((at, target)) = target else { return false };
    if let Some(answer) = known.get(&at) {
        return *answer;
    }
    known.insert(at.clone(), false);
    let answer = is_closed_part(root, target, known);
    known.insert(at, answer);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_root_that_says_nothing_is_closed() {
        for (given, expected) in [
            (json!({ "properties": {} }), json!({ "properties": {}, "additionalProperties": false })),
            (json!({ "additionalProperties": true }), json!({ "additionalProperties": true })),
            (json!({ "unevaluatedProperties": {} }), json!({ "unevaluatedProperties": {} })),
            (json!({ "$ref": "#/$defs/a" }), json!({ "$ref": "#/$defs/a", "unevaluatedProperties": false })),
            (
                json!({ "allOf": [{ "additionalProperties": false }] }),
                json!({ "allOf": [{ "additionalProperties": false }] }),
            ),
        ] {
            let mut members = given.as_object().cloned().unwrap();
            close_root(&mut members);
            assert_eq!(Value::Object(members), expected);
        }
    }

    #[test]
    fn a_composition_is_closed_by_the_parts_that_always_apply() {
        let closed = json!({ "type": "object", "additionalProperties": false });
        let open = json!({ "type": "object", "properties": { "a": {} } });
        let definitions = json!({ "closed": closed, "open": open, "again": { "$ref": "#/$defs/again" } });
        for (schema, expected) in [
            (json!({ "$ref": "#/$defs/closed" }), true),
            (json!({ "$ref": "#/$defs/open" }), false),
            (json!({ "$ref": "#/$defs/again" }), false),
            (json!({ "allOf": [open, { "$ref": "#/$defs/closed" }] }), true),
            (json!({ "allOf": [open] }), false),
            (json!({ "anyOf": [{ "$ref": "#/$defs/closed" }, { "$ref": "#/$defs/closed" }] }), true),
            (json!({ "oneOf": [closed, { "$ref": "#/$defs/closed" }, { "type": "string" }, false] }), true),
            (json!({ "anyOf": [closed, open] }), false),
            (json!({ "anyOf": [], "additionalProperties": true }), false),
            (json!({ "allOf": [open, open], "unevaluatedProperties": false }), true),
        ] {
            let mut root = schema.clone();
            root["$defs"] = definitions.clone();
            assert_eq!(is_closed(&root), expected, "{schema}");
        }
    }
}
