//! The messages about wrong values.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use toolgate::json::{Limits, Tape};
use toolgate::schema::{CompiledSchema, Issue, MAX_ISSUES, SchemaError};

fn issues(schema: &Value, value: &Value) -> Vec<Issue> {
    let tape = Tape::parse(value.to_string(), &Limits::widest()).unwrap();
    CompiledSchema::compile(schema).unwrap().validate(tape.root()).err().unwrap_or_default()
}

/// Path, schema path, keyword, parameters and message of each issue.
fn told(schema: &Value, value: &Value) -> Value {
    serde_json::to_value(issues(schema, value)).unwrap()
}

fn messages(schema: &Value, value: &Value) -> Vec<String> {
    issues(schema, value).into_iter().map(|issue| issue.message).collect()
}

#[test]
fn an_issue_is_what_ajv_would_give_and_a_message() {
    let schema = json!({ "properties": { "o": { "$ref": "#/$defs/o" } }, "$defs": { "o": { "properties": { "a/b": { "type": ["integer", "null"] } } } } });
    assert_eq!(
        told(&schema, &json!({ "o": { "a/b": "5" } })),
        json!([{
            "instancePath": "/o/a~1b",
            "schemaPath": "#/$defs/o/properties/a~1b/type",
            "keyword": "type",
            "params": { "type": ["integer", "null"] },
            "message": "`/o/a~1b` must be an integer or null, not the string `\"5\"`; send the number without quotes"
        }])
    );
}

/// A fixture a line: the schema of a property `v`, its value, and the one issue that there is.
#[test]
fn every_keyword_has_its_parameters_and_message() {
    for line in include_str!("fixtures/schema/messages.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let told = issues(&json!({ "properties": { "v": case["schema"] } }), &json!({ "v": case["value"] }));
        assert_eq!(told.len(), 1, "{line}: {told:?}");
        let told = json!({ "keyword": told[0].keyword, "params": told[0].params, "message": told[0].message });
        let expected = json!({ "keyword": case["keyword"], "params": case["params"], "message": case["message"] });
        assert_eq!(told, expected, "{line}");
    }
}

#[test]
fn at_the_root_nothing_is_said_about_where() {
    let schema = json!({ "type": "object", "required": ["title"], "properties": { "title": {} }, "additionalProperties": false });
    assert_eq!(messages(&schema, &json!([])), ["the value must be an object, not an array"]);
    assert_eq!(
        messages(&schema, &json!({ "titel": 1 })),
        [
            "there is no property `titel`; did you mean `title`?",
            "the required property `title` is missing; rename `titel`, which is not known"
        ]
    );
}

#[test]
fn the_nearest_of_several_forms_is_explained() {
    let schema = json!({ "properties": { "p": { "anyOf": [
        { "type": "string" },
        { "type": "object", "properties": { "kind": { "const": "a" }, "v": { "type": "string" } }, "required": ["kind", "v"] },
        { "type": "object", "properties": { "kind": { "const": "b" }, "w": { "type": "integer" } }, "required": ["kind", "w"] }
    ] } } });
    let told = issues(&schema, &json!({ "p": { "kind": "b", "w": "1" } }));
    let paths: Vec<_> = told.iter().map(|issue| (issue.instance_path.as_str(), issue.schema_path.as_str())).collect();
    assert_eq!(paths, [("/p", "#/properties/p/anyOf"), ("/p/w", "#/properties/p/anyOf/2/properties/w/type")]);
    assert_eq!(told[0].message, "`/p` fits none of the 3 allowed forms; the nearest is form 3");
}

#[test]
fn long_values_and_names_are_cut() {
    let long = "x".repeat(100_000);
    let schema = json!({ "properties": { "a": { "type": "integer" }, "b": { "enum": (0..500).collect::<Vec<_>>() } }, "additionalProperties": false });
    let told = issues(&schema, &json!({ "a": long.clone(), "b": long.clone(), (long): 1 }));
    assert_eq!(told.len(), 3);
    for issue in told {
        assert!(issue.message.len() < 500 && issue.params.to_string().len() < 500, "{issue:?}");
    }
}

#[test]
fn many_issues_are_counted_not_told() {
    let schema = json!({ "items": { "type": "string" } });
    let told = issues(&schema, &json!((0..1000).collect::<Vec<_>>()));
    assert_eq!(told.len(), MAX_ISSUES + 1);
    let last = told.last().unwrap();
    assert_eq!(last.params, json!({ "count": 1000 - MAX_ISSUES }));
    assert_eq!(last.message, "there are 900 more errors; correct these first");
}

#[test]
fn schemas_that_cannot_be_compiled_say_where_and_why() {
    let told = |schema: Value| CompiledSchema::compile(&schema).unwrap_err().to_string();
    assert_eq!(
        told(json!({ "properties": { "a": { "patternProperties": { "^(?=a)": true } } } })),
        "the pattern \"^(?=a)\" at `#/properties/a/patternProperties/^(?=a)` cannot be compiled: names of properties are matched \
         in linear time, which look-around, back-references and very large numbers of repetitions do not allow"
    );
    assert!(
        told(json!({ "properties": { "a": { "type": "strin" } } }))
            .starts_with("the schema is not valid at `#/properties/a/type`: ")
    );
    for (schema, start) in [
        (json!({ "$ref": "#/$defs/none" }), "the reference at `#/$ref` does not resolve: "),
        (
            json!({ "properties": { "a": { "$ref": "#/properties" }, "b/c": { "items": { "$ref": "#/$defs/none" } } } }),
            "the reference at `#/properties/b~1c/items/$ref` does not resolve: ",
        ),
        (
            json!({ "anyOf": [{}, { "$ref": "https://example.com/a.json" }] }),
            "the reference at `#/anyOf/1/$ref` does not resolve: ",
        ),
        (
            json!({ "properties": { "x": { "$dynamicRef": "#none" } } }),
            "the reference at `#/properties/x/$dynamicRef` does not resolve: ",
        ),
    ] {
        assert!(told(schema.clone()).starts_with(start), "{schema}: {}", told(schema.clone()));
    }
    assert!(told(json!({ "$ref": "https://example.com/a.json" })).contains("remote references are not fetched"));
    assert!(matches!(
        CompiledSchema::compile(&json!({ "$schema": "https://example.com/dialect" })),
        Err(SchemaError::UnknownDialect { .. })
    ));
}
