//! Values under `"x-sensitive": true`: never in messages, never in logs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use toolgate::json::{Limits, Tape};
use toolgate::schema::{ArgsSchema, CompiledSchema, Issue};

fn issues(schema: &Value, value: &Value) -> Vec<Issue> {
    let tape = Tape::parse(value.to_string(), &Limits::widest()).unwrap();
    CompiledSchema::compile(schema).unwrap().validate(tape.root()).err().unwrap_or_default()
}

fn secret_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "user": { "type": "string" },
            "password": { "type": "string", "x-sensitive": true, "minLength": 20, "maxLength": 5, "pattern": "^z", "format": "email", "enum": ["secret-2"], "const": "y", "not": { "type": "string" } },
            "number": { "type": "integer", "x-sensitive": true, "minimum": 500, "multipleOf": 1000 },
            "bag": { "x-sensitive": true, "additionalProperties": { "type": "integer" }, "propertyNames": { "pattern": "^q" }, "required": ["secret0"], "maxProperties": 0 },
            "closed": { "x-sensitive": true, "properties": { "a": {} }, "additionalProperties": false },
            "list": { "type": "array", "uniqueItems": true, "contains": { "const": 1 }, "items": { "x-sensitive": true, "type": "integer" } },
            "form": { "anyOf": [{ "type": "integer" }, { "properties": { "token": { "x-sensitive": true, "type": "integer" } }, "required": ["token", "z"] }] },
            "there": { "$ref": "#/$defs/key" }
        },
        "$defs": { "key": { "x-sensitive": true, "type": "integer" } }
    })
}

fn secrets() -> Value {
    json!({
        "user": "ann", "password": "secret-1", "number": 4_242_424, "bag": { "secret-3": "secret-4" }, "closed": { "secret-5": 1 },
        "list": ["secret-6", "secret-6"], "form": { "token": "secret-7" }, "there": "secret-8", "pasword": "secret-9"
    })
}

#[test]
fn nothing_sensitive_is_told() {
    let told = issues(&secret_schema(), &secrets());
    assert!(told.len() > 15, "{told:?}");
    for issue in told {
        let text = serde_json::to_string(&issue).unwrap();
        // The schema's own words may appear; they are not the user's.
        let text = text.replace("secret-2", "").replace("secret0", "");
        assert!(!text.contains("secret") && !text.contains("4242424"), "{text}");
    }
}

#[test]
fn nothing_sensitive_is_left_by_masking() {
    let args = ArgsSchema::compile(&secret_schema()).unwrap();
    assert!(args.has_sensitive());
    let mask = |value: &Value| args.mask(&Tape::parse(value.to_string(), &Limits::widest()).unwrap());
    let masked: Value = serde_json::from_str(&mask(&secrets())).unwrap();
    assert_eq!(
        masked,
        json!({
            "user": "ann", "password": "***", "number": "***", "bag": "***", "closed": "***", "list": ["***", "***"],
            "form": { "token": "***" }, "there": "***", "pasword": "***"
        })
    );
    // A model that sends the secret in place of the arguments, or the arguments as a string.
    assert_eq!(mask(&json!("secret")), "\"***\"");
    assert_eq!(mask(&json!("{\"password\":\"secret\"}")), "\"***\"");
    assert!(issues(&secret_schema(), &json!("secret")).iter().all(|issue| !issue.message.contains("secret")));
}

#[test]
fn without_sensitive_parameters_nothing_is_masked() {
    let args = ArgsSchema::compile(&json!({ "properties": { "a": {} } })).unwrap();
    assert!(!args.has_sensitive());
    assert_eq!(args.mask(&Tape::parse(r#"{ "a" : 1 }"#, &Limits::widest()).unwrap()), r#"{ "a" : 1 }"#);
}

#[test]
fn a_sensitive_schema_is_found_through_every_keyword_and_recursion() {
    let secret = json!({ "x-sensitive": true });
    for (schema, value, masked) in [
        (json!({ "allOf": [{ "properties": { "a": secret } }] }), json!({ "a": 1 }), json!({ "a": "***" })),
        (json!({ "oneOf": [{ "properties": { "a": secret } }] }), json!({ "a": 1 }), json!({ "a": "***" })),
        (json!({ "if": true, "then": { "properties": { "a": secret } } }), json!({ "a": 1 }), json!({ "a": "***" })),
        (
            json!({ "dependentSchemas": { "b": { "properties": { "a": secret } } } }),
            json!({ "a": 1 }),
            json!({ "a": "***" }),
        ),
        (json!({ "patternProperties": { "^a": secret } }), json!({ "a": 1, "b": 2 }), json!({ "a": "***", "b": 2 })),
        (json!({ "additionalProperties": secret }), json!({ "a": 1 }), json!({ "a": "***" })),
        (json!({ "unevaluatedProperties": secret }), json!({ "a": 1 }), json!({ "a": "***" })),
        (json!({ "prefixItems": [{}, secret] }), json!([1, 2, 3]), json!([1, "***", 3])),
        (json!({ "contains": secret }), json!([1]), json!(["***"])),
        (
            json!({ "$ref": "#/$defs/n", "$defs": { "n": { "properties": { "k": { "items": { "$ref": "#/$defs/n" } }, "s": secret } } } }),
            json!({ "k": [{ "s": 1, "k": [{ "s": 2 }] }] }),
            json!({ "k": [{ "s": "***", "k": [{ "s": "***" }] }] }),
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "properties": { "a": { "$ref": "#/definitions/d", "x-sensitive": true } }, "definitions": { "d": {} } }),
            json!({ "a": 1 }),
            json!({ "a": "***" }),
        ),
    ] {
        let args = ArgsSchema::compile(&schema).unwrap();
        let text = args.mask(&Tape::parse(value.to_string(), &Limits::widest()).unwrap());
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), masked, "{schema}");
    }
}

#[test]
fn what_may_be_a_misspelt_secret_is_masked_too() {
    for (password, definitions) in [
        (json!({ "x-sensitive": true }), json!({})),
        (json!({ "$ref": "#/$defs/secret" }), json!({ "secret": { "allOf": [{ "x-sensitive": true }] } })),
    ] {
        let schema = json!({
            "properties": { "login": { "properties": { "password": password, "user": {} } }, "note": {} },
            "$defs": definitions
        });
        let args = ArgsSchema::compile(&schema).unwrap();
        let tape = Tape::parse(r#"{"login":{"pasword":"x","user":"u"},"other":"o"}"#, &Limits::widest()).unwrap();
        assert_eq!(args.mask(&tape), r#"{"login":{"pasword":"***","user":"u"},"other":"o"}"#);
    }
}
