//! The issues of invalid arguments are the same with and without the fast path, whether the arguments are completed
//! first or not.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::generator::SchemaGenerator;
use super::real_schemas::{corpus, texts};
use super::{clamps, tape};
use crate::complete::{Clamp, Completed, NullReading};
use crate::{ArgsSchema, Issue};
use toolgate_json::pointer;

type CompletedParts = Result<(String, bool, Vec<String>, Value), Vec<Issue>>;

fn completed_parts(done: Result<Completed, Vec<Issue>>) -> CompletedParts {
    done.map(|done| (done.tape.text().to_owned(), done.changed, done.defaulted, json!(done.clamped)))
}

/// A schema with the fast path and without.
struct WithAndWithout {
    with_fast_path: ArgsSchema,
    without_fast_path: ArgsSchema,
}

impl WithAndWithout {
    fn compile(schema: &Value) -> Option<Self> {
        let without = ArgsSchema::compile(schema).ok()?.without_fast_path();
        Some(Self {
            with_fast_path: ArgsSchema::compile_text(schema.to_string().into()).unwrap(),
            without_fast_path: without,
        })
    }

    /// Compares the results of both. Returns whether the arguments are valid.
    fn compare(&self, text: &str, clamps: &[Clamp]) -> bool {
        let fast =
            completed_parts(self.with_fast_path.complete_and_validate(tape(text), clamps, NullReading::StrictAsAbsent));
        let full = completed_parts(self.without_fast_path.complete_and_validate(
            tape(text),
            clamps,
            NullReading::StrictAsAbsent,
        ));
        assert_eq!(fast, full, "{:?}: {text}", self.with_fast_path);
        let came = tape(text);
        let validity = self.with_fast_path.validate(&came);
        assert_eq!(validity, self.without_fast_path.validate(&came), "{:?}: {text}", self.with_fast_path);
        assert!(validity.is_err() || fast.is_ok() || !clamps.is_empty(), "completion refused valid arguments: {text}");
        fast.is_ok()
    }
}

const LEAVES: [&str; 10] = [
    r#"{"type":"string"}"#,
    r#"{"type":"string","minLength":2,"x-sensitive":true}"#,
    r#"{"type":"string","format":"email"}"#,
    r#"{"type":"integer","minimum":0,"default":5}"#,
    r#"{"type":"boolean","default":true}"#,
    r#"{"enum":["ab","b"],"default":"ab"}"#,
    r#"{"type":"array","items":{"type":"string"},"uniqueItems":true,"default":[]}"#,
    r#"{"type":["string","integer"],"pattern":"^[a-z]+$"}"#,
    r##"{"$ref":"#/$defs/s"}"##,
    r##"{"$ref":"#/$defs/o"}"##,
];

/// A schema of an object with common members.
fn object(dice: &mut SchemaGenerator<'_>, depth: usize) -> Value {
    let mut schema = json!({ "type": "object", "properties": {}, "additionalProperties": dice.below(4) == 0 });
    match dice.below(20) {
        0 => schema["minProperties"] = 2.into(),
        1 => schema["maxProperties"] = 3.into(),
        _ => {}
    }
    for name in ["a", "b", "c~/d", "e"] {
        let property = match dice.below(if depth == 0 { 6 } else { 12 }) {
            0..6 => serde_json::from_str(dice.choose(&LEAVES[..if depth == 0 { 8 } else { LEAVES.len() }])).unwrap(),
            6..9 => json!({ "type": "array", "maxItems": 9, "items": object(dice, depth - 1) }),
            9 => json!({ "type": "array", "uniqueItems": dice.below(2) == 0, "items": object(dice, depth - 1) }),
            10 => json!({ "type": "array", "items": { "type": "array", "items": object(dice, 0) } }),
            _ => object(dice, depth - 1),
        };
        let is_required = property.get("default").is_none() || dice.below(30) == 1;
        schema["properties"][name] = property;
        if is_required && dice.below(2) == 0 {
            let required = schema.as_object_mut().unwrap().entry("required").or_insert_with(|| json!([]));
            required.as_array_mut().unwrap().push(name.into());
        }
    }
    schema
}

/// A value that usually matches the schema.
fn value(dice: &mut SchemaGenerator<'_>, schema: &Value, root: &Value) -> Value {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return value(dice, root.pointer(reference.trim_start_matches('#')).unwrap(), root);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let mut all = json!({});
            for (name, property) in schema["properties"].as_object().unwrap() {
                if dice.below(3) > 0 {
                    all[name] = value(dice, property, root);
                }
            }
            all
        }
        Some("array") if schema.get("uniqueItems").is_some() => json!(["a", "b"]),
        Some("array") => (0..dice.below(5)).map(|_| value(dice, &schema["items"], root)).collect(),
        Some("integer") => json!(dice.below(9)),
        Some("boolean") => json!(true),
        _ if schema.get("enum").is_some() => json!("b"),
        _ => json!(if schema.get("format").is_some() { "a@b.co" } else { "abc" }),
    }
}

