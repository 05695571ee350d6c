//! Static checks of a schema, without a validator: enough for most properties.
//!
//! Results are never guesses. Uncertain cases are left to the validator.

use serde_json::{Map, Value};

/// `ApplicatorKeywords` whose schemas may reject `null` as well.
const COMBINATORS: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "$dynamicRef", "$recursiveRef"];

/// Whether `null` is rejected; `None` if only the validator can decide.
pub(super) fn statically_rejects_null(schema: &Value) -> Option<bool> {
    let Value::Object(keywords) = schema else {
        return schema.as_bool().map(|accepts| !accepts);
    };
    if keywords.contains_key("$ref") {
        return None;
    }
    let rejecting_type = keywords.get("type").is_some_and(|types| !any_type_name(types, |name| name == "null"));
    let rejecting_enum = keywords.get("enum").and_then(Value::as_array).is_some_and(|all| !all.contains(&Value::Null));
    let rejecting_const = keywords.get("const").is_some_and(|value| !value.is_null());
    if rejecting_type || rejecting_enum || rejecting_const {
        return Some(true);
    }
    if COMBINATORS.iter().any(|keyword| keywords.contains_key(*keyword)) { None } else { Some(false) }
}

/// Whether a value is certainly accepted. False does not mean rejected.
pub(super) fn statically_accepts(schema: &Value, value: &Value) -> bool {
    // An array or object may have defaults to be filled inside it.
    let is_scalar = !value.is_array() && !value.is_object();
    is_scalar && schema.as_object().is_some_and(|keywords| satisfies_all(keywords, value))
}

fn satisfies_all(keywords: &Map<String, Value>, value: &Value) -> bool {
    keywords.iter().all(|(keyword, asked)| match keyword.as_str() {
        "default" | "deprecated" | "description" | "examples" | "title" | "x-sensitive" => true,
        "type" => any_type_name(asked, |name| is_of_type(value, name)),
        "const" => asked == value,
        "enum" => asked.as_array().is_some_and(|all| all.contains(value)),
        "minimum" => is_at_most(asked, value),
        "maximum" => is_at_most(value, asked),
        "minLength" => char_count(value).zip(asked.as_u64()).is_some_and(|(length, least)| length >= least),
        "maxLength" => char_count(value).zip(asked.as_u64()).is_some_and(|(length, most)| length <= most),
        _ => false,
    })
}

/// Whether `is_meant` holds for a type name in `type`. False if `type` contains none.
fn any_type_name(types: &Value, is_meant: impl Fn(&str) -> bool) -> bool {
    match types {
        Value::String(name) => is_meant(name),
        Value::Array(all) => all.iter().filter_map(Value::as_str).any(is_meant),
        _ => false,
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.as_i64().is_some(),
        "number" => value.is_number(),
        _ => false,
    }
}

fn is_at_most(less: &Value, more: &Value) -> bool {
    less.as_i64().zip(more.as_i64()).is_some_and(|(less, more)| less <= more)
}

/// The length in characters, as JSON Schema counts.
fn char_count(value: &Value) -> Option<u64> {
    u64::try_from(value.as_str()?.chars().count()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::CompiledSchema;
    use toolgate_json::{Limits, Tape};

    fn values() -> Vec<Value> {
        let scalars =
            json!([null, true, false, 0, 1, -1, 5, 1.0, 0.5, 9_007_199_254_740_993_u64, "", "a", "ü€", "😀😀"]);
        let Value::Array(mut values) = scalars else { return Vec::new() };
        values.extend([json!([]), json!({})]);
        values
    }

    fn schemas() -> Vec<Value> {
        let Value::Array(schemas) = json!([
            true, false, {}, { "type": "integer" }, { "type": ["string", "null"] }, { "type": "number" }, { "type": [] },
            { "type": "object" }, { "type": "array" }, { "const": 1 }, { "const": null }, { "enum": ["a", 1, null] },
            { "enum": [1.0, true] }, { "minimum": 1 }, { "maximum": 1 }, { "minimum": 0.5 }, { "maximum": 0.5 },
            { "minimum": 0, "maximum": 4, "type": "integer", "description": "d", "default": 1 }, { "minLength": 2 },
            { "maxLength": 2 }, { "minLength": 1, "maxLength": 1.0 }, { "multipleOf": 2 }, { "not": { "type": "null" } },
            { "anyOf": [{ "type": "string" }] }, { "$ref": "#/$defs/a", "$defs": { "a": { "type": "string" } } },
            { "pattern": "a" }, { "format": "email" }, { "type": "string", "x-sensitive": true }, { "title": "t" },
            { "exclusiveMinimum": 1 }, { "allOf": [false] }
        ]) else {
            return Vec::new();
        };
        schemas
    }

    #[test]
    fn static_answers_agree_with_the_validator() {
        let mut plain = 0;
        for schema in schemas() {
            let compiled = CompiledSchema::compile(&schema);
            let is_valid = |value: &Value| {
                let tape = Tape::parse(value.to_string(), &Limits::widest()).unwrap();
                compiled.as_ref().is_ok_and(|schema| schema.is_valid(tape.root()))
            };
            if let (Some(rejects), true) = (statically_rejects_null(&schema), compiled.is_ok()) {
                assert_eq!(rejects, !is_valid(&Value::Null), "{schema}");
            }
            for value in values() {
                if statically_accepts(&schema, &value) {
                    plain += 1;
                    assert!(is_valid(&value), "{schema} {value}");
                }
            }
        }
        assert!(plain > 40, "{plain}");
    }

    #[test]
    fn common_defaults_are_accepted_statically() {
        for (schema, value) in [
            (json!({ "type": "integer", "minimum": 1, "maximum": 10, "default": 5, "description": "d" }), json!(5)),
            (json!({ "type": "string", "enum": ["a", "b"], "default": "a" }), json!("a")),
            (json!({ "type": "boolean", "default": false }), json!(false)),
            (json!({ "type": "string", "maxLength": 3, "default": "ü€😀" }), json!("ü€😀")),
        ] {
            assert!(statically_accepts(&schema, &value), "{schema}");
        }
    }
}
