//! Mutants that have two readings or none: they do not say what the original was.

use serde_json::{Value, json};

use super::properties;

/// A mutant, with the schema that it is sent to.
pub(crate) struct Mutant {
    pub(crate) what: &'static str,
    pub(crate) parameters: Value,
    pub(crate) text: String,
}

/// The mutants of a call: of each value what it became, and of the schema what makes a value ambiguous.
pub(crate) fn mutants(parameters: &Value, args: &Value) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    let mut add = |what, parameters: Value, text: String| mutants.push(Mutant { what, parameters, text });
    for (name, schema, value) in properties(parameters, args) {
        for (what, value) in lossy_values(schema, value) {
            add(what, parameters.clone(), with(args, name, value).to_string());
        }
        for (what, schema, value) in ambiguous_values(schema, value) {
            let mut parameters = parameters.clone();
            parameters["properties"][name] = schema;
            add(what, parameters, with(args, name, value).to_string());
        }
        add("a misspelt name", parameters.clone(), renamed(args, name).to_string());
    }
    let text = args.to_string();
    for (what, text) in [
        ("truncated", text.strip_suffix('}').unwrap().to_owned()),
        ("a sentence around", format!("Here are the arguments: {text}")),
        ("two fences", format!("```json\n{text}\n```\n```json\n{text}\n```")),
        ("an unknown wrapper", json!({ "params": args }).to_string()),
        ("a wrapper with more", json!({ "arguments": args, "reason": "x" }).to_string()),
        ("a list of arguments", format!("[{text}]")),
        ("encoded three times", Value::from(Value::from(text.as_str()).to_string()).to_string()),
    ] {
        add(what, parameters.clone(), text);
    }
    mutants
}

fn with(args: &Value, name: &str, value: Value) -> Value {
    let mut mutant = args.clone();
    mutant[name] = value;
    mutant
}

/// The arguments with one property under another name.
fn renamed(args: &Value, name: &str) -> Value {
    let members = args.as_object().unwrap().iter();
    members
        .map(|(known, value)| (if known == name { format!("{name}s_") } else { known.clone() }, value.clone()))
        .collect()
}

/// Values that do not say what the original was.
fn lossy_values(schema: &Value, value: &Value) -> Vec<(&'static str, Value)> {
    let texts = |what: &'static str, texts: &[String]| texts.iter().map(|text| (what, json!(text))).collect();
    match (schema["type"].as_str().unwrap_or_default(), value) {
        ("integer" | "number", Value::Number(number)) => {
            let digits = number.to_string();
            let plain = digits.trim_start_matches('-');
            let texts = [
                format!("0{plain}"),
                format!("+{plain}"),
                format!("{digits} kg"),
                format!("${digits}"),
                format!("{digits}%"),
                format!("{digits}_000"),
                format!("{digits},5"),
                format!("0x{plain}"),
                format!("{digits}e999"),
                format!("about {digits}"),
                "three".to_owned(),
                String::new(),
                "9007199254740993".to_owned(),
                "NaN".to_owned(),
                format!("{digits}/2"),
                "null".to_owned(),
                "0.12345678901234567890".to_owned(),
                "١".to_owned(),
                format!("{digits}-{digits}"),
            ];
            texts.iter().map(|text| ("no plain number", json!(text))).collect()
        }
        ("boolean", Value::Bool(_)) => {
            let words = ["yes", "no", "1", "0", "on", "t", "", "truе", "true false", "none"];
            let mut mutants: Vec<_> = words.map(|word| ("no boolean", json!(word))).into();
            mutants.extend([("a number for a boolean", json!(1)), ("a number for a boolean", json!(0))]);
            mutants
        }
        ("string", Value::String(text)) if schema["enum"].is_array() => {
            let changed =
                [format!("{text}s"), format!(" {text}"), format!("the {text}"), format!("{text}."), String::new()];
            texts("free text for an enum", &changed)
        }
        ("array", Value::Array(items)) if items.len() > 1 => {
            let shown: Vec<String> =
                items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect();
            let text = value.to_string();
            let mut mutants =
                vec![("a list in words", json!(shown.join(", "))), ("a list in words", json!(shown.join("\n")))];
            mutants.push(("truncated JSON", json!(text.strip_suffix(']').unwrap())));
            mutants
        }
        ("object", Value::Object(_)) => {
            let text = value.to_string();
            vec![
                ("truncated JSON", json!(text.strip_suffix('}').unwrap())),
                ("JSON in words", json!(format!("as {text}"))),
            ]
        }
        _ => Vec::new(),
    }
}

/// Schemas with two readings of a value.
fn ambiguous_values(schema: &Value, value: &Value) -> Vec<(&'static str, Value, Value)> {
    match (schema["type"].as_str().unwrap_or_default(), value) {
        ("integer" | "number", Value::Number(number)) => {
            let text = json!(number.to_string());
            let list = |items: &str| json!({ "type": "array", "items": { "type": items } });
            vec![
                (
                    "a number or a list",
                    json!({ "type": ["number", "array"], "items": { "type": "string" } }),
                    text.clone(),
                ),
                ("a number or a list", json!({ "anyOf": [{ "type": "number" }, list("string")] }), text.clone()),
                (
                    "two kinds of numbers",
                    json!({ "anyOf": [{ "type": "number" }, { "multipleOf": 1, "type": "number" }, { "type": "number", "minimum": -1e300 }] }),
                    text.clone(),
                ),
                ("a text or a list", json!({ "anyOf": [{ "type": "string" }, list("number")] }), value.clone()),
                (
                    "a text or a list",
                    json!({ "type": ["string", "array"], "items": { "type": "number" } }),
                    value.clone(),
                ),
                ("a list of lists", json!({ "type": "array", "items": list("number") }), json!([number, number])),
            ]
        }
        ("string", Value::String(text)) if schema["enum"].is_array() && text.contains(['_', '-', ' ']) => {
            let spelt = |between: &str| text.replace(['_', '-', ' '], between);
            let both = json!({ "type": "string", "enum": [spelt("_"), spelt("-")] });
            vec![("two enum values", both, json!(spelt(" ")))]
        }
        ("string", Value::String(text)) if text.to_lowercase() != text.to_uppercase() => {
            let both = json!({ "type": "string", "enum": [text.to_lowercase(), text.to_uppercase()] });
            // The first letter in the one case, the others in the other.
            let mut letters = text.chars();
            let mixed: String = letters.by_ref().take(1).flat_map(char::to_uppercase).collect();
            let mixed = mixed + &letters.flat_map(char::to_lowercase).collect::<String>();
            vec![("two enum values", both, json!(mixed))]
        }
        _ => Vec::new(),
    }
}
