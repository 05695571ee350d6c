//! Completion of arguments: a table of what Ajv's `useDefaults` does, and what we do where we differ on purpose.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use toolgate::json::{Limits, Tape};
use toolgate::schema::{ArgsSchema, Clamp, Completed};

fn complete(schema: &Value, text: &str, clamps: &[(&str, f64)]) -> Completed {
    let clamps: Vec<Clamp> =
        clamps.iter().map(|(property, max)| Clamp { property: (*property).to_owned(), max: *max }).collect();
    let tape = Tape::parse(text, &Limits::widest()).unwrap();
    ArgsSchema::compile(schema).unwrap().complete(tape, &clamps)
}

fn completed(schema: &Value, args: &Value) -> Value {
    complete(schema, &args.to_string(), &[]).tape.root().to_value()
}

const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";

/// A fixture a line: a schema, arguments, and what Ajv 8.20 (`useDefaults: true, strict: false`) was seen to make of them.
#[test]
fn defaults_are_those_of_ajv() {
    for line in include_str!("fixtures/schema/ajv-defaults.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        assert_eq!(completed(&case["schema"], &case["args"]), case["completed"], "{line}");
    }
}

#[test]
fn unlike_ajv_a_default_that_does_not_fit_is_skipped() {
    let schema = json!({ "properties": {
        "text": { "type": "string", "default": null },
        "unit": { "enum": ["a", "b"], "default": "c" },
        "mail": { "format": "email", "default": "nobody" },
        "there": { "$ref": "#/$defs/positive", "default": 0 },
        "fine": { "$ref": "#/$defs/positive", "default": 1 },
        "object": { "required": ["a"], "properties": { "a": { "type": "string" } }, "default": {} },
        "filled": { "required": ["a"], "properties": { "a": { "default": 1 } }, "default": {} },
        "emptied": { "required": ["a"], "properties": { "a": { "type": "string", "default": 1 } }, "default": {} },
        "overfull": { "maxProperties": 0, "properties": { "a": { "default": 1 } }, "default": {} }
    }, "$defs": { "positive": { "minimum": 1 } } });
    assert_eq!(completed(&schema, &json!({})), json!({ "fine": 1, "filled": { "a": 1 } }));
}

#[test]
fn unlike_ajv_then_and_else_and_dependent_schemas_fill_nothing() {
    let schema = json!({ "if": true, "then": { "properties": { "b": { "default": 1 } } } });
    assert_eq!(completed(&schema, &json!({})), json!({}));
    let schema = json!({ "dependentSchemas": { "x": { "properties": { "a": { "default": 1 } } } } });
    assert_eq!(completed(&schema, &json!({ "x": 1 })), json!({ "x": 1 }));
}

#[test]
fn unlike_ajv_no_gap_in_a_tuple_is_filled_with_null() {
    let schema = json!({ "$schema": DRAFT_7, "items": [{}, { "default": 2 }] });
    assert_eq!(completed(&schema, &json!([])), json!([]));
    assert_eq!(completed(&schema, &json!([1])), json!([1, 2]));
}

#[test]
fn a_default_is_not_filled_inside_itself() {
    let schema =
        json!({ "type": "object", "properties": { "child": { "$ref": "#", "default": {} }, "v": { "default": 1 } } });
    let done = complete(&schema, "{}", &[]);
    assert_eq!(done.defaulted, ["/child", "/v"]);
    assert_eq!(done.tape.root().to_value(), json!({ "child": { "child": {}, "v": 1 }, "v": 1 }));
}

/// Each of ten properties holds the others: all of it would be millions of objects.
#[test]
fn defaults_that_multiply_are_bounded() {
    let properties: serde_json::Map<String, Value> =
        (0..10).map(|n| (format!("p{n}"), json!({ "$ref": "#/$defs/n", "default": {} }))).collect();
    let schema = json!({ "$ref": "#/$defs/n", "$defs": { "n": { "properties": properties } } });
    let done = complete(&schema, "{}", &[]);
    assert_eq!(done.defaulted.len(), 10);
    assert!(done.tape.text().len() < 10_000, "{}", done.tape.text().len());

    let mut chain = json!({ "default": "x".repeat(1000) });
    for _ in 0..9 {
        chain = json!({ "default": {}, "properties": { "l": chain, "r": chain } });
    }
    let done = complete(&json!({ "properties": { "all": chain } }), "{}", &[]);
    assert!(done.tape.text().len() <= 2 << 16, "{}", done.tape.text().len());
}

