//! The schemas of a tool folder in the form that their readers expect, as `compileTool` makes it: references are URIs from
//! the root, and parameters are of type `object`.
//! Parameters that do not say whether they are open are closed.

use serde_json::{Map, Value};

use super::closed_root::close_root;
use super::object_root::make_object_root;
use super::reference_encoding::encode_references;
use crate::draft_upgrade::without_embedded_resources;
use crate::tool_folder::tool_source::{PARAMETERS_POINTER, SCHEMA_POINTERS};

/// Rewrites the schemas among the fields of a tool. No part of them moves.
pub(crate) fn normalize_schemas(members: &mut Map<String, Value>) {
    for pointer in SCHEMA_POINTERS {
        let Some(schema) = value_at_mut(members, pointer) else { continue };
        encode_references(schema);
        if let Some(local) = without_embedded_resources(schema) {
            *schema = local;
        }
        if let (PARAMETERS_POINTER, Value::Object(parameters)) = (pointer, schema) {
            // The rule `schema-not-object` reports another type.
            if make_object_root(parameters).is_ok() {
                close_root(parameters);
            }
        }
    }
}

fn value_at_mut<'a>(members: &'a mut Map<String, Value>, pointer: &str) -> Option<&'a mut Value> {
    let mut names = pointer.split('/').skip(1);
    let first = members.get_mut(names.next()?)?;
    names.try_fold(first, |value, name| value.get_mut(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_schema_is_read_from_its_own_root() {
        let Value::Object(mut members) = json!({
            "parameters": { "$id": "A", "properties": { "a": { "$ref": "A" } } },
            "resultSchema": { "anyOf": [{ "$id": "B", "items": { "$ref": "B" } }] },
            "confirmation": { "when": { "$id": "C", "not": { "$ref": "C#/$defs/c" }, "$defs": { "c": {} } } },
            "examples": [{ "$id": "D", "$ref": "D" }]
        }) else {
            panic!("an object")
        };
        normalize_schemas(&mut members);
        let expected = json!({
            "parameters": { "type": "object", "properties": { "a": { "$ref": "#" } }, "additionalProperties": false },
            "resultSchema": { "anyOf": [{ "items": { "$ref": "#/anyOf/0" } }] },
            "confirmation": { "when": { "not": { "$ref": "#/$defs/c" }, "$defs": { "c": {} } } },
            "examples": [{ "$id": "D", "$ref": "D" }]
        });
        assert_eq!(Value::Object(members), expected);
    }
}
