use serde_json::{Value, json};

use super::PossibleTypes;
use crate::findings::code::{Code, Severity};
use crate::imported::compile_tool;
use crate::text::source::SourceFile;
use crate::tool_folder::tool_source::ToolDocument;

/// The findings about contradictions in the schema of an argument: severity, pointer below the argument.
fn findings(argument: &Value, required: &[&str]) -> Vec<(Severity, String)> {
    let parameters = json!({ "type": "object", "properties": { "a": argument }, "required": required,
                             "$defs": { "text": { "type": "string" }, "never": false } });
    let compiled = compile_tool(&json!({ "name": "find", "description": "Finds.", "parameters": parameters }));
    let found = compiled
        .diagnostics
        .into_iter()
        .filter(|found| matches!(found.code, Code::Unsatisfiable | Code::UnsatisfiablePart));
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

#[test]
fn contradictions_between_parts_are_errors() {
    let text = json!({ "type": "string" });
    let rows = [
        (json!({ "anyOf": [false, { "not": {} }] }), "/anyOf"),
        (json!({ "type": "object", "anyOf": [{ "type": "string" }, { "type": "null" }] }), "/anyOf"),
        (json!({ "allOf": [{ "type": "string" }, { "type": "integer" }] }), "/allOf"),
        (json!({ "type": "integer", "allOf": [{ "const": "one" }] }), "/allOf"),
        (json!({ "type": "integer", "$ref": "#/$defs/text" }), "/$ref"),
        (json!({ "type": "string", "$ref": "#/$defs/never" }), "/$ref"),
        (json!({ "allOf": [{ "enum": ["a", "b"] }, { "enum": ["c"] }] }), "/allOf"),
        (json!({ "type": "string", "minLength": 5, "allOf": [{ "maxLength": 2 }] }), "/allOf"),
        (json!({ "type": "integer", "allOf": [{ "minimum": 3 }, { "exclusiveMaximum": 3 }] }), "/allOf"),
        (
            json!({ "type": "object", "required": ["x"], "properties": { "x": text },
                    "allOf": [{ "properties": { "x": { "type": "integer" } } }] }),
            "/allOf",
        ),
        (
            json!({ "type": "object", "required": ["x"], "allOf": [{ "properties": {}, "additionalProperties": false }] }),
            "/allOf",
        ),
        (json!({ "type": "array", "minItems": 1, "items": false }), "/items"),
        (json!({ "type": "array", "contains": false }), "/contains"),
    ];
    for (argument, pointer) in rows {
        assert_eq!(findings(&argument, &["a"]), [(Severity::Error, pointer.to_owned())], "{argument}");
        assert_eq!(findings(&argument, &[]), [(Severity::Warning, pointer.to_owned())], "{argument}");
    }
}

/// The cause has the finding, and the finding is then an error.
#[test]
fn impossible_parts_are_errors_if_they_leave_no_call() {
    let never = json!({ "type": "string", "minLength": 5, "maxLength": 2 });
    let rows = [
        (json!({ "anyOf": [never, { "enum": [] }] }), vec!["/anyOf/0/minLength", "/anyOf/1/enum"]),
        (json!({ "oneOf": [{ "allOf": [never] }] }), vec!["/oneOf/0/allOf/0/minLength"]),
        (
            json!({ "type": "object", "required": ["x"], "properties": {
                "x": { "type": "object", "required": ["y"], "properties": { "y": never } } } }),
            vec!["/properties/x/properties/y/minLength"],
        ),
        (json!({ "type": "array", "minItems": 2, "prefixItems": [{}, never] }), vec!["/prefixItems/1/minLength"]),
    ];
    for (argument, pointers) in rows {
        let of = |severity: Severity| pointers.iter().map(|at| (severity, (*at).to_owned())).collect::<Vec<_>>();
        assert_eq!(findings(&argument, &["a"]), of(Severity::Error), "{argument}");
        assert_eq!(findings(&argument, &[]), of(Severity::Warning), "{argument}");
    }
    let one_is_left = json!({ "anyOf": [never, { "type": "null" }] });
    assert_eq!(findings(&one_is_left, &["a"]), [(Severity::Warning, "/anyOf/0/minLength".to_owned())]);
}

#[test]
fn parts_that_some_value_satisfies_have_no_finding() {
    for argument in [
        json!({ "allOf": [{ "type": "number" }, { "type": "integer" }] }),
        json!({ "type": ["string", "null"], "allOf": [{ "type": ["null", "integer"] }] }),
        json!({ "allOf": [{ "enum": ["a", "b"] }, { "enum": ["b", "c"] }] }),
        json!({ "allOf": [{ "minLength": 5 }, { "maxLength": 5 }] }),
        json!({ "anyOf": [false, { "type": "string" }] }),
        json!({ "type": "object", "properties": { "x": false } }),
        json!({ "type": "array", "items": false }),
        json!({ "type": "array", "minItems": 1, "prefixItems": [{}], "items": false }),
        json!({ "type": "array", "contains": false, "minContains": 0 }),
        json!({ "required": ["x"], "properties": { "x": { "anyOf": [{ "$ref": "#/properties/a" }, { "type": "null" }] } } }),
        json!({ "$ref": "#/$defs/text", "minLength": 1 }),
    ] {
        assert_eq!(findings(&argument, &["a"]), [], "{argument}");
    }
}

/// References multiply nothing: each schema is read once.
#[test]
fn the_work_is_bounded() {
    let level = |at: usize| json!({ "allOf": vec![json!({ "$ref": format!("#/$defs/{}", at + 1) }); 20] });
    let mut definitions: serde_json::Map<_, _> = (0..200).map(|at| (at.to_string(), level(at))).collect();
    definitions.insert("200".to_owned(), json!({ "type": "string" }));
    let parameters = json!({
        "type": "object", "$defs": definitions,
        "properties": { "a": { "$ref": "#/$defs/0" } }, "required": ["a"]
    });
    let members = serde_json::Map::from_iter([("parameters".to_owned(), parameters)]);
    let document = ToolDocument::new(SourceFile::new(String::new(), ""), members);
    assert!(document.schemas.iter().all(|site| PossibleTypes::new(site).causes().is_empty()));
}
