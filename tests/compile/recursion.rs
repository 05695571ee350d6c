//! Recursive schemas: every compilation ends, with declarations of bounded size.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate::compile::{ToolCompilation, compile_tool, provider_names};

/// How long a compilation may hang before the test fails; none takes a noticeable part of it.
const HANG: Duration = Duration::from_mins(1);

/// Compiles parameters on a watched thread.
fn compiled(parameters: &Value) -> ToolCompilation {
    let definition = json!({ "name": "tool", "description": "Does it.", "parameters": parameters });
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(compile_tool(&definition)));
    receiver.recv_timeout(HANG).unwrap_or_else(|_| panic!("the compilation does not end: {parameters}"))
}

fn size(compiled: &ToolCompilation) -> usize {
    compiled.provider_schemas.values().map(|declaration| declaration.to_string().len()).sum()
}

fn codes(compiled: &ToolCompilation) -> Vec<(&'static str, &str)> {
    compiled.diagnostics.iter().map(|found| (found.code.as_str(), found.pointer.as_str())).collect()
}

/// Schemas with a recursive reference beside a keyword that constrains, by name.
fn recursive_conjunctions() -> Vec<(&'static str, Value)> {
    let node = |child: Value| {
        json!({
            "type": "object",
            "properties": { "node": { "$ref": "#/definitions/Node" } },
            "definitions": { "Node": {
                "type": "object", "properties": { "name": { "type": "string" }, "child": child }, "required": ["name"]
            } }
        })
    };
    let to_node = "#/definitions/Node";
    vec![
        ("root", json!({ "type": "object", "properties": { "child": { "$ref": "#", "minProperties": 1 } } })),
        ("pydantic 1", node(json!({ "title": "Parent", "allOf": [{ "$ref": to_node }] }))),
        ("items", node(json!({ "type": "array", "items": { "allOf": [{ "$ref": to_node }] } }))),
        ("type", node(json!({ "type": "object", "$ref": to_node }))),
        ("unevaluated", node(json!({ "$ref": to_node, "unevaluatedProperties": false }))),
        ("unrelated", node(json!({ "$ref": to_node, "maxItems": 3 }))),
        (
            "constrained",
            node(json!({ "allOf": [{ "$ref": to_node }, { "properties": { "name": { "maxLength": 3 } } }] })),
        ),
    ]
}

#[test]
fn a_recursive_conjunction_is_declared_to_every_provider() {
    for (name, parameters) in recursive_conjunctions() {
        let compiled = compiled(&parameters);
        assert_eq!(codes(&compiled), [], "{name}");
        let declared: Vec<&str> = compiled.provider_schemas.keys().map(String::as_str).collect();
        let mut expected: Vec<&str> = provider_names().collect();
        expected.sort_unstable();
        assert_eq!(declared, expected, "{name}");
        assert!(size(&compiled) < 10_000, "{name}: {}", size(&compiled));
        assert_eq!(compiled.provider_schemas["openaiResponses"]["strict"], true, "{name}");
        // A target without references gets the recursion to a limited depth, with a receipt.
        let cut =
            compiled.lowering["geminiNative"].iter().any(|entry| entry.lost && entry.change.contains("recursive"));
        assert!(cut, "{name}: {:?}", compiled.lowering["geminiNative"]);
    }
}

#[test]
fn a_conjunction_of_recursive_schemas_is_handed_on_as_definitions() {
    let (_, parameters) = recursive_conjunctions().pop().unwrap();
    let compiled = compiled(&parameters);
    let merged = json!({ "$ref": "#/$defs/Node_merged_1" });
    let schema = &compiled.provider_schemas["geminiJson"]["parametersJsonSchema"];
    assert_eq!(
        schema["$defs"],
        json!({
            "Node": {
                "type": "object", "properties": { "name": { "type": "string" }, "child": merged }, "required": ["name"]
            },
            "Node_merged_1": {
                "type": "object",
                "properties": { "name": { "type": "string", "maxLength": 3 }, "child": merged },
                "required": ["name"]
            }
        })
    );
}

