//! Values of recursive schemas: errors are exact, and never at a cost that doubles with every level.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use toolgate::json::{Limits, Tape};
use toolgate::schema::{CompiledSchema, Issue, MAX_ISSUES};

fn issues(schema: &Value, text: &str) -> Vec<Issue> {
    let tape = Tape::parse(text, &Limits::widest()).unwrap();
    CompiledSchema::compile(schema).unwrap().validate(tape.root()).err().unwrap_or_default()
}

/// A filter as tools have it: three kinds of node that hold nodes, all with the same property names.
fn filter() -> Value {
    json!({
        "type": "object",
        "properties": { "where": { "$ref": "#/$defs/node" } },
        "$defs": {
            "node": { "anyOf": [
                { "$ref": "#/$defs/leaf" },
                { "$ref": "#/$defs/group" },
                { "type": "object", "properties": { "op": { "const": "not" }, "of": { "$ref": "#/$defs/node" } }, "required": ["op", "of"], "additionalProperties": false }
            ] },
            "leaf": { "type": "object", "properties": { "field": { "type": "string" }, "is": { "type": "integer" } }, "required": ["field", "is"], "additionalProperties": false },
            "group": { "type": "object", "properties": { "op": { "enum": ["and", "or"] }, "of": { "type": "array", "items": { "$ref": "#/$defs/node" } } }, "required": ["op", "of"], "additionalProperties": false }
        }
    })
}

#[test]
fn the_place_is_found_through_every_level() {
    let args = json!({ "where": { "op": "and", "of": [
        { "field": "a", "is": 1 },
        { "op": "not", "of": { "op": "or", "of": [{ "field": "b", "is": "2" }, { "field": "c", "is": 3 }] } }
    ] } });
    let told = issues(&filter(), &args.to_string());
    let last = told.last().unwrap();
    assert_eq!(last.instance_path, "/where/of/1/of/of/0/is");
    assert_eq!(last.schema_path, "#/$defs/leaf/properties/is/type");
    assert_eq!(
        last.message,
        "`/where/of/1/of/of/0/is` must be an integer, not the string `\"2\"`; send the number without quotes"
    );
    let ways: Vec<_> = told.iter().map(|issue| issue.message.rsplit("; ").next().unwrap()).collect();
    assert_eq!(
        ways,
        [
            "the nearest is form 2",
            "the nearest is form 3",
            "the nearest is form 2",
            "the nearest is form 1",
            "send the number without quotes"
        ]
    );
}

#[test]
fn what_fits_no_kind_of_node_is_told_by_type() {
    let told = issues(&filter(), r#"{"where":5}"#);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].message, "`/where` must be an object, not the number `5`");
}

/// Explained to the bottom in every alternative this would be 3^60 errors.
#[test]
fn depth_does_not_multiply_the_work() {
    let depth = 60;
    let text = format!(r#"{{"where":{}{{"field":1}}{}}}"#, r#"{"op":"not","of":"#.repeat(depth), "}".repeat(depth));
    let told = issues(&filter(), &text);
    let deepest = format!("/where{}", "/of".repeat(depth));
    assert!(told.iter().any(|issue| issue.instance_path == deepest && issue.keyword == "required"), "{told:?}");
}

/// The same where recursion cannot be cut: where a dynamic reference leads depends on the way to it.
#[test]
fn work_is_bounded_where_recursion_is_dynamic() {
    let schema = json!({
        "$dynamicAnchor": "node",
        "anyOf": [
            { "type": "number" },
            { "type": "object", "properties": { "a": { "$dynamicRef": "#node" }, "b": { "type": "string" } }, "required": ["x"] },
            { "type": "object", "properties": { "a": { "$dynamicRef": "#node" } }, "required": ["y"] }
        ]
    });
    let told = issues(&schema, &format!("{}1{}", r#"{"a":"#.repeat(60), "}".repeat(60)));
    assert_eq!(told.len(), 1);
    assert_eq!(
        told[0].message,
        "the value does not fit the schema, with more errors than can be listed; send less at once"
    );
}

#[test]
fn of_far_too_many_errors_the_first_is_told() {
    let text = format!("[{}]", vec!["1"; 200_000].join(","));
    let told = issues(&json!({ "items": { "type": "string" } }), &text);
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].instance_path, "/0");
    assert_eq!(told[1].message, "there are many more errors; correct this one first");
    // Below the bound all are counted.
    let text = format!("[{}]", vec!["1"; 5000].join(","));
    let told = issues(&json!({ "items": { "type": "string" } }), &text);
    assert_eq!(told.len(), MAX_ISSUES + 1);
}

#[test]
fn references_that_go_in_a_circle_are_told_once() {
    let schema = json!({
        "$ref": "#/$defs/a",
        "$defs": {
            "a": { "anyOf": [{ "$ref": "#/$defs/b" }, { "type": "string" }] },
            "b": { "allOf": [{ "$ref": "#/$defs/a" }, { "type": "object", "properties": { "n": { "$ref": "#/$defs/a" } } }] }
        }
    });
    assert_eq!(issues(&schema, "\"x\""), []);
    let told = issues(&schema, "[1]");
    assert!(!told.is_empty() && told.len() < 10, "{told:?}");
    let told = issues(&schema, r#"{"n":[1]}"#);
    assert!(!told.is_empty() && told.len() < 20, "{told:?}");
}

/// Up to draft 7 nothing beside a `$ref` counts, also if it has been cut.
#[test]
fn old_drafts_are_cut_as_they_are_read() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": { "n": { "$ref": "#", "type": "string", "minLength": 9 }, "v": { "type": "integer" } },
        "additionalProperties": false
    });
    let told = issues(&schema, r#"{"n":{"n":{"v":"1"}}}"#);
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].instance_path.as_str(), told[0].keyword.as_str()), ("/n/n/v", "type"));
}

#[test]
fn sensitive_values_stay_hidden_beyond_a_cut() {
    let schema = json!({
        "type": "object",
        "properties": { "n": { "$ref": "#" }, "pin": { "type": "integer", "x-sensitive": true } },
        "additionalProperties": false
    });
    let told = issues(&schema, r#"{"n":{"n":{"pin":"secret","pim":"secret"}}}"#);
    assert_eq!(told.len(), 2);
    assert!(!format!("{told:?}").contains("secret"));
}
