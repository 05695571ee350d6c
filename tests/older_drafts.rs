//! Older drafts rewritten as 2020-12 take and refuse the same values: against the test suites of the drafts where they
//! are at hand, and against a validator that knows every draft on schemas made up at random.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod corpus;

use std::path::Path;

use jsonschema::{Draft as Oracle, PatternOptions, Validator};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use toolgate::compile::{UpgradeNoteKind, upgrade_schema};

const DRAFTS: [(&str, Oracle, &str); 5] = [
    ("draft4", Oracle::Draft4, "http://json-schema.org/draft-04/schema#"),
    ("draft6", Oracle::Draft6, "http://json-schema.org/draft-06/schema#"),
    ("draft7", Oracle::Draft7, "http://json-schema.org/draft-07/schema#"),
    ("draft2019-09", Oracle::Draft201909, "https://json-schema.org/draft/2019-09/schema"),
    ("draft2020-12", Oracle::Draft202012, "https://json-schema.org/draft/2020-12/schema"),
];

fn validator(schema: &Value, draft: Oracle) -> Option<Validator> {
    let options = jsonschema::options().with_draft(draft).should_validate_formats(false).offline();
    options.with_pattern_options(PatternOptions::fancy_regex()).build(schema).ok()
}

/// The schema with its draft declared.
fn declared(schema: &Value, named: &str) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(members) = &mut schema {
        members.entry("$schema").or_insert_with(|| json!(named));
    }
    schema
}

#[derive(Default)]
struct Score {
    same: usize,
    skipped: usize,
    wrong: Vec<String>,
}

/// Keywords of which one validator asserts more than the drafts ask for: in draft-06 and draft-07 it looks into texts.
fn is_asserted_by_the_oracle_alone(name: &str) -> bool {
    name.contains("content.json") || name.contains("zeroTerminatedFloats")
}

/// A document that every validator brings along; a rewritten schema that refers to it has its own test.
fn refers_to_a_meta_schema(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(name, value)| match value {
            Value::String(target) => name == "$ref" && target.contains("//json-schema.org/"),
            inner => refers_to_a_meta_schema(inner),
        }),
        Value::Array(items) => items.iter().any(refers_to_a_meta_schema),
        _ => false,
    }
}

fn run(name: &str, path: &Path, (oracle, named): (Oracle, &str), score: &mut Score) {
    for group in corpus::json(path).as_array().unwrap() {
        let tests = group["tests"].as_array().unwrap();
        let schema = declared(&group["schema"], named);
        // Of another dialect, or of documents that are elsewhere.
        let left_out = is_asserted_by_the_oracle_alone(name) || refers_to_a_meta_schema(&schema);
        let Some(own) = validator(&schema, oracle).filter(|_| !left_out) else {
            score.skipped += tests.len();
            continue;
        };
        let upgraded = upgrade_schema(&schema);
        let title = format!("{name}: {}", group["description"]);
        let Some(rewritten) = validator(&upgraded.schema, Oracle::Draft202012) else {
            score.wrong.push(format!("{title}: {} does not compile", upgraded.schema));
            continue;
        };
        for test in tests {
            if own.is_valid(&test["data"]) == rewritten.is_valid(&test["data"]) {
                score.same += 1;
            } else {
                score.wrong.push(format!("{title}: {}: {}", test["description"], upgraded.schema));
            }
        }
    }
}