/// A schema that doubles at each of `levels` when its conjunctions are written out.
pub(crate) fn doubling(levels: usize) -> Value {
    let level = |below: usize| {
        let part = json!({ "$ref": format!("#/$defs/d{below}"), "minProperties": 1 });
        json!({ "type": "object", "properties": { "a": part, "b": part } })
    };
    let mut definitions: serde_json::Map<String, Value> =
        (0..levels).map(|index| (format!("d{index}"), level(index + 1))).collect();
    definitions.insert(format!("d{levels}"), json!({ "type": "object", "properties": {} }));
    json!({ "type": "object", "properties": { "start": { "$ref": "#/$defs/d0" } }, "$defs": definitions })
}

#[test]
fn a_declaration_without_bounds_is_a_finding() {
    let compiled = compiled(&doubling(40));
    assert!(compiled.ok);
    assert!(codes(&compiled).contains(&("lowering-too-large", "/parameters")), "{:?}", codes(&compiled));
    assert!(!compiled.provider_schemas.contains_key("geminiJson"));
    let reason = &compiled.lowering["geminiJson"];
    assert_eq!(reason.len(), 1);
    assert!(reason[0].lost && reason[0].change.contains("too large"), "{reason:?}");
    assert_eq!(compiled.provider_schemas["mcp"]["inputSchema"], doubling(40), "others are not affected");
}

/// A linear congruential generator: the same schemas in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn reference(&mut self, definitions: usize) -> Value {
        match self.below(definitions + 1) {
            0 => json!({ "$ref": "#" }),
            index => json!({ "$ref": format!("#/$defs/d{}", index - 1) }),
        }
    }

    /// A schema whose references all lie below `properties` or `items`, unless `in_place`.
    fn schema(&mut self, definitions: usize, depth: usize, in_place: bool) -> Value {
        let mut schema = match self.below(4) {
            0 => json!({ "minProperties": self.below(3), "title": "T" }),
            1 => json!({ "type": "object", "description": "D." }),
            2 => json!({ "maxItems": 3 }),
            _ => json!({}),
        };
        if in_place && self.below(2) == 0 {
            schema["$ref"] = self.reference(definitions)["$ref"].take();
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            if depth > 0 && self.below(6) == 0 {
                let count = 1 + self.below(3);
                schema[keyword] = (0..count).map(|_| self.schema(definitions, depth - 1, in_place)).collect();
            }
        }
        if depth > 0 && self.below(3) > 0 {
            for name in ["a", "b", "c"].into_iter().take(1 + self.below(3)) {
                schema["properties"][name] = self.schema(definitions, depth - 1, true);
            }
        }
        if depth > 0 && self.below(6) == 0 {
            schema["items"] = self.schema(definitions, depth - 1, true);
        }
        schema
    }

    fn parameters(&mut self) -> Value {
        let count = 1 + self.below(3);
        let mut root = self.schema(count, 2, false);
        root["type"] = json!("object");
        for index in 0..count {
            root["$defs"][format!("d{index}")] = self.schema(count, 2, false);
        }
        root
    }
}

#[test]
fn random_recursive_schemas_end() {
    let mut random = Random(7);
    let (mut declared, mut too_large) = (0, 0);
    for _ in 0..40 {
        let parameters = random.parameters();
        let compiled = compiled(&parameters);
        let codes = codes(&compiled);
        assert!(!codes.iter().any(|(code, _)| *code == "internal"), "{codes:?}: {parameters}");
        too_large += usize::from(codes.iter().any(|(code, _)| *code == "lowering-too-large"));
        declared += usize::from(compiled.provider_schemas.contains_key("geminiJson"));
        assert!(size(&compiled) < 64 * 1024 * 1024, "{}: {parameters}", size(&compiled));
    }
    println!("{declared} are declared to Gemini, {too_large} are too large for a provider");
    assert!(declared > 25, "{declared}");
}
