//! For any schema: what a model that must send everything says is what it meant.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Map, Value, json};
use toolgate::compile::declare;
use toolgate::schema::ArgsSchema;

use super::invent::{Dice, invented};
use super::model::{completed, sent, without_nulls};
use super::rules;
use crate::corpus::definition;

/// How alternatives are distinguished.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tagged {
    Always,
    Sometimes,
}

fn leaves() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "type": "string" })),
        Just(json!({ "type": "string", "minLength": 2, "maxLength": 20, "description": "Text." })),
        Just(json!({ "type": "string", "default": "none" })),
        Just(json!({ "type": ["string", "null"] })),
        Just(json!({ "type": "integer", "minimum": 1, "maximum": 9, "default": 3 })),
        Just(json!({ "type": ["integer", "string"], "minimum": 0 })),
        Just(json!({ "type": "boolean" })),
        Just(json!({ "enum": ["a", "b"] })),
        Just(json!({ "enum": ["a", 1, null] })),
        Just(json!({ "const": "fixed" })),
        Just(json!({ "type": "object", "additionalProperties": { "type": "integer" } })),
        Just(json!({ "$ref": "#/$defs/text" })),
        Just(json!({ "$ref": "#/$defs/maybe", "description": "Perhaps." })),
        Just(json!({ "$ref": "#/$defs/node" })),
        Just(json!({})),
    ]
}

/// An object schema; what is required is chosen by the bits of a number.
fn object(properties: Vec<(String, Value)>, bits: u32, closed: bool) -> Value {
    let properties: Map<String, Value> = properties.into_iter().collect();
    let required: Vec<&String> =
        properties.keys().enumerate().filter(|(place, _)| bits >> place & 1 == 1).map(|(_, name)| name).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "required": required });
    if closed {
        schema["additionalProperties"] = json!(false);
    }
    schema
}

fn objects(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let members = prop::collection::vec(("[a-d]", inner), 0..4);
    (members, any::<u32>(), any::<bool>()).prop_map(|(members, bits, closed)| object(members, bits, closed))
}

/// Alternatives of objects that differ in the value of `kind`.
fn tagged(branches: Vec<Value>, keyword: &str) -> Value {
    let branches: Vec<Value> = branches
        .into_iter()
        .enumerate()
        .map(|(number, mut branch)| {
            branch["properties"]["kind"] = json!({ "const": format!("kind{number}") });
            branch["required"].as_array_mut().unwrap().push(json!("kind"));
            branch
        })
        .collect();
    json!({ keyword: branches })
}

fn schemas(tags: Tagged) -> impl Strategy<Value = Value> {
    leaves().prop_recursive(4, 40, 4, move |inner| {
        let branches = prop::collection::vec(objects(inner.clone()), 1..4);
        let keyword = prop_oneof![Just("anyOf"), Just("oneOf")];
        let unions = (branches, keyword, any::<bool>()).prop_map(move |(branches, keyword, is_tagged)| {
            if is_tagged || tags == Tagged::Always { tagged(branches, keyword) } else { json!({ "anyOf": branches }) }
        });
        prop_oneof![
            3 => objects(inner.clone()),
            2 => inner.clone().prop_map(|items| json!({ "type": "array", "items": items, "maxItems": 3 })),
            2 => unions,
            1 => inner.clone().prop_map(|schema| json!({ "anyOf": [schema, { "type": "null" }] })),
            1 => (objects(inner.clone()), objects(inner)).prop_map(|(a, b)| json!({ "allOf": [a, b] })),
        ]
    })
}

fn parameters(tags: Tagged) -> impl Strategy<Value = Value> {
    let definitions = json!({
        "text": { "type": "string" },
        "maybe": { "type": ["integer", "null"] },
        "node": { "type": "object", "properties": { "value": { "type": "string" },
            "next": { "$ref": "#/$defs/node" }, "all": { "type": "array", "items": { "$ref": "#/$defs/node" } } } }
    });
    objects(schemas(tags)).prop_map(move |mut schema| {
        schema["$defs"] = definitions.clone();
        schema
    })
}

/// Checks one schema with some arguments; how many of them were valid and could be said.
fn check(parameters: &Value, seed: u64, tags: Tagged) -> Result<usize, TestCaseError> {
    let declared = declare(&definition(parameters)).provider_schemas;
    let Some(strict) = declared.get("openaiStrict").map(|declared| &declared["function"]["parameters"]) else {
        return Ok(0);
    };
    prop_assert_eq!(rules::faults(strict), Vec::<String>::new(), "{}", strict);
    let schema = ArgsSchema::compile(parameters).unwrap();
    let mut said = 0;
    for throw in 0..8 {
        let Some(args) = invented(parameters, parameters, &mut Dice::new(seed.wrapping_add(throw)), 0) else {
            continue;
        };
        let (plain, true) = completed(&schema, &args) else { continue };
        let Some(sent) = sent(strict, &args) else { continue };
        said += 1;
        let (mapped, is_valid) = completed(&schema, &sent);
        prop_assert!(is_valid, "{args} sent as {sent} became {mapped}");
        if tags == Tagged::Always {
            prop_assert_eq!(without_nulls(&mapped), without_nulls(&plain), "{} sent as {}", args, sent);
        }
    }
    Ok(said)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_meant_arrives(parameters in parameters(Tagged::Always), seed in any::<u64>()) {
        check(&parameters, seed, Tagged::Always)?;
    }

    #[test]
    fn what_is_valid_stays_valid(parameters in parameters(Tagged::Sometimes), seed in any::<u64>()) {
        check(&parameters, seed, Tagged::Sometimes)?;
    }
}

/// The properties say something: most made-up schemas have arguments that are tried.
#[test]
fn the_dice_find_arguments() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut said, mut schemas) = (0, 0);
    for seed in 0..100 {
        let parameters = parameters(Tagged::Always).new_tree(&mut runner).unwrap().current();
        let count = check(&parameters, seed, Tagged::Always).unwrap();
        said += count;
        schemas += usize::from(count > 0);
    }
    assert!(schemas > 50 && said > 300, "{said} arguments for {schemas} of 100 schemas");
}
