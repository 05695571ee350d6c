//! Completion never costs a valid call: arguments that are valid as received are valid afterwards, keep what the caller
//! wrote, and no issue names a place that the caller did not write.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops at what it did not expect"
)]

use serde_json::{Value, json};
use toolgate::json::{Limits, Tape};
use toolgate::schema::{ArgsSchema, Completed, Issue, NullReading};

fn complete(schema: &Value, args: &Value) -> Result<Completed, Vec<Issue>> {
    let tape = Tape::parse(args.to_string(), &Limits::for_arguments(1 << 20)).unwrap();
    ArgsSchema::compile(schema).unwrap().complete_and_validate(tape, &[], NullReading::StrictAsAbsent)
}

/// The completed arguments, and what was filled.
fn filled(schema: &Value, args: &Value) -> (Value, Vec<String>) {
    let done = complete(schema, args).unwrap_or_else(|issues| panic!("{schema}: {args}: {issues:?}"));
    (serde_json::from_str(done.tape.text()).unwrap(), done.defaulted)
}

/// Each keyword under which a default could make valid arguments invalid.
#[test]
fn harmful_defaults_are_left_out() {
    let five = json!({ "type": "integer", "default": 5 });
    let cases = [
        // (what stands beside the properties a, b; arguments; completed arguments)
        (json!({ "if": { "required": ["b"] }, "then": { "required": ["c"] } }), json!({}), json!({ "a": 5 })),
        (json!({ "dependentRequired": { "b": ["c"] } }), json!({}), json!({ "a": 5 })),
        (json!({ "maxProperties": 2 }), json!({ "x": 1 }), json!({ "x": 1, "a": 5 })),
        (json!({ "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }), json!({ "b": 1 }), json!({ "b": 1 })),
        (json!({ "not": { "required": ["b"] } }), json!({}), json!({ "a": 5 })),
        (json!({ "propertyNames": { "enum": ["b", "x"] } }), json!({ "x": 1 }), json!({ "x": 1, "b": 5 })),
        (json!({ "enum": [{ "x": 1 }, { "x": 1, "b": 5 }] }), json!({ "x": 1 }), json!({ "x": 1, "b": 5 })),
        (json!({ "const": { "x": 1 } }), json!({ "x": 1 }), json!({ "x": 1 })),
        (json!({}), json!({}), json!({ "a": 5, "b": 5 })),
    ];
    for (beside, args, expected) in cases {
        let mut schema = json!({ "type": "object", "properties": { "a": five, "b": five } });
        schema.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
        assert_eq!(filled(&schema, &args).0, expected, "{beside}");
    }
}

#[test]
fn harmful_defaults_in_arrays_are_left_out() {
    let item = json!({ "type": "object", "properties": { "n": { "default": 1 } } });
    let unique = json!({ "type": "object", "properties": {
        "list": { "type": "array", "uniqueItems": true, "items": item }
    } });
    let (done, defaulted) = filled(&unique, &json!({ "list": [{}, { "n": 1 }] }));
    assert_eq!(done, json!({ "list": [{}, { "n": 1 }] }));
    assert!(defaulted.is_empty());
    let contains = json!({ "type": "object", "properties": {
        "list": { "type": "array", "items": item, "contains": { "required": ["n"] }, "maxContains": 1 }
    } });
    assert_eq!(filled(&contains, &json!({ "list": [{}, {}, { "n": 2 }] })).0, json!({ "list": [{}, {}, { "n": 2 }] }));
}

/// A default may be needed for another one, and for what is required.
#[test]
fn the_largest_set_is_filled() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "default": 1 }, "b": { "default": 2 }, "c": { "default": 3 }
    }, "required": ["c"], "dependentRequired": { "a": ["b"], "b": ["a"] }, "maxProperties": 3 });
    assert_eq!(filled(&schema, &json!({ "x": 0 })), (json!({ "x": 0, "c": 3 }), vec!["/c".to_owned()]));
    assert_eq!(filled(&schema, &json!({})).0, json!({ "a": 1, "b": 2, "c": 3 }));
}

#[test]
fn valid_arguments_keep_their_nulls() {
    let cases = [
        // A discriminated union with an untyped branch.
        (
            json!({ "type": "object", "oneOf": [
                { "properties": { "kind": { "const": "a" }, "x": { "type": "string" } }, "required": ["kind"] },
                { "properties": { "kind": { "const": "b" } }, "required": ["kind", "x"] }
            ] }),
            json!({ "kind": "b", "x": null }),
        ),
        // `if` on a nullable property.
        (
            json!({ "type": "object", "properties": { "x": {} },
                "if": { "properties": { "x": { "type": "string" } }, "required": ["x"] },
                "then": { "required": ["y"] }, "else": { "required": ["x"] } }),
            json!({ "x": null }),
        ),
        // Elements that are counted by what they hold.
        (
            json!({ "type": "object", "properties": { "list": { "type": "array",
                "contains": { "properties": { "x": { "type": "string" } } }, "minContains": 0, "maxContains": 1 } } }),
            json!({ "list": [{ "x": null }, { "x": null }] }),
        ),
        // Values that are compared as a whole, beside a `then` that does not apply.
        (
            json!({ "type": "object", "properties": { "o": { "enum": [{ "x": null }] } },
                "if": { "required": ["z"] },
                "then": { "properties": { "o": { "properties": { "x": { "type": "string" } } } } } }),
            json!({ "o": { "x": null } }),
        ),
    ];
    for (schema, args) in cases {
        let came = Tape::parse(args.to_string(), &Limits::widest()).unwrap();
        assert!(ArgsSchema::compile(&schema).unwrap().validate(&came).is_ok(), "{schema}: {args}");
        assert_eq!(filled(&schema, &args).0, args, "{schema}");
    }
}

/// The model is not blamed for arguments that it did not send.
#[test]
fn issues_name_only_what_the_caller_wrote() {
    let schema = json!({ "type": "object", "properties": {
        "wrong": { "type": "string" }, "a": { "default": 1 }, "b": { "default": 2 }
    }, "required": ["wrong", "a"], "dependentRequired": { "b": ["c"] }, "maxProperties": 1 });
    let issues = complete(&schema, &json!({ "wrong": 7 })).unwrap_err();
    let places: Vec<_> = issues.iter().map(|issue| (issue.instance_path.as_str(), issue.keyword.as_str())).collect();
    assert_eq!(places, [("/wrong", "type")]);
}
