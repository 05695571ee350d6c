//! OpenAI's limits of a strict schema, counted from the guide "Structured model outputs" and not with the compiler's code.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolgate_compile::declare;

use super::schemas::{deep_parameters, parameters};
use super::{definition, real_tools};

/// The size of a strict schema.
#[derive(Debug, Default, PartialEq)]
struct Size {
    levels: usize,
    properties: usize,
    enum_values: usize,
    /// Names of properties and definitions, values of `enum` and `const`, in characters.
    text: usize,
    /// An `enum` of more than 250 values with more than 15,000 characters.
    has_long_enum: bool,
}

impl Size {
    fn of(parameters: &Value) -> Self {
        let mut size = Self::default();
        size.add(parameters, 0);
        size
    }

    fn add(&mut self, schema: &Value, level: usize) {
        self.levels = self.levels.max(level);
        let length = |value: &Value| value.as_str().map_or(value.to_string().len(), |text| text.chars().count());
        let values = schema.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
        let text: usize = values.iter().map(length).sum();
        self.enum_values += values.len();
        self.has_long_enum |= values.len() > 250 && text > 15_000;
        self.text += text + schema.get("const").map_or(0, length);
        let named = |keyword: &str| schema.get(keyword).and_then(Value::as_object).cloned().unwrap_or_default();
        let (properties, definitions) = (named("properties"), named("$defs"));
        self.properties += properties.len();
        let branches = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten().cloned();
        let unnamed: Vec<Value> = branches.chain(schema.get("items").cloned()).collect();
        for (name, _) in properties.iter().chain(&definitions) {
            self.text += name.chars().count();
        }
        for child in properties.values().chain(definitions.values()).chain(&unnamed) {
            self.add(child, level + 1);
        }
    }

    fn is_allowed(&self) -> bool {
        let Self { levels, properties, enum_values, text, has_long_enum } = self;
        *levels <= 10 && *properties <= 5_000 && *enum_values <= 1_000 && *text <= 120_000 && !has_long_enum
    }
}

/// The sizes of the strict declarations of a tool.
fn strict_sizes(parameters: &Value) -> Vec<Size> {
    let declared = declare(&definition(parameters)).provider_schemas;
    let strict = declared.get("openaiStrict").map(|declared| &declared["function"]["parameters"]);
    let responses = Some(&declared["openaiResponses"]).filter(|declared| declared["strict"] == true);
    strict.into_iter().chain(responses.map(|declared| &declared["parameters"])).map(Size::of).collect()
}

#[test]
fn real_tools_stay_within_the_limits() {
    for tool in real_tools() {
        for size in strict_sizes(&tool["parameters"]) {
            assert!(size.is_allowed(), "{}: {size:?}", tool["id"]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn made_up_tools_stay_within_the_limits(parameters in parameters()) {
        for size in strict_sizes(&parameters) {
            prop_assert!(size.is_allowed(), "{size:?}: {parameters}");
        }
    }

    #[test]
    fn deep_tools_stay_within_the_limits(parameters in deep_parameters()) {
        for size in strict_sizes(&parameters) {
            prop_assert!(size.is_allowed(), "{size:?}: {parameters}");
        }
    }
}

/// A schema below `levels` objects with one required property each; its own level is `levels`.
fn below(levels: usize, schema: &Value) -> Value {
    let definitions = json!({ "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" } } } });
    let mut whole = (0..levels).fold(schema.clone(), |inner, _| {
        json!({ "type": "object", "properties": { "in": inner }, "required": ["in"], "additionalProperties": false })
    });
    whole["$defs"] = definitions;
    whole
}

/// An object with one optional argument at its level plus one.
fn optional(schema: &Value) -> Value {
    json!({ "type": "object", "properties": { "kept": { "type": "string" }, "it": schema }, "required": ["kept"] })
}

#[test]
fn what_null_would_push_beyond_the_last_level_is_left_out_with_a_receipt() {
    let several = json!({ "type": ["string", "integer"] });
    let cases = [
        (json!({ "$ref": "#/$defs/node" }), true),
        (json!({ "type": "string" }), false),
        (several.clone(), true),
        (json!({}), true),
        (json!({ "type": ["array", "null"], "items": { "type": "string" } }), true),
    ];
    for (schema, is_lost_at_the_end) in cases {
        for (level, is_lost) in [(8, false), (10, is_lost_at_the_end)] {
            let parameters = below(level - 1, &optional(&schema));
            let declared = declare(&definition(&parameters));
            let sizes = strict_sizes(&parameters);
            assert!(sizes.len() == 2 && sizes.iter().all(Size::is_allowed), "{schema} at {level}: {sizes:?}");
            let too_deep = declared.lowering["openaiStrict"].iter().filter(|entry| entry.change.contains("10 levels"));
            assert_eq!(too_deep.filter(|entry| entry.lost).count() > 0, is_lost, "{schema} at {level}");
        }
    }
    // Without a required argument there is no strict form.
    let declared = declare(&definition(&below(10, &several)));
    let missing: Vec<_> = declared.missing().map(|missing| (missing.target, missing.reason)).collect();
    assert_eq!(missing, [("openaiStrict", "it is nested deeper than 10 levels")]);
    assert_eq!(declared.provider_schemas["openaiResponses"]["strict"], false);
}

#[test]
fn null_makes_no_list_of_values_too_long() {
    let values: Vec<String> = (0..250).map(|number| format!("{number:_>100}")).collect();
    let parameters = json!({ "type": "object", "properties": { "kind": { "type": "string", "enum": values } } });
    let declared = declare(&definition(&parameters));
    assert_eq!(
        declared.provider_schemas["openaiStrict"]["function"]["parameters"]["properties"]["kind"],
        json!({ "type": ["string", "null"] })
    );
    let lost = declared.lowering["openaiStrict"].iter().find(|entry| entry.lost).unwrap();
    assert_eq!(
        (lost.pointer.as_str(), lost.change.as_str()),
        ("/properties/kind/enum", "`enum` has too many values: 251")
    );
}

#[test]
fn sizes_are_counted() {
    let many: Map<String, Value> = (0..3).map(|name| (format!("é{name}"), json!({ "enum": ["ab", 1] }))).collect();
    let schema = json!({ "properties": many, "$defs": { "d": { "items": { "anyOf": [{ "const": true }] } } } });
    let expected = Size { levels: 3, properties: 3, enum_values: 6, text: 20, has_long_enum: false };
    assert_eq!(Size::of(&schema), expected);
}
