//! What is said of wrong arguments is what is said without the quick check, word for word: whether they are completed first
//! or not, and however much of them was known to be valid.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::dice::Dice;
use super::real::{corpus, texts};
use super::{clamps, tape};
use crate::complete::{Clamp, Completed};
use crate::{ArgsSchema, Issue};
use toolgate_json::pointer;

/// How a fault was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    Valid,
    /// After completion.
    Complete,
    /// Of the arguments as they came.
    AsCame,
    /// The same, and the validator was shown a part of them.
    InPart,
}

type Told = Result<(String, bool, Vec<String>, Value), Vec<Issue>>;

fn parts(done: Result<Completed, Vec<Issue>>) -> Told {
    done.map(|done| (done.tape.text().to_owned(), done.changed, done.defaulted, json!(done.clamped)))
}

/// A schema with the quick check and without.
struct Pair {
    with: ArgsSchema,
    without: ArgsSchema,
}

impl Pair {
    fn of(schema: &Value) -> Option<Self> {
        let without = ArgsSchema::compile(schema).ok()?.without_quick();
        Some(Self { with: ArgsSchema::load(schema.to_string().into()).unwrap(), without })
    }

    /// Holds one against the other.
    fn told(&self, text: &str, clamps: &[Clamp]) -> Way {
        let told = parts(self.with.prepare(tape(text), clamps));
        let expected = parts(self.without.prepare(tape(text), clamps));
        assert_eq!(told, expected, "{:?}: {text}", self.with);
        let came = tape(text);
        assert_eq!(self.with.validate(&came), self.without.validate(&came), "{:?}: {text}", self.with);
        if told.is_ok() {
            return Way::Valid;
        }
        let is_as_came = self.with.compiled().tells_as_came() && clamps.is_empty() && !came.has_null();
        let untold = self.with.compiled().complete_quickly(came, clamps).unwrap_err();
        match (is_as_came && !untold.lacks_default, untold.proven.is_empty()) {
            (false, _) => Way::Complete,
            (true, true) => Way::AsCame,
            (true, false) => Way::InPart,
        }
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

/// An object of members that most tools have.
fn object(dice: &mut Dice<'_>, depth: usize) -> Value {
    let mut schema = json!({ "type": "object", "properties": {}, "additionalProperties": dice.throw(4) == 0 });
    match dice.throw(20) {
        0 => schema["minProperties"] = 2.into(),
        1 => schema["maxProperties"] = 3.into(),
        _ => {}
    }
    for name in ["a", "b", "c~/d", "e"] {
        let property = match dice.throw(if depth == 0 { 6 } else { 12 }) {
            0..6 => serde_json::from_str(dice.of(&LEAVES[..if depth == 0 { 8 } else { LEAVES.len() }])).unwrap(),
            6..9 => json!({ "type": "array", "maxItems": 9, "items": object(dice, depth - 1) }),
            9 => json!({ "type": "array", "uniqueItems": dice.throw(2) == 0, "items": object(dice, depth - 1) }),
            10 => json!({ "type": "array", "items": { "type": "array", "items": object(dice, 0) } }),
            _ => object(dice, depth - 1),
        };
        let is_required = property.get("default").is_none() || dice.throw(30) == 1;
        schema["properties"][name] = property;
        if is_required && dice.throw(2) == 0 {
            let required = schema.as_object_mut().unwrap().entry("required").or_insert_with(|| json!([]));
            required.as_array_mut().unwrap().push(name.into());
        }
    }
    schema
}

/// Mostly one that fits.
fn value(dice: &mut Dice<'_>, schema: &Value, root: &Value) -> Value {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return value(dice, root.pointer(reference.trim_start_matches('#')).unwrap(), root);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let mut all = json!({});
            for (name, property) in schema["properties"].as_object().unwrap() {
                if dice.throw(3) > 0 {
                    all[name] = value(dice, property, root);
                }
            }
            all
        }
        Some("array") if schema.get("uniqueItems").is_some() => json!(["a", "b"]),
        Some("array") => (0..dice.throw(5)).map(|_| value(dice, &schema["items"], root)).collect(),
        Some("integer") => json!(dice.throw(9)),
        Some("boolean") => json!(true),
        _ if schema.get("enum").is_some() => json!("b"),
        _ => json!(if schema.get("format").is_some() { "a@b.co" } else { "abc" }),
    }
}

fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    let mut below = |name: &str, value: &Value| {
        let mut path = path.to_owned();
        pointer::push(&mut path, name);
        places(value, &path, found);
    };
    match value {
        Value::Object(all) => all.iter().for_each(|(name, value)| below(name, value)),
        Value::Array(all) => all.iter().enumerate().for_each(|(place, value)| below(&place.to_string(), value)),
        _ => {}
    }
}

/// Makes something wrong somewhere, mostly.
fn spoil(dice: &mut Dice<'_>, value: &mut Value) {
    let mut found = Vec::new();
    places(value, "", &mut found);
    let place = found[dice.throw(found.len())].clone();
    let at = value.pointer_mut(&place).unwrap();
    match (dice.throw(7), &mut *at) {
        (0, Value::Object(all)) => drop(all.remove("a")),
        (1, Value::Object(all)) => drop(all.insert("f".to_owned(), json!(1))),
        (2, Value::Array(all)) => all.extend(all.clone()),
        (3, Value::Array(all)) => drop(all.pop()),
        (4, at) if !place.is_empty() => *at = json!({ "a": 1 }),
        (5, at) if !place.is_empty() => *at = json!(-1),
        (6, at) if dice.throw(4) == 0 => *at = Value::Null,
        (_, at) if !place.is_empty() => *at = json!("x@"),
        _ => {}
    }
}

fn count(told: &HashMap<Way, usize>, way: Way) -> usize {
    told.get(&way).copied().unwrap_or_default()
}

#[test]
fn faults_are_told_as_without() {
    let config = ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let told = RefCell::new(HashMap::new());
    let numbers = proptest::collection::vec(any::<u16>(), 1200);
    let outcome = runner.run(&numbers, |numbers| {
        let mut dice = Dice(numbers.iter());
        let mut schema = object(&mut dice, 2);
        schema["$defs"] = json!({ "s": { "type": "string", "maxLength": 3 }, "o": object(&mut dice, 0) });
        let pair = Pair::of(&schema).unwrap();
        for round in 0..8 {
            let mut value = value(&mut dice, &schema, &schema);
            for _ in 0..round % 4 {
                spoil(&mut dice, &mut value);
            }
            let clamps = if round == 7 { clamps(2.0) } else { Vec::new() };
            *told.borrow_mut().entry(pair.told(&value.to_string(), &clamps)).or_default() += 1;
        }
        Ok(())
    });
    outcome.unwrap();
    let told = told.into_inner();
    println!("{told:?}");
    for way in [Way::Valid, Way::Complete, Way::AsCame, Way::InPart] {
        assert!(count(&told, way) > 200, "{told:?}");
    }
}

/// Schemas of every kind that is understood, with values that nearly fit.
#[test]
fn faults_of_any_schema_are_told_as_without() {
    let config = ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let told = RefCell::new(HashMap::new());
    let outcome = runner.run(&proptest::collection::vec(any::<u16>(), 400), |numbers| {
        let mut dice = Dice(numbers.iter());
        let schema = dice.document();
        let Some(pair) = Pair::of(&schema) else { return Ok(()) };
        for round in 0..6 {
            let text = dice.value(&schema, &schema, 5);
            let clamps = if round % 3 == 0 { clamps(dice.of(&[0.0, 1.0, 2.5])) } else { Vec::new() };
            *told.borrow_mut().entry(pair.told(&text, &clamps)).or_default() += 1;
        }
        Ok(())
    });
    outcome.unwrap();
    let told = told.into_inner();
    println!("{told:?}");
    assert!(count(&told, Way::Complete) > 1000 && count(&told, Way::AsCame) > 50, "{told:?}");
}