#[test]
fn strict_nulls_become_absent() {
    let schema = json!({
        "type": "object",
        "properties": {
            "needed": { "type": "string" },
            "text": { "type": "string" },
            "nullable": { "type": ["string", "null"] },
            "anything": {},
            "listed": { "enum": ["a"] },
            "nullListed": { "enum": ["a", null] },
            "fixed": { "const": 1 },
            "either": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            "neither": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
            "there": { "$ref": "#/$defs/text" },
            "defaulted": { "type": "integer", "default": 5 },
            "inner": { "type": "object", "properties": { "text": { "type": "string" }, "needed": { "type": "string" } }, "required": ["needed"] },
            "list": { "type": "array", "items": { "type": "object", "properties": { "text": { "type": "string" } } } }
        },
        "required": ["needed"],
        "$defs": { "text": { "type": "string" } }
    });
    let args = json!({
        "needed": null, "text": null, "nullable": null, "anything": null, "listed": null, "nullListed": null, "fixed": null,
        "either": null, "neither": null, "there": null, "defaulted": null,
        "inner": { "text": null, "needed": null },
        "list": [{ "text": null }, null],
        "unknown": null
    });
    let expected = json!({
        "needed": null, "nullable": null, "anything": null, "nullListed": null, "either": null,
        "inner": { "needed": null },
        "list": [{}, null],
        "unknown": null,
        "defaulted": 5
    });
    assert_eq!(completed(&schema, &args), expected);
}

#[test]
fn strict_nulls_of_forms_become_absent_where_no_form_takes_them() {
    let schema = json!({
        "anyOf": [
            { "properties": { "kind": { "const": "a" }, "x": { "type": "string" }, "y": { "type": "null" }, "z": { "type": "string" } }, "required": ["kind", "z"] },
            { "properties": { "kind": { "const": "b" }, "x": { "type": "integer" }, "y": { "type": "string" } }, "required": ["kind"] }
        ]
    });
    let args = json!({ "kind": "b", "x": null, "y": null, "z": null });
    assert_eq!(completed(&schema, &args), json!({ "kind": "b" }));
    // The other form takes `null` for `y`.
    let args = json!({ "kind": "a", "x": null, "y": null, "z": "z" });
    assert_eq!(completed(&schema, &args), json!({ "kind": "a", "y": null, "z": "z" }));
    // Neither form fits: the nulls that no form accepts are absent, the others stay.
    let args = json!({ "kind": "c", "x": null, "y": null, "z": null });
    assert_eq!(completed(&schema, &args), json!({ "kind": "c", "y": null }));
}

/// Each object of a list is read by the form that it was meant for.
#[test]
fn strict_nulls_are_read_form_by_form() {
    let form = |kind: &str, note: Value| {
        json!({ "type": "object", "additionalProperties": false, "required": ["kind", "in"], "properties": {
            "kind": { "const": kind }, "note": { "type": "string" }, "in": { "type": "object", "properties": { "x": note } } } })
    };
    let mut strict = form("strict", json!({ "type": "string" }));
    strict["properties"]["in"]["properties"]["y"] = json!({ "type": "integer" });
    let mut nullable = form("nullable", json!({ "type": ["string", "null"] }));
    nullable["properties"]["in"]["required"] = json!(["x"]);
    let schema = json!({ "type": "object", "properties": { "list": { "items": { "oneOf": [nullable, strict] } } } });
    let item = |kind: &str| json!({ "kind": kind, "note": null, "in": { "x": null, "y": null } });
    let args = json!({ "list": [item("strict"), item("nullable"), item("strict")] });
    let plain = |kind: &str, inner: Value| json!({ "kind": kind, "in": inner });
    let expected = json!({ "list": [plain("strict", json!({})), plain("nullable", json!({ "x": null })), plain("strict", json!({}))] });
    assert_eq!(completed(&schema, &args), expected);
}