fn collect_pointers(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    let mut below = |name: &str, value: &Value| {
        let mut path = path.to_owned();
        pointer::push(&mut path, name);
        collect_pointers(value, &path, found);
    };
    match value {
        Value::Object(all) => all.iter().for_each(|(name, value)| below(name, value)),
        Value::Array(all) => all.iter().enumerate().for_each(|(place, value)| below(&place.to_string(), value)),
        _ => {}
    }
}

/// Makes a value invalid somewhere, usually.
fn spoil(dice: &mut SchemaGenerator<'_>, value: &mut Value) {
    let mut found = Vec::new();
    collect_pointers(value, "", &mut found);
    let place = found[dice.below(found.len())].clone();
    let at = value.pointer_mut(&place).unwrap();
    match (dice.below(7), &mut *at) {
        (0, Value::Object(all)) => drop(all.remove("a")),
        (1, Value::Object(all)) => drop(all.insert("f".to_owned(), json!(1))),
        (2, Value::Array(all)) => all.extend(all.clone()),
        (3, Value::Array(all)) => drop(all.pop()),
        (4, at) if !place.is_empty() => *at = json!({ "a": 1 }),
        (5, at) if !place.is_empty() => *at = json!(-1),
        (6, at) if dice.below(4) == 0 => *at = Value::Null,
        (_, at) if !place.is_empty() => *at = json!("x@"),
        _ => {}
    }
}

fn count(told: &HashMap<bool, usize>, way: bool) -> usize {
    told.get(&way).copied().unwrap_or_default()
}

#[test]
fn issues_agree_with_the_validator() {
    let config = ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let told = RefCell::new(HashMap::new());
    let numbers = proptest::collection::vec(any::<u16>(), 1200);
    let outcome = runner.run(&numbers, |numbers| {
        let mut dice = SchemaGenerator(numbers.iter());
        let mut schema = object(&mut dice, 2);
        schema["$defs"] = json!({ "s": { "type": "string", "maxLength": 3 }, "o": object(&mut dice, 0) });
        let pair = WithAndWithout::compile(&schema).unwrap();
        for round in 0..8 {
            let mut value = value(&mut dice, &schema, &schema);
            for _ in 0..round % 4 {
                spoil(&mut dice, &mut value);
            }
            let clamps = if round == 7 { clamps(2.0) } else { Vec::new() };
            *told.borrow_mut().entry(pair.compare(&value.to_string(), &clamps)).or_default() += 1;
        }
        Ok(())
    });
    outcome.unwrap();
    let told = told.into_inner();
    println!("{told:?}");
    for way in [true, false] {
        assert!(count(&told, way) > 200, "{told:?}");
    }
}

/// Generated schemas with all supported keywords, with values that nearly match.
#[test]
fn issues_of_generated_schemas_agree_with_the_validator() {
    let config = ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let told = RefCell::new(HashMap::new());
    let outcome = runner.run(&proptest::collection::vec(any::<u16>(), 400), |numbers| {
        let mut dice = SchemaGenerator(numbers.iter());
        let schema = dice.document();
        let Some(pair) = WithAndWithout::compile(&schema) else { return Ok(()) };
        for round in 0..6 {
            let text = dice.value(&schema, &schema, 5);
            let clamps = if round % 3 == 0 { clamps(dice.choose(&[0.0, 1.0, 2.5])) } else { Vec::new() };
            *told.borrow_mut().entry(pair.compare(&text, &clamps)).or_default() += 1;
        }
        Ok(())
    });
    outcome.unwrap();
    let told = told.into_inner();
    println!("{told:?}");
    assert!(count(&told, false) > 1000, "{told:?}");
}

#[test]
fn issues_of_real_tools_agree_with_the_validator() {
    let Some(folder) = corpus("tools") else { return };
    let mut told = HashMap::new();
    for (number, text) in (0_u16..).zip(texts(&folder).iter().flat_map(|text| text.lines())) {
        let tool: Value = serde_json::from_str(text).unwrap();
        let Some(args) = tool.get("args") else { continue };
        let Some(pair) = WithAndWithout::compile(&tool["parameters"]) else { continue };
        for args in args.as_array().map_or(std::slice::from_ref(args), Vec::as_slice) {
            let numbers: Vec<u16> = (0..30_u16).map(|n| n.wrapping_mul(7919).wrapping_add(number)).collect();
            let (mut dice, mut args) = (SchemaGenerator(numbers.iter()), args.clone());
            for _ in 0..3 {
                spoil(&mut dice, &mut args);
                *told.entry(pair.compare(&args.to_string(), &[])).or_default() += 1;
            }
        }
    }
    println!("{told:?}");
    assert!(count(&told, false) > 100, "{told:?}");
}

fn records(count: usize) -> Vec<Value> {
    let record =
        |n: usize| json!({ "id": n, "tags": ["a", "b"], "people": [{ "mail": "a@b.co" }, { "mail": "b@b.co" }] });
    (0..count).map(record).collect()
}