#[test]
fn faults_of_real_tools_are_told_as_without() {
    let Some(folder) = corpus("tools") else { return };
    let mut told = HashMap::new();
    for (number, text) in (0_u16..).zip(texts(&folder).iter().flat_map(|text| text.lines())) {
        let tool: Value = serde_json::from_str(text).unwrap();
        let Some(args) = tool.get("args") else { continue };
        let Some(pair) = Pair::of(&tool["parameters"]) else { continue };
        for args in args.as_array().map_or(std::slice::from_ref(args), Vec::as_slice) {
            let numbers: Vec<u16> = (0..30_u16).map(|n| n.wrapping_mul(7919).wrapping_add(number)).collect();
            let (mut dice, mut args) = (Dice(numbers.iter()), args.clone());
            for _ in 0..3 {
                spoil(&mut dice, &mut args);
                *told.entry(pair.told(&args.to_string(), &[])).or_default() += 1;
            }
        }
    }
    println!("{told:?}");
    assert!(count(&told, Way::AsCame) > 100, "{told:?}");
}

fn records(count: usize) -> Vec<Value> {
    let record =
        |n: usize| json!({ "id": n, "tags": ["a", "b"], "people": [{ "mail": "a@b.co" }, { "mail": "b@b.co" }] });
    (0..count).map(record).collect()
}

fn of_records() -> Pair {
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
    Pair::of(&schema).unwrap()
}

/// Wherever the first fault is, and whatever is wrong behind it.
#[test]
fn the_places_of_faults_are_counted_from_the_first_element() {
    let pair = of_records();
    let wrong = [
        ("", json!(7)),
        ("/id", json!("7")),
        ("/tags", json!(["a", "a"])),
        ("/tags/1", json!(7)),
        ("/people/1/mail", json!("nobody")),
        ("/people/1", json!({})),
        ("/people", json!([{ "mail": "a@b.co" }, { "mail": "" }, { "mail": "" }, {}])),
    ];
    let mut in_part = 0;
    for (place, with) in &wrong {
        for first in [0, 1, 11] {
            for (later, other) in &wrong {
                let mut args = json!({ "all": records(12), "others": records(3) });
                *args["others"][2].pointer_mut(later).unwrap() = other.clone();
                *args["all"][11].pointer_mut(later).unwrap() = other.clone();
                *args["all"][first].pointer_mut(place).unwrap_or(&mut Value::Null) = with.clone();
                let way = pair.told(&args.to_string(), &[]);
                assert!(matches!(way, Way::AsCame | Way::InPart), "{args}");
                in_part += usize::from(way == Way::InPart);
            }
        }
    }
    assert!(in_part > 80, "{in_part}");
    let mut args = json!({ "all": records(12) });
    args["all"][11]["people"][1]["mail"] = json!("nobody");
    let issues = pair.with.prepare(tape(&args.to_string()), &[]).unwrap_err();
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].instance_path, "/all/11/people/1/mail");
    assert!(issues[0].message.starts_with("`/all/11/people/1/mail` must be an e-mail address"), "{:?}", issues[0]);
}

/// More than is told, and more than is listed.
#[test]
fn many_faults_are_told_as_without() {
    let pair = of_records();
    for (count, from) in [(300, 50), (300, 250), (25_000, 3), (31_000, 30_990)] {
        let mut all = records(count);
        for record in all.iter_mut().skip(from) {
            record["id"] = json!("7");
        }
        assert_ne!(pair.told(&json!({ "all": all }).to_string(), &[]), Way::Valid);
    }
}

/// Defaults that change what is said of something else, or of themselves: those arguments are completed first.
#[test]
fn a_default_that_matters_is_filled_in_first() {
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
        let pair = Pair::of(&schema).unwrap();
        let mut args = json!({ "wrong": "x" });
        args.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        assert_eq!(pair.told(&args.to_string(), &[]), Way::Complete, "{schema}");
    }
}

/// What the quick check leaves open although it is valid, in arguments that may be told as they came.
#[test]
fn what_is_only_left_open_is_valid() {
    let schema = json!({ "type": "object", "properties": {
        "id": { "type": "integer", "minimum": 1 }, "note": { "type": "string", "default": "n" },
    } });
    let pair = Pair::of(&schema).unwrap();
    for text in [r#"{"id":123456789012345678}"#, r#"{"id":123456789012345678,"note":"m"}"#] {
        assert_eq!(pair.told(text, &[]), Way::Valid);
        assert!(pair.with.compiled().complete_quickly(tape(text), &[]).is_err());
    }
    assert_eq!(pair.told(r#"{"id":-123456789012345678}"#, &[]), Way::AsCame);
}
