//! References to embedded resources (JSON Schema Core, draft 2020-12, section 8.2.1) as references from the root.

use serde_json::Value;

use super::draft::Draft;
use super::reference_index::ReferenceIndex;
use super::schema_upgrade::SchemaUpgrade;

/// The keywords that name a schema for references.
const IDENTIFIERS: [&str; 3] = ["$id", "$anchor", "$dynamicAnchor"];

/// The schema with every reference within it as `#/…` from its root, if `$id` gives some of them another base. Readers
/// then need no base URIs. `None` if its references are relative to the root already, or depend on the dynamic scope.
pub(crate) fn without_embedded_resources(schema: &Value) -> Option<Value> {
    let index = ReferenceIndex::build(schema, Draft::Year2020);
    if !index.needs_base_uris(schema) || index.is_dynamic() {
        return None;
    }
    let upgrade = SchemaUpgrade::new(schema, Draft::Year2020, &index);
    let mut local = schema.clone();
    for (at, keyword) in index.references() {
        upgrade.update_reference(&mut local, at, keyword);
    }
    for at in index.schemas() {
        if let Some(Value::Object(members)) = local.pointer_mut(at) {
            members.retain(|keyword, _| !IDENTIFIERS.contains(&keyword.as_str()));
        }
    }
    Some(local)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_to_embedded_resources_lead_from_the_root() {
        let cases = [
            (
                json!({ "$id": "Tree", "properties": { "kids": { "items": { "$ref": "Tree" } } } }),
                json!({ "properties": { "kids": { "items": { "$ref": "#" } } } }),
            ),
            (
                json!({ "properties": { "a/b": { "$id": "N", "properties": { "next": { "$ref": "#" }, "up": { "$ref": "N#/properties/next" } } } } }),
                json!({ "properties": { "a/b": { "properties": {
                    "next": { "$ref": "#/properties/a~1b" }, "up": { "$ref": "#/properties/a~1b/properties/next" } } } } }),
            ),
            (
                json!({ "$id": "https://example.com/dir/root", "$ref": "point",
                    "$defs": { "p": { "$id": "point", "properties": { "unit": { "$ref": "unit#here" } } },
                        "u": { "$id": "/dir/unit", "$defs": { "x": { "$anchor": "here", "const": 1 } } } } }),
                json!({ "$ref": "#/$defs/p",
                    "$defs": { "p": { "properties": { "unit": { "$ref": "#/$defs/u/$defs/x" } } },
                        "u": { "$defs": { "x": { "const": 1 } } } } }),
            ),
            // The same anchor in two resources.
            (
                json!({ "properties": { "a": { "$id": "A", "$anchor": "it", "items": { "$ref": "#it" } },
                    "b": { "$id": "B", "$anchor": "it", "items": { "$ref": "A#it" } } } }),
                json!({ "properties": { "a": { "items": { "$ref": "#/properties/a" } },
                    "b": { "items": { "$ref": "#/properties/a" } } } }),
            ),
        ];
        for (schema, expected) in cases {
            assert_eq!(without_embedded_resources(&schema), Some(expected), "{schema}");
        }
    }

    #[test]
    fn a_reference_that_leads_nowhere_stays() {
        let schema =
            json!({ "properties": { "a": { "$id": "A", "$ref": "other.json" }, "$id": { "type": "string" } } });
        let expected = json!({ "properties": { "a": { "$ref": "other.json" }, "$id": { "type": "string" } } });
        assert_eq!(without_embedded_resources(&schema), Some(expected));
    }

    #[test]
    fn references_from_the_root_are_left_alone() {
        for schema in [
            json!({ "$id": "https://example.com/a", "$ref": "#/$defs/b", "$defs": { "b": { "$anchor": "c" } } }),
            json!({ "$ref": "https://example.com/b", "const": { "$id": "a" } }),
            json!(true),
        ] {
            assert_eq!(without_embedded_resources(&schema), None, "{schema}");
        }
    }
}
