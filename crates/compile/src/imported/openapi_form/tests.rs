use super::*;
use crate::imported::compile_tool;

/// The gate's schema for a published one, and the findings.
fn imported(parameters: &Value) -> (Value, Vec<String>) {
    let compiled = compile_tool(&json!({ "name": "plan", "description": "Plans.", "parameters": parameters }));
    let findings = compiled.diagnostics.iter().map(|found| format!("{} {}", found.code, found.pointer));
    (compiled.json_schema.unwrap_or_default(), findings.collect())
}

#[test]
fn the_schema_of_gemini_is_read_as_json_schema() {
    let published = json!({
        "type": "OBJECT",
        "properties": {
            "who": { "type": "ARRAY", "items": { "type": "STRING" }, "minItems": "1", "maxItems": "9" },
            "level": { "type": "INTEGER", "format": "int32", "enum": ["1", "2"], "example": 2 },
            "kind": { "type": "STRING", "format": "enum", "enum": ["a", "b"], "nullable": true },
            "share": { "type": "NUMBER", "minimum": "0.5", "maximum": 1, "nullable": false },
            "either": { "anyOf": [{ "type": "BOOLEAN" }, { "type": "NULL" }] },
            "type": { "type": "TYPE_UNSPECIFIED", "description": "INTEGER" }
        },
        "required": ["who"]
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "who": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 9 },
            "level": { "type": "integer", "format": "int32", "enum": [1, 2], "examples": [2] },
            "kind": { "type": ["string", "null"], "enum": ["a", "b", null] },
            "share": { "type": "number", "minimum": 0.5, "maximum": 1 },
            "either": { "anyOf": [{ "type": "boolean" }, { "type": "null" }] },
            "type": { "description": "INTEGER" }
        },
        "required": ["who"]
    });
    assert_eq!(imported(&published), (expected, Vec::new()));
}

#[test]
fn nullable_adds_null_to_each_kind_of_schema() {
    let of = |a: Value| json!({ "type": "object", "properties": { "a": a }, "$defs": { "x": { "type": "string" } } });
    let nothing = json!({ "type": "null" });
    let rows = [
        (json!({ "type": "string", "nullable": true }), json!({ "type": ["string", "null"] })),
        (json!({ "type": ["string", "null"], "nullable": true }), json!({ "type": ["string", "null"] })),
        (
            json!({ "anyOf": [{ "type": "string" }], "nullable": true }),
            json!({ "anyOf": [{ "type": "string" }, nothing] }),
        ),
        (
            json!({ "$ref": "#/$defs/x", "description": "An x.", "nullable": true }),
            json!({ "anyOf": [{ "$ref": "#/$defs/x", "description": "An x." }, nothing], "description": "An x." }),
        ),
    ];
    for (published, expected) in rows {
        let (schema, findings) = imported(&of(published));
        assert_eq!(schema, of(expected));
        assert_eq!(findings, ["unknown-keyword /parameters/properties/a/nullable"]);
    }
    assert_eq!(imported(&of(json!({ "type": "string", "nullable": false }))).0, of(json!({ "type": "string" })));
}

#[test]
fn a_declaration_of_gemini_is_taken_again() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "a": { "type": ["string", "null"], "maxLength": 5 },
            "n": { "type": "integer", "minimum": 1 },
            "any": {},
            "list": { "type": "array", "minItems": 2, "items": { "enum": ["x", "y"] } }
        },
        "required": ["a"]
    });
    let first = compile_tool(&json!({ "name": "plan", "description": "Plans.", "parameters": parameters }));
    let declared = first.provider_schemas.get("geminiNative").cloned().unwrap_or_default();
    let again = compile_tool(&declared);
    assert!(again.ok, "{:?}", again.diagnostics);
    assert_eq!(again.provider_schemas.get("geminiNative"), Some(&declared));
}
