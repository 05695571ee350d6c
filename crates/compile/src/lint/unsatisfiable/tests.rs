use serde_json::{Value, json};

use crate::code::{Code, Severity};
use crate::imported::compile_tool;

/// The findings about contradictions in the schema of an argument: severity, pointer below the argument.
fn findings(argument: &Value, required: &[&str]) -> Vec<(Severity, String)> {
    let parameters = json!({ "type": "object", "properties": { "a": argument }, "required": required });
    let compiled = compile_tool(&json!({ "name": "find", "description": "Finds.", "parameters": parameters }));
    let found = compiled.diagnostics.into_iter().filter(|found| found.code == Code::Unsatisfiable);
    found.map(|found| (found.severity, found.pointer.replacen("/parameters/properties/a", "", 1))).collect()
}

#[test]
fn contradictions_are_errors_where_every_call_needs_the_value() {
    let rows = [
        (json!({ "type": "integer", "enum": ["1", "2"] }), "/enum"),
        (json!({ "enum": [] }), "/enum"),
        (json!({ "type": "string", "const": "abc", "maxLength": 2 }), "/const"),
        (json!({ "type": "number", "minimum": 2, "maximum": 1 }), "/minimum"),
        (json!({ "type": "number", "exclusiveMinimum": 2, "maximum": 2 }), "/exclusiveMinimum"),
        (json!({ "type": "integer", "minimum": 1.2, "maximum": 1.8 }), "/minimum"),
        (json!({ "type": "string", "minLength": 5, "maxLength": 2 }), "/minLength"),
        (json!({ "type": "array", "minItems": 3, "maxItems": 2 }), "/minItems"),
        (json!({ "type": "array", "minItems": 1, "items": { "enum": [] } }), "/items/enum"),
        (json!({ "type": "object", "required": ["x"], "not": { "required": ["x"] } }), "/required"),
        (json!({ "type": "object", "required": ["x"], "properties": { "x": false } }), "/required"),
        (json!({ "type": "object", "required": ["x", "y"], "maxProperties": 1 }), "/required"),
    ];
    for (argument, pointer) in rows {
        assert_eq!(findings(&argument, &["a"]), [(Severity::Error, pointer.to_owned())], "{argument}");
        assert_eq!(findings(&argument, &[]), [(Severity::Warning, pointer.to_owned())], "{argument}");
    }
}

#[test]
fn schemas_that_some_value_satisfies_have_no_finding() {
    for argument in [
        json!({ "type": "integer", "enum": ["1", 2] }),
        json!({ "type": "number", "minimum": 1, "maximum": 1 }),
        json!({ "type": "number", "exclusiveMinimum": 1, "maximum": 1.5 }),
        json!({ "not": { "enum": [] } }),
        json!({ "if": { "const": 1, "type": "string" }, "then": {} }),
        json!({ "properties": { "x": false } }),
        json!({ "type": "object", "required": ["x"], "not": { "required": ["x", "y"] } }),
        json!({ "type": "object", "required": ["x"], "not": { "required": ["x"], "minProperties": 2 } }),
        json!({ "minContains": 2, "maxContains": 1 }),
    ] {
        assert_eq!(findings(&argument, &["a"]), [], "{argument}");
    }
}

#[test]
fn another_type_may_be_left() {
    let argument = json!({ "type": ["string", "null"], "minLength": 5, "maxLength": 2 });
    assert_eq!(findings(&argument, &["a"]), [(Severity::Warning, "/minLength".to_owned())]);
}
