//! `schema-not-object`, `schema-not-closed`: `parameters` must be an object schema, because arguments have names; and
//! it should be closed, so that an invented argument is an error; the build closes one that says nothing. A composition is closed by one of the parts that apply to
//! every value: a reference, a branch of `allOf`, all branches of `anyOf` or `oneOf`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::schema::refs;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(site) = document.parameters() else { return };
    if site.schema.get("type") != Some(&json!("object")) {
        let at = document.at_value("/parameters/type");
        findings.add(Code::SchemaNotObject, at, "`parameters` is not an object schema", "write `\"type\": \"object\"`");
    }
    if !is_closed(&site.schema, &site.schema, &mut BTreeMap::new()) {
        let at = document.at_value("/parameters/additionalProperties");
        let help = "write `\"additionalProperties\": false`, or add `schema-not-closed` to `lintAccepted`";
        findings.add(Code::SchemaNotClosed, at, "`parameters` accepts undeclared arguments", help);
    }
}

/// Whether a schema accepts no object with undeclared properties. `known` has the answers for references; one in
/// progress closes nothing.
fn is_closed(root: &Value, schema: &Value, known: &mut BTreeMap<String, bool>) -> bool {
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
        branches.map(|branch| is_closed(root, branch, known)).collect::<Vec<_>>()
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
    let answer = is_closed(root, target, known);
    known.insert(at, answer);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(is_closed(&root, &root, &mut BTreeMap::new()), expected, "{schema}");
        }
    }
}
