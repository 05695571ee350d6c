//! A plain object schema at the root, for providers that accept no combinators there.
//!
//! OpenAI refuses a function whose parameters are not of type `object` or have `oneOf`, `anyOf`, `allOf`, `enum` or
//! `not` at the top level; Gemini's function parameters are an object too. The properties of the branches become
//! optional arguments, so that the model still sees them.

use std::collections::HashSet;

use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value, json};

use super::Receipt;
use super::flatten::flatten_schema;
use super::merge::merge;

/// The schema with `type: "object"` and `properties`, without combinators at the top.
pub(super) fn plain_object(schema: &Value, receipt: &mut Receipt) -> Map<String, Value> {
    let mut plain = flatten_schema(schema, schema, "", receipt);
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = plain.shift_remove(keyword) {
            merge_alternatives(schema, &mut plain, keyword, &branches, receipt);
        }
    }
    for keyword in ["not", "enum", "const", "if", "then", "else"] {
        if plain.shift_remove(keyword).is_some() {
            receipt.lost(format!("/{keyword}"), format!("`{keyword}` can't stand at the top level"));
        }
    }
    plain.insert("type".to_owned(), json!("object"));
    if !plain.get("properties").is_some_and(Value::is_object) {
        plain.insert("properties".to_owned(), json!({}));
    }
    plain
}

/// Adds the properties of the alternatives. An argument stays required if every alternative requires it.
fn merge_alternatives(
    root: &Value,
    plain: &mut Map<String, Value>,
    keyword: &str,
    branches: &[Value],
    receipt: &mut Receipt,
) {
    receipt
        .lost(format!("/{keyword}"), format!("`{keyword}` can't stand at the top level; its arguments are optional"));
    let mut properties = match plain.shift_remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    let mut added: IndexMap<String, IndexSet<Value>> = IndexMap::new();
    let mut required: Option<Vec<Value>> = None;
    for (index, branch) in branches.iter().enumerate() {
        let branch = flatten_schema(root, branch, &format!("/{keyword}/{index}"), receipt);
        if let Some(Value::Object(named)) = branch.get("properties") {
            for (name, schema) in named.iter().filter(|(name, _)| !properties.contains_key(*name)) {
                added.entry(name.clone()).or_default().insert(schema.clone());
            }
        }
        let names = branch.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        required = Some(match required {
            None => names,
            Some(mut common) => {
                let names: HashSet<&Value> = names.iter().collect();
                common.retain(|name| names.contains(name));
                common
            }
        });
    }
    properties.extend(added.into_iter().map(|(name, schemas)| (name, any_of(schemas))));
    plain.insert("properties".to_owned(), Value::Object(properties));
    let also = json!({ "required": required.unwrap_or_default() });
    if let Value::Object(also) = also {
        merge(plain, also, "", receipt);
    }
}

/// One schema for the different schemas of a property. The branches of an `anyOf` become branches of the whole.
fn any_of(schemas: IndexSet<Value>) -> Value {
    if schemas.len() == 1 {
        return schemas.into_iter().next().unwrap_or_default();
    }
    let branches = |schema: Value| match schema {
        Value::Object(members) if members.len() == 1 && members.get("anyOf").is_some_and(Value::is_array) => {
            members.into_iter().flat_map(|(_, branches)| as_list(branches)).collect()
        }
        other => vec![other],
    };
    let branches: IndexSet<Value> = schemas.into_iter().flat_map(branches).collect();
    json!({ "anyOf": branches.into_iter().collect::<Vec<_>>() })
}

fn as_list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinators_at_the_top_become_plain() {
        let schema = json!({
            "$ref": "#/$defs/base",
            "oneOf": [
                { "properties": { "id": { "type": "string" } }, "required": ["id", "kind"] },
                { "properties": { "id": { "type": "integer" }, "name": { "type": "string" } }, "required": ["kind"] }
            ],
            "not": { "required": ["x"] },
            "$defs": { "base": { "properties": { "kind": { "type": "string" } } } }
        });
        let mut receipt = Receipt::default();
        let mut plain = plain_object(&schema, &mut receipt);
        plain.shift_remove("$defs");
        let expected = json!({
            "type": "object",
            "properties": {
                "kind": { "type": "string" },
                "id": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                "name": { "type": "string" }
            },
            "required": ["kind"]
        });
        assert_eq!(Value::Object(plain), expected);
        let lost: Vec<&str> = receipt.iter().filter(|entry| entry.lost).map(|entry| entry.pointer.as_str()).collect();
        assert_eq!(lost, ["/oneOf", "/not"]);
    }

    #[test]
    fn a_loop_at_the_top_ends() {
        let mut receipt = Receipt::default();
        let plain = plain_object(&json!({ "allOf": [{ "$ref": "#" }] }), &mut receipt);
        assert_eq!(Value::Object(plain), json!({ "type": "object", "properties": {} }));
    }
}