#[test]
fn the_suites_of_all_drafts_come_out_the_same() {
    let mut wrong = Vec::new();
    for (folder, oracle, named) in DRAFTS {
        let Some(folder_path) = corpus::optional(&format!("json-schema-test-suite/{folder}")) else { continue };
        let mut score = Score::default();
        for (name, path) in corpus::files(&folder_path) {
            run(&format!("{folder}/{name}"), &path, (oracle, named), &mut score);
        }
        println!("{folder}: {} the same, {} of other documents or dialects", score.same, score.skipped);
        assert!(score.same > 500, "only {}", score.same);
        wrong.extend(score.wrong);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A keyword with a value that bears on it; some of them mean nothing in some drafts.
fn keyword(inner: &BoxedStrategy<Value>, draft: Oracle) -> BoxedStrategy<(String, Value)> {
    let named = |name: &'static str, value: BoxedStrategy<Value>| value.prop_map(move |v| (name.to_owned(), v)).boxed();
    let number = (0..4i64).prop_map(|n| json!(n)).boxed();
    let required = vec(select(vec!["a", "b", "c"]), 1..3).prop_map(|mut names| {
        names.sort_unstable();
        names.dedup();
        json!(names)
    });
    let list = vec(inner.clone(), 1..3).prop_map(Value::from).boxed();
    let by_name =
        (select(vec!["a", "b", "c"]), inner.clone()).prop_map(|(name, schema)| json!({ name: schema })).boxed();
    let dependency = prop_oneof![required.clone().boxed(), inner.clone()];
    let dependencies = (select(vec!["a", "b"]), dependency).prop_map(|(name, what)| json!({ name: what })).boxed();
    let mut all = vec![
        named(
            "type",
            select(vec![json!("string"), json!("integer"), json!("object"), json!(["array", "null"])]).boxed(),
        ),
        named("minLength", number.clone()),
        named("minItems", number.clone()),
        named("maxProperties", number.clone()),
        named("required", required.boxed()),
        named("enum", Just(json!([1, "a", null, [1], { "a": 1 }])).boxed()),
        named("uniqueItems", any::<bool>().prop_map(Value::from).boxed()),
        named("properties", by_name.clone()),
        named("patternProperties", inner.clone().prop_map(|schema| json!({ "^[ab]$": schema })).boxed()),
        named("additionalProperties", inner.clone()),
        named("items", inner.clone()),
        named("items", list.clone()),
        named("additionalItems", inner.clone()),
        named("dependencies", dependencies),
        named("allOf", list.clone()),
        named("anyOf", list.clone()),
        named("oneOf", list),
        named("not", inner.clone()),
        // Each of these came with a later draft than the first.
        named("const", Just(json!(1)).boxed()),
        named("contains", inner.clone()),
        named("propertyNames", number.clone().prop_map(|n| json!({ "maxLength": n })).boxed()),
        named("if", inner.clone()),
        named("then", inner.clone()),
        named("dependentRequired", Just(json!({ "a": ["b"] })).boxed()),
        named("dependentSchemas", by_name),
        named("minContains", number.clone()),
        named("unevaluatedItems", Just(json!(false)).boxed()),
        named("unevaluatedProperties", Just(json!(false)).boxed()),
        named(
            "$ref",
            select(vec!["#", "#/definitions/one", "#/definitions/two/items/0", "#/definitions/two"])
                .prop_map(Value::from)
                .boxed(),
        ),
    ];
    let bound = prop_oneof![number.clone(), any::<bool>().prop_map(Value::from)].boxed();
    let exclusive = if draft == Oracle::Draft4 { bound } else { number.clone() };
    all.push(named("minimum", number));
    all.push(named("exclusiveMinimum", exclusive));
    proptest::strategy::Union::new(all).boxed()
}

fn schema(draft: Oracle, depth: u32) -> BoxedStrategy<Value> {
    let leaf = select(vec![json!({}), json!({ "type": "string" }), json!({ "type": "integer" })]).boxed();
    if depth == 0 {
        return leaf;
    }
    let inner = prop_oneof![leaf, schema(draft, depth - 1)].boxed();
    vec(keyword(&inner, draft), 1..5)
        .prop_map(|keywords| keywords.into_iter().collect::<serde_json::Map<_, _>>().into())
        .boxed()
}

fn value(depth: u32) -> BoxedStrategy<Value> {
    let leaf = select(vec![json!(null), json!(0), json!(1), json!(3), json!(""), json!("abc"), json!(true)]).boxed();
    if depth == 0 {
        return leaf;
    }
    let inner = value(depth - 1);
    let object =
        proptest::collection::btree_map(select(vec!["a", "b", "c"]).prop_map(str::to_owned), inner.clone(), 0..3);
    let object = object.prop_map(|members| json!(members));
    prop_oneof![leaf, vec(inner, 0..4).prop_map(Value::from), object].boxed()
}

/// A schema of a draft with definitions to refer to, one of them where a later draft has another keyword.
fn document(draft: Oracle, named: &'static str) -> BoxedStrategy<Value> {
    let parts = (schema(draft, 2), schema(draft, 1), schema(draft, 1));
    let document = parts.prop_map(move |(mut root, one, two)| {
        let members = root.as_object_mut().unwrap();
        members.insert("$schema".to_owned(), json!(named));
        members.insert("definitions".to_owned(), json!({ "one": one, "two": { "items": [two] } }));
        root
    });
    document.boxed()
}

/// Whether checking a value may never end: a validator must not be asked about such a schema.
fn refers(schema: &Value) -> bool {
    schema.to_string().contains(r##""$ref":"#""##) || schema["definitions"].to_string().contains("$ref")
}

/// Where this validator and a draft's rewritten schemas differ about what is unevaluated. In 2019-09 `unevaluatedItems` does
/// not look at `contains` (Core, 9.3.1.3); this validator does as in 2020-12. `dependencies` is no keyword of that draft's any
/// more, and nothing says whether what it looks at is evaluated: this validator thinks not, and it is with the keyword that
/// took its place.
fn is_evaluated_otherwise(schema: &Value) -> bool {
    let text = schema.to_string();
    let both = |one: &str, other: &str| text.contains(one) && text.contains(other);
    both("unevaluatedItems", "contains") || both("unevaluatedProperties", "dependencies")
}

#[test]
fn random_schemas_take_the_same_values() {
    let mut asked = 0;
    for (_, oracle, named) in DRAFTS {
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(1_500)
        });
        let cases = (document(oracle, named), vec(value(2), 12));
        let outcome = runner.run(&cases, |(schema, values)| {
            let unlike = oracle == Oracle::Draft201909 && is_evaluated_otherwise(&schema);
            prop_assume!(!refers(&schema) && !unlike);
            let Some(own) = validator(&schema, oracle) else { return Ok(()) };
            let rewritten = upgrade_schema(&schema).schema;
            let Some(modern) = validator(&rewritten, Oracle::Draft202012) else {
                return Err(TestCaseError::fail(format!("{schema}\nas {rewritten}\ndoes not compile")));
            };
            for value in values {
                let said = format!("{value} under {schema}\nas {rewritten}");
                prop_assert_eq!(own.is_valid(&value), modern.is_valid(&value), "{}", said);
            }
            Ok(())
        });
        assert!(outcome.is_ok(), "{named}: {}", outcome.unwrap_err());
        asked += 1;
    }
    assert_eq!(asked, DRAFTS.len());
}

/// What comes out, word for word.
#[test]
fn each_rule_has_its_form() {
    let seven = "http://json-schema.org/draft-07/schema#";
    let four = "http://json-schema.org/draft-04/schema#";
    let nineteen = "https://json-schema.org/draft/2019-09/schema";
    let cases = [
        (json!({ "$schema": four, "minimum": 1, "exclusiveMinimum": true }), json!({ "exclusiveMinimum": 1 })),
        (json!({ "$schema": four, "maximum": 1, "exclusiveMaximum": false }), json!({ "maximum": 1 })),
        (
            json!({ "$schema": seven, "items": [{ "type": "string" }], "additionalItems": false }),
            json!({ "prefixItems": [{ "type": "string" }], "items": false }),
        ),
        (json!({ "$schema": seven, "items": {}, "additionalItems": false }), json!({ "items": {} })),
        (
            json!({ "$schema": seven, "dependencies": { "a": ["b"], "c": { "minProperties": 2 } } }),
            json!({ "dependentRequired": { "a": ["b"] }, "dependentSchemas": { "c": { "minProperties": 2 } } }),
        ),
        (
            json!({ "$schema": seven, "properties": { "a": { "$ref": "#/definitions/x/items/0", "minLength": 2, "description": "A." } },
                    "definitions": { "x": { "items": [true] } } }),
            json!({ "properties": { "a": { "$ref": "#/definitions/x/prefixItems/0", "description": "A." } },
                    "definitions": { "x": { "prefixItems": [true] } } }),
        ),
        (
            json!({ "$schema": seven, "$id": "https://example.com/tool.json", "properties": { "a": { "$ref": "tool.json#/definitions/x" }, "b": { "$ref": "#named" } },
                    "definitions": { "x": { "$id": "#named" } } }),
            json!({ "properties": { "a": { "$ref": "#/definitions/x" }, "b": { "$ref": "#/definitions/x" } }, "definitions": { "x": {} } }),
        ),
        (
            json!({ "$schema": nineteen, "$recursiveAnchor": true, "properties": { "child": { "$recursiveRef": "#" } } }),
            json!({ "properties": { "child": { "$ref": "#" } } }),
        ),
        (
            json!({ "$schema": nineteen, "contains": { "items": [true] }, "unevaluatedItems": false }),
            json!({ "unevaluatedItems": false, "allOf": [{ "not": { "not": { "contains": { "prefixItems": [true] } } } }] }),
        ),
        // Both dependencies of a name hold, and a reference finds the one that moved.
        (
            json!({ "$schema": nineteen, "dependentSchemas": { "a": { "minProperties": 2 } }, "dependentRequired": { "b": ["a"] },
                    "dependencies": { "a": { "maxProperties": 3 }, "b": ["c"] }, "allOf": [{ "$ref": "#/dependencies/a" }] }),
            json!({ "dependentSchemas": { "a": { "minProperties": 2 } }, "dependentRequired": { "b": ["a"] },
                    "allOf": [{ "$ref": "#/allOf/1/dependentSchemas/a" }, { "dependentSchemas": { "a": { "maxProperties": 3 } } },
                              { "dependentRequired": { "b": ["c"] } }] }),
        ),
        // A reference to what the draft leaves out still finds it.
        (
            json!({ "$schema": seven, "properties": { "a": { "$ref": "#/prefixItems/0" } }, "prefixItems": [{ "type": "string" }] }),
            json!({ "properties": { "a": { "$ref": "#/$defs/kept_0" } }, "$defs": { "kept_0": { "type": "string" } } }),
        ),
        // What is no schema is left alone.
        (
            json!({ "$schema": four, "properties": { "id": { "type": "string" } }, "default": { "items": [1] }, "enum": [{ "id": "x" }] }),
            json!({ "properties": { "id": { "type": "string" } }, "default": { "items": [1] }, "enum": [{ "id": "x" }] }),
        ),
        (json!({ "$ref": "https://example.com/gone.json" }), json!({ "$ref": "https://example.com/gone.json" })),
    ];
    for (schema, expected) in cases {
        assert_eq!(upgrade_schema(&schema).schema, expected, "{schema}");
    }
}

#[test]
fn what_is_left_out_is_noted_where_it_stood() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{ "dependentRequired": { "a": ["b"] } }, { "$ref": "#", "minLength": 1, "title": "Kept" }]
    });
    let notes: Vec<_> = upgrade_schema(&schema).notes.into_iter().map(|note| (note.pointer, note.kind)).collect();
    let expected = [
        (
            "/items/0/dependentRequired".to_owned(),
            UpgradeNoteKind::NewerKeyword { keyword: "dependentRequired".to_owned() },
        ),
        ("/items/1/minLength".to_owned(), UpgradeNoteKind::RefSibling { keyword: "minLength".to_owned() }),
    ];
    assert_eq!(notes, expected);
    let rewritten = upgrade_schema(&schema);
    assert_eq!(rewritten.pointer_map.old_pointer("/prefixItems/1/$ref"), "/items/1/$ref");
    let unknown = upgrade_schema(&json!({ "$schema": "https://example.com/mine", "type": "object" }));
    assert_eq!(unknown.notes[0].kind, UpgradeNoteKind::UnknownDraft { named: "https://example.com/mine".to_owned() });
}
