//! The upgrade of single keywords, as whole schemas. That the result accepts the same values is tested from outside.

use serde_json::json;

use super::*;

const DRAFT_04: &str = "http://json-schema.org/draft-04/schema#";
const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";
const YEAR_2019: &str = "https://json-schema.org/draft/2019-09/schema";

/// Upgrades a schema of a draft.
fn upgraded(draft: &str, mut schema: Value) -> UpgradedSchema {
    schema["$schema"] = json!(draft);
    upgrade_schema(&schema)
}

fn notes(upgraded: &UpgradedSchema) -> Vec<(&str, &UpgradeNoteKind)> {
    upgraded.notes.iter().map(|note| (note.pointer.as_str(), &note.kind)).collect()
}

#[test]
fn keywords_of_older_drafts_get_their_present_form() {
    for (draft, old, new) in [
        (DRAFT_04, json!({ "minimum": 1, "exclusiveMinimum": true }), json!({ "exclusiveMinimum": 1 })),
        (DRAFT_04, json!({ "maximum": 9, "exclusiveMaximum": false }), json!({ "maximum": 9 })),
        (
            DRAFT_07,
            json!({ "items": [{ "type": "string" }], "additionalItems": false }),
            json!({ "prefixItems": [{ "type": "string" }], "items": false }),
        ),
        (
            DRAFT_07,
            json!({ "dependencies": { "a": ["b"], "c": { "required": ["d"] } } }),
            json!({ "dependentRequired": { "a": ["b"] }, "dependentSchemas": { "c": { "required": ["d"] } } }),
        ),
        (
            DRAFT_07,
            json!({ "definitions": { "a": { "type": "string" } }, "$ref": "#/definitions/a" }),
            json!({ "definitions": { "a": { "type": "string" } }, "$ref": "#/definitions/a" }),
        ),
        (
            DRAFT_04,
            json!({ "id": "http://example.com/root", "properties": { "a": { "$ref": "http://example.com/root#" } } }),
            json!({ "properties": { "a": { "$ref": "#" } } }),
        ),
        (
            YEAR_2019,
            json!({ "properties": { "a": { "$recursiveRef": "#" } } }),
            json!({ "properties": { "a": { "$ref": "#" } } }),
        ),
    ] {
        let result = upgraded(draft, old);
        assert_eq!((result.schema, result.notes), (new, Vec::new()));
    }
}

#[test]
fn what_the_declared_draft_ignores_is_left_out_and_named() {
    let newer = |keyword: &str| UpgradeNoteKind::NewerKeyword { keyword: keyword.to_owned() };
    let result = upgraded(DRAFT_04, json!({ "type": "string", "const": "a", "if": {}, "then": false }));
    assert_eq!(result.schema, json!({ "type": "string" }));
    assert_eq!(notes(&result), [("/const", &newer("const")), ("/if", &newer("if")), ("/then", &newer("then"))]);

    let result =
        upgraded(DRAFT_07, json!({ "properties": { "a": { "$ref": "#", "maxProperties": 1, "title": "A" } } }));
    let sibling = UpgradeNoteKind::RefSibling { keyword: "maxProperties".to_owned() };
    assert_eq!(notes(&result), [("/properties/a/maxProperties", &sibling)]);
    assert_eq!(result.schema, json!({ "properties": { "a": { "$ref": "#", "title": "A" } } }));
}

#[test]
fn a_schema_without_a_known_draft_is_read_as_the_newest() {
    let schema = json!({ "prefixItems": [true], "items": false });
    let undeclared = upgrade_schema(&schema);
    assert_eq!((&undeclared.schema, undeclared.draft, undeclared.notes.len()), (&schema, Draft::Year2020, 0));
    let unknown = upgraded("urn:mine", schema.clone());
    let note = UpgradeNoteKind::UnknownDraft { named: "urn:mine".to_owned() };
    assert_eq!((&unknown.schema, notes(&unknown)), (&schema, vec![("/$schema", &note)]));
    for (named, draft) in [
        ("https://json-schema.org/draft-04/schema", Draft::Four),
        ("http://json-schema.org/draft-06/schema#", Draft::Six),
        ("json-schema.org/draft-07/schema/", Draft::Seven),
        ("http://json-schema.org/draft/2019-09/schema", Draft::Year2019),
    ] {
        assert_eq!(upgraded(named, json!({})).draft, draft, "{named}");
    }
}

#[test]
fn pointers_are_mapped_both_ways() {
    let schema = json!({ "properties": { "a": { "items": [{ "properties": { "b": {} } }], "additionalItems": {} } } });
    let map = upgraded(DRAFT_07, schema).pointer_map;
    for (old, new) in [
        ("", ""),
        ("/properties/a", "/properties/a"),
        ("/properties/a/items/0/properties/b", "/properties/a/prefixItems/0/properties/b"),
        ("/properties/a/items/0/properties/b/type", "/properties/a/prefixItems/0/properties/b/type"),
        ("/properties/a/additionalItems", "/properties/a/items"),
    ] {
        assert_eq!((map.new_pointer(old).as_str(), map.old_pointer(new).as_str()), (new, old));
    }
}

#[test]
fn a_reference_follows_its_target() {
    let schema = json!({
        "items": [{ "type": "string" }, { "$ref": "#/items/0" }, { "$ref": "#/additionalItems" }],
        "additionalItems": { "type": "number" },
    });
    let expected = json!({
        "prefixItems": [{ "type": "string" }, { "$ref": "#/prefixItems/0" }, { "$ref": "#/items" }],
        "items": { "type": "number" },
    });
    assert_eq!(upgraded(DRAFT_07, schema).schema, expected);
}