fn records_schemas() -> WithAndWithout {
    let person = json!({ "type": "object", "required": ["mail"], "properties": {
        "mail": { "type": "string", "format": "email" }, "is_host": { "type": "boolean", "default": false },
    } });
    let record = json!({ "type": "object", "required": ["id"], "additionalProperties": false, "properties": {
        "id": { "type": "integer" },
        "tags": { "type": "array", "uniqueItems": true, "items": { "type": "string" } },
        "people": { "type": "array", "maxItems": 3, "items": { "$ref": "#/$defs/person" } },
    } });
    let all = json!({ "type": "array", "maxItems": 30_000, "items": record });
    let schema =
        json!({ "type": "object", "properties": { "all": all.clone(), "others": all }, "$defs": { "person": person } });
    WithAndWithout::compile(&schema).unwrap()
}

/// For every position of the first error, and every kind of error after it.
#[test]
fn issue_indexes_count_from_the_first_element() {
    let pair = records_schemas();
    let wrong = [
        ("", json!(7)),
        ("/id", json!("7")),
        ("/tags", json!(["a", "a"])),
        ("/tags/1", json!(7)),
        ("/people/1/mail", json!("nobody")),
        ("/people/1", json!({})),
        ("/people", json!([{ "mail": "a@b.co" }, { "mail": "" }, { "mail": "" }, {}])),
    ];
    for (place, with) in &wrong {
        for first in [0, 1, 11] {
            for (later, other) in &wrong {
                let mut args = json!({ "all": records(12), "others": records(3) });
                *args["others"][2].pointer_mut(later).unwrap() = other.clone();
                *args["all"][11].pointer_mut(later).unwrap() = other.clone();
                *args["all"][first].pointer_mut(place).unwrap_or(&mut Value::Null) = with.clone();
                assert!(!pair.compare(&args.to_string(), &[]), "{args}");
            }
        }
    }
    let mut args = json!({ "all": records(12) });
    args["all"][11]["people"][1]["mail"] = json!("nobody");
    let issues = pair
        .with_fast_path
        .complete_and_validate(tape(&args.to_string()), &[], NullReading::StrictAsAbsent)
        .unwrap_err();
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].instance_path, "/all/11/people/1/mail");
    assert!(issues[0].message.starts_with("`/all/11/people/1/mail` must be an e-mail address"), "{:?}", issues[0]);
}

/// More errors than are reported, and more than are created.
#[test]
fn many_issues_agree_with_the_validator() {
    let pair = records_schemas();
    for (count, from) in [(300, 50), (300, 250), (25_000, 3), (31_000, 30_990)] {
        let mut all = records(count);
        for record in all.iter_mut().skip(from) {
            record["id"] = json!("7");
        }
        assert!(!pair.compare(&json!({ "all": all }).to_string(), &[]));
    }
}

/// Defaults that could change the errors of other values, or of themselves.
#[test]
fn defaults_change_no_issues() {
    let five = json!({ "type": "integer", "default": 5 });
    let of = |rest: Value| {
        let mut schema = json!({ "type": "object", "properties": { "wrong": { "type": "integer" }, "five": five } });
        schema.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        schema
    };
    let list = |rest: Value| json!({ "properties": { "wrong": { "type": "integer" }, "list": rest } });
    let unique = json!({ "type": "array", "uniqueItems": true, "items": of(json!({})) });
    let led = json!({ "type": "array", "minItems": 2, "prefixItems": [five, five] });
    for (schema, rest) in [
        (of(json!({ "required": ["five"] })), json!({})),
        (of(json!({ "minProperties": 2 })), json!({})),
        (of(json!({ "maxProperties": 1 })), json!({})),
        (of(json!({ "allOf": [{ "properties": { "five": { "maximum": 4 } } }] })), json!({})),
        (of(json!({ "properties": { "wrong": { "type": "integer" }, "o": { "default": {} } } })), json!({})),
        (list(unique), json!({ "list": [{}, { "five": 5 }] })),
        (list(led), json!({ "list": [5] })),
    ] {
        let pair = WithAndWithout::compile(&schema).unwrap();
        let mut args = json!({ "wrong": "x" });
        args.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        assert!(!pair.compare(&args.to_string(), &[]), "{schema}");
    }
}

/// Valid values that the fast path leaves undetermined, in arguments that may be explained before completion.
#[test]
fn undetermined_values_can_be_valid() {
    let schema = json!({ "type": "object", "properties": {
        "id": { "type": "integer", "minimum": 1 }, "note": { "type": "string", "default": "n" },
    } });
    let pair = WithAndWithout::compile(&schema).unwrap();
    for text in [r#"{"id":123456789012345678}"#, r#"{"id":123456789012345678,"note":"m"}"#] {
        assert!(pair.compare(text, &[]));
        assert!(pair.with_fast_path.compiled().complete_on_fast_path(tape(text), &[]).is_err());
    }
    assert!(!pair.compare(r#"{"id":-123456789012345678}"#, &[]));
}