/// A top-level union is declared flat: what only another alternative names is `null` when it is not meant.
#[test]
fn strict_nulls_of_other_forms_become_absent() {
    let schema = json!({ "type": "object", "oneOf": [
        { "properties": { "id": { "type": "string" } }, "required": ["id"], "additionalProperties": false },
        { "properties": { "name": { "type": "string" } }, "required": ["name"], "additionalProperties": false }
    ] });
    assert_eq!(completed(&schema, &json!({ "id": "x", "name": null })), json!({ "id": "x" }));
    assert_eq!(completed(&schema, &json!({ "id": null, "name": "x" })), json!({ "name": "x" }));
}

/// A `null` that the arguments as a whole take is one.
#[test]
fn a_null_that_fits_stays() {
    let schema = json!({ "properties": { "x": {} }, "anyOf": [
        { "properties": { "kind": { "const": 1 }, "x": { "type": "string" } } }, { "properties": { "kind": { "const": 2 } } }
    ] });
    assert_eq!(completed(&schema, &json!({ "kind": 2, "x": null })), json!({ "kind": 2, "x": null }));
    assert_eq!(completed(&schema, &json!({ "kind": 1, "x": null })), json!({ "kind": 1 }));
}

#[test]
fn clamps_lower_what_is_too_large() {
    let schema = json!({ "properties": { "top_k": { "type": "integer", "default": 10 }, "ratio": { "default": 0.5 }, "text": {} } });
    let clamps = [("top_k", 3.0), ("ratio", 0.25), ("text", 1.0), ("absent", 1.0)];

    let done = complete(&schema, r#"{"top_k" : 5e0, "text": "9"}"#, &clamps);
    assert_eq!(done.tape.text(), r#"{"top_k" : 3, "text": "9","ratio":0.25}"#);
    assert_eq!(
        serde_json::to_value(&done.clamped).unwrap(),
        json!([{ "path": "/ratio", "from": 0.5, "to": 0.25 }, { "path": "/top_k", "from": 5.0, "to": 3 }])
    );

    let done = complete(&schema, r#"{"top_k": 3, "ratio": -1}"#, &clamps);
    assert_eq!((done.changed, done.clamped.len()), (false, 0));
    let done =
        complete(&schema, r#"{"top_k": 1000000000000000000000, "ratio": 0}"#, &[("top_k", f64::NAN), ("top_k", 7.0)]);
    assert_eq!(done.tape.text(), r#"{"top_k": 7, "ratio": 0}"#);
    let done = complete(&json!({}), r#"{"inner":{"top_k":9}}"#, &clamps);
    assert!(!done.changed);
}

#[test]
fn untouched_text_is_handed_back_as_it_came() {
    let schema = json!({ "properties": { "a": { "default": 1 }, "b": { "type": ["null", "string"] } } });
    let text = "{ \"b\" : null,\n \"a\" : 1.0e0, \"c\": \"\\u0041\" }";
    let tape = Tape::parse(text, &Limits::widest()).unwrap();
    let address = tape.text().as_ptr();
    let done = ArgsSchema::compile(&schema).unwrap().complete(tape, &[Clamp { property: "a".into(), max: 9.0 }]);
    assert_eq!((done.tape.text(), done.changed), (text, false));
    assert_eq!(done.tape.text().as_ptr(), address, "not even copied");
}

#[test]
fn what_is_not_touched_keeps_its_text() {
    let schema = json!({ "properties": { "d": { "default": 1 }, "n": { "type": "string" } } });
    let done = complete(
        &schema,
        "{ \"big\": 123456789012345678901234567890, \"n\" :null, \"s\" : \"\\u00e9\", \"f\":1.10 }",
        &[],
    );
    assert_eq!(
        done.tape.text(),
        "{ \"big\": 123456789012345678901234567890, \"s\" : \"\\u00e9\", \"f\":1.10,\"d\":1 }"
    );
}

#[test]
fn arguments_that_are_no_object_are_left_alone() {
    let schema = json!({ "type": "object", "properties": { "a": { "default": 1 } } });
    for text in ["[]", "null", "\"x\"", "5", "[null]"] {
        assert!(!complete(&schema, text, &[("a", 0.0)]).changed, "{text}");
    }
}
