//! Parameters that are made up.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn leaves() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "type": "string" })),
        Just(json!({ "type": "string", "minLength": 2, "maxLength": 4, "description": "Text." })),
        Just(json!({ "type": "string", "pattern": "^[a-c]+$" })),
        Just(json!({ "type": "string", "format": "date" })),
        Just(json!({ "type": ["string", "null"] })),
        Just(json!({ "type": "integer", "minimum": 1, "maximum": 9, "default": 3 })),
        Just(json!({ "type": "number", "exclusiveMinimum": 0 })),
        Just(json!({ "type": ["integer", "string"], "minimum": 0 })),
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": "null" })),
        Just(json!({ "enum": ["a", "b"] })),
        Just(json!({ "type": "integer", "enum": [1, 2, 30] })),
        Just(json!({ "enum": ["a", 1, null] })),
        Just(json!({ "const": "fixed" })),
        Just(json!({ "const": 7 })),
        Just(json!({ "type": "object", "additionalProperties": { "type": "integer" } })),
        Just(json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false })),
        Just(json!({ "type": "array", "items": { "type": "integer" }, "uniqueItems": true, "minItems": 1 })),
        Just(json!({ "$ref": "#/$defs/text" })),
        Just(json!({ "$ref": "#/$defs/maybe", "description": "Perhaps." })),
        Just(json!({ "$ref": "#/$defs/node" })),
        Just(json!({})),
        Just(json!({ "type": "string", "not": { "const": "a" } })),
    ]
}

/// An object schema; what is required is chosen by the bits of a number.
fn object(properties: Vec<(String, Value)>, bits: u32, is_closed: bool) -> Value {
    let properties: Map<String, Value> = properties.into_iter().collect();
    let required: Vec<&String> =
        properties.keys().enumerate().filter(|(place, _)| bits >> place & 1 == 1).map(|(_, name)| name).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "required": required });
    if is_closed {
        schema["additionalProperties"] = json!(false);
    }
    schema
}

fn objects(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let members = prop::collection::vec(("[a-d]", inner), 0..4);
    (members, any::<u32>(), any::<bool>()).prop_map(|(members, bits, is_closed)| object(members, bits, is_closed))
}

fn schemas() -> impl Strategy<Value = Value> {
    leaves().prop_recursive(4, 40, 4, |inner| {
        let branches = prop::collection::vec(inner.clone(), 1..4);
        let keyword = prop_oneof![Just("anyOf"), Just("oneOf")];
        prop_oneof![
            3 => objects(inner.clone()),
            2 => inner.clone().prop_map(|items| json!({ "type": "array", "items": items, "maxItems": 3 })),
            2 => (branches, keyword).prop_map(|(branches, keyword)| json!({ keyword: branches })),
            1 => inner.clone().prop_map(|schema| json!({ "anyOf": [schema, { "type": "null" }], "title": "Maybe" })),
            1 => (objects(inner.clone()), objects(inner)).prop_map(|(a, b)| json!({ "allOf": [a, b] })),
        ]
    })
}

fn with_definitions(mut parameters: Value) -> Value {
    parameters["$defs"] = json!({
        "text": { "type": "string" },
        "maybe": { "type": ["integer", "null"] },
        "node": { "type": "object", "properties": { "value": { "type": "string" },
            "next": { "$ref": "#/$defs/node" }, "all": { "type": "array", "items": { "$ref": "#/$defs/node" } } } }
    });
    parameters
}

pub(crate) fn parameters() -> impl Strategy<Value = Value> {
    objects(schemas()).prop_map(with_definitions)
}

/// One level around a schema.
fn wrapped(inner: &Value, how: u8) -> Value {
    match how {
        0 => json!({ "type": "object", "properties": { "in": inner }, "required": ["in"] }),
        1 => {
            json!({ "type": "object", "properties": { "in": inner, "also": { "type": "string" } }, "required": ["also"] })
        }
        2 => json!({ "type": "array", "items": inner }),
        3 => json!({ "anyOf": [inner, { "type": "null" }] }),
        4 => json!({ "description": "One of these.", "oneOf": [inner, { "type": "integer" }] }),
        _ => json!({ "allOf": [inner] }),
    }
}

/// Parameters about as deep as a strict schema may be.
pub(crate) fn deep_parameters() -> impl Strategy<Value = Value> {
    let layers = prop::collection::vec(0_u8..6, 6..12);
    (objects(leaves()), leaves(), any::<bool>(), layers).prop_map(|(object, leaf, is_object, layers)| {
        let inner = layers.into_iter().fold(if is_object { object } else { leaf }, |inner, how| wrapped(&inner, how));
        with_definitions(json!({ "type": "object", "properties": { "top": inner } }))
    })
}
