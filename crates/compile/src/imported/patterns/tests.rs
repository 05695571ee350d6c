#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::imported::compile_tool;
use toolgate_json::{Limits, Tape};
use toolgate_schema::CompiledSchema;

/// The schema of the gate for these properties, and the findings.
fn imported(parameters: &Value) -> (Value, Vec<String>) {
    let compiled = compile_tool(&json!({ "name": "find", "description": "Finds.", "inputSchema": parameters }));
    assert!(compiled.ok, "{parameters}: {:?}", compiled.diagnostics);
    let findings =
        compiled.diagnostics.iter().map(|found| format!("{} {}: {}", found.code, found.pointer, found.message));
    (compiled.json_schema.unwrap_or_default(), findings.collect())
}

fn accepts(schema: &Value, arguments: &Value) -> bool {
    let tape = Tape::parse(arguments.to_string(), &Limits::widest()).unwrap();
    CompiledSchema::compile(schema).unwrap().validate(tape.root()).is_ok()
}

#[test]
fn patterns_of_other_languages_are_translated() {
    let schema = json!({
        "type": "object",
        "properties": { "day": { "type": "string", "pattern": r"\A(?P<y>\d{4})\-\d\d\Z" } },
        "patternProperties": { r"^x\-[[:digit:]]$": { "pattern": "^b++$" }, "^x-[0-9]$": { "minLength": 2 } },
        "additionalProperties": false
    });
    let (own, findings) = imported(&schema);
    let expected = json!({
        "type": "object",
        "properties": { "day": { "type": "string", "pattern": r"^(?<y>\d{4})-\d\d$" } },
        "patternProperties": {
            "^x-[0-9]$": {
                "allOf": [{ "minLength": 2 }, { "pattern": r"^(?:(?=(?<atomic1>b+))\k<atomic1>)$" }]
            }
        },
        "additionalProperties": false
    });
    assert_eq!(own, expected);
    let pointers: Vec<&str> = findings.iter().filter_map(|found| found.split(": ").next()).collect();
    assert_eq!(
        pointers,
        [
            r"bad-regex /inputSchema/patternProperties/^x\-[[:digit:]]$",
            r"bad-regex /inputSchema/patternProperties/^x\-[[:digit:]]$/pattern",
            "bad-regex /inputSchema/properties/day/pattern",
        ]
    );
    assert!(findings.iter().all(|found| found.contains(" is not a pattern of JavaScript; it is read as `")));
}

/// A pattern that no JavaScript has, in each place: what the tool may take, the gate takes.
#[test]
fn a_pattern_without_a_form_is_left_to_the_tool() {
    let bad = json!({ "type": "string", "pattern": "^(?R)$" });
    let of = |schema: Value| json!({ "type": "object", "properties": { "a": schema } });
    let cases = [
        (of(bad.clone()), json!("x"), json!(1)),
        (of(json!({ "not": bad })), json!("x"), Value::Null),
        (of(json!({ "type": "string", "not": { "not": bad } })), json!("x"), json!(1)),
        (of(json!({ "oneOf": [bad, { "const": "x" }, bad] })), json!("x"), json!(1)),
        (of(json!({ "if": bad, "then": { "minLength": 9 }, "else": { "maxLength": 0 } })), json!("x"), Value::Null),
        (of(json!({ "contains": bad, "maxContains": 1 })), json!(["x", "y"]), json!([1])),
        (of(json!({ "propertyNames": bad, "maxProperties": 1 })), json!({ "x": 1 }), json!({ "x": 1, "y": 2 })),
        (
            of(
                json!({ "allOf": [{ "patternProperties": { "(?R)": { "type": "null" } } }], "unevaluatedProperties": false, "maxProperties": 1 }),
            ),
            json!({ "x": 1 }),
            json!({ "x": 1, "y": 2 }),
        ),
        (
            of(
                json!({ "patternProperties": { "^(?=y)": { "type": "null" }, "^z": { "type": "null" } }, "additionalProperties": false }),
            ),
            json!({ "y": 1, "z": null }),
            json!({ "z": 1 }),
        ),
    ];
    for (schema, taken, refused) in cases {
        let (own, findings) = imported(&schema);
        assert!(findings.iter().any(|found| found.contains("only the tool itself checks it")), "{schema}");
        assert!(accepts(&own, &json!({ "a": taken })), "{own} must take {taken}");
        assert!(refused.is_null() || !accepts(&own, &json!({ "a": refused })), "{own} must refuse {refused}");
    }
}

#[test]
fn what_refers_to_a_pattern_that_is_left_out_is_widened_too() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "oneOf": [{ "$ref": "#/$defs/outer" }, { "type": "string" }] }, "b": { "not": { "$ref": "#/$defs/bad" } } },
        "$defs": { "outer": { "$ref": "#/$defs/bad" }, "bad": { "type": "string", "pattern": r"\Gx" } }
    });
    let (own, _) = imported(&schema);
    assert!(accepts(&own, &json!({ "a": "x", "b": "x" })), "{own}");
    assert!(!accepts(&own, &json!({ "a": 1 })), "{own}");
}

#[test]
fn a_result_schema_keeps_all_but_its_patterns() {
    let compiled = compile_tool(&json!({
        "name": "find", "description": "Finds.", "inputSchema": { "type": "object" },
        "outputSchema": { "type": "object", "properties": { "id": { "type": "string", "pattern": "(?1)" }, "day": { "pattern": r"^\d\-\d$" } } }
    }));
    let output = compiled.provider_schemas.get("mcp").and_then(|tool| tool.pointer("/outputSchema/properties"));
    assert_eq!(output, Some(&json!({ "id": { "type": "string" }, "day": { "pattern": r"^\d-\d$" } })));
}
