//! Mutants from which the original is clear, by the rule that has to repair them.

use serde_json::{Value, json};
use toolgate_schema::RepairRule as Rule;

use super::properties;

/// The mutants of a call, as JSON texts: one for each value that a rule is about, and those of the whole arguments.
pub(crate) fn mutants(parameters: &Value, args: &Value) -> Vec<(Rule, String)> {
    let mut mutants = whole(args);
    let with = |name: &str, value: Value| {
        let mut mutant = args.clone();
        mutant[name] = value;
        mutant.to_string()
    };
    for (name, schema, value) in properties(parameters, args) {
        mutants.extend(of_value(schema, value).into_iter().map(|(rule, value)| (rule, with(name, value))));
    }
    let declared = parameters["properties"].as_object().into_iter().flatten();
    for (name, schema) in declared {
        let is_required = parameters["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
        let takes_null = !matches!(&schema["type"], Value::String(_)) || schema["type"] == "null";
        if args.get(name).is_none() && !is_required && !takes_null {
            mutants.push((Rule::NullAbsent, with(name, Value::Null)));
        }
    }
    mutants
}

/// Mutants of the arguments as a whole.
fn whole(args: &Value) -> Vec<(Rule, String)> {
    let text = args.to_string();
    let mut mutants = vec![
        (Rule::JsonText, Value::from(text.as_str()).to_string()),
        (Rule::CodeFence, format!("```json\n{text}\n```")),
    ];
    if args.as_object().is_some_and(|members| !members.is_empty()) {
        mutants.push((Rule::TrailingComma, format!("{},}}", text.strip_suffix('}').unwrap())));
        let wrapper = ["arguments", "parameters", "input", "args"][text.len() % 4];
        mutants.push((Rule::WrappedArguments, json!({ wrapper: args }).to_string()));
    }
    mutants
}

/// Mutants of one value. Only a plain `type` says what was meant for sure.
fn of_value(schema: &Value, value: &Value) -> Vec<(Rule, Value)> {
    let Some(wanted) = schema["type"].as_str() else { return Vec::new() };
    let mut mutants = Vec::new();
    match (wanted, value) {
        ("integer" | "number", Value::Number(number)) if is_written_back(&number.to_string()) => {
            mutants.push((Rule::NumberText, json!(number.to_string())));
            mutants.push((Rule::NumberText, json!(format!(" {number} "))));
        }
        ("boolean", Value::Bool(value)) => {
            let words = if *value { ["true", "True", " TRUE"] } else { ["false", "False", "FALSE "] };
            mutants.extend(words.map(|word| (Rule::BooleanText, json!(word))));
        }
        ("string", Value::String(text)) => {
            let parsed: Option<Value> = serde_json::from_str(text).ok();
            // The mutant is written as the text is.
            match parsed.filter(|parsed| is_written_as(parsed, text)) {
                Some(number @ Value::Number(_)) => mutants.push((Rule::TextOfNumber, number)),
                Some(value @ Value::Bool(_)) => mutants.push((Rule::TextOfBoolean, value)),
                _ => {}
            }
            mutants.extend(spellings(schema, text).into_iter().map(|text| (Rule::EnumSpelling, json!(text))));
        }
        ("object" | "array", Value::Object(_) | Value::Array(_)) => {
            mutants.push((Rule::JsonText, json!(value.to_string())));
            if let Some([only]) = value.as_array().map(Vec::as_slice)
                && !only.is_array()
            {
                mutants.push((Rule::SingleItem, only.clone()));
            }
        }
        _ => {}
    }
    mutants
}

fn is_written_as(value: &Value, text: &str) -> bool {
    serde_json::to_string(value).is_ok_and(|written| written == text)
}

fn is_written_back(number: &str) -> bool {
    number.len() <= 15
}

/// Other spellings of an enum value that no other value has.
fn spellings(schema: &Value, text: &str) -> Vec<String> {
    let Some(allowed) = schema["enum"].as_array() else { return Vec::new() };
    let plain = |text: &str| text.to_lowercase().replace(['-', '_'], " ");
    let alike = allowed.iter().filter_map(Value::as_str).filter(|other| plain(other) == plain(text));
    if alike.count() != 1 {
        return Vec::new();
    }
    let mut spelt = vec![text.to_uppercase(), text.to_lowercase()];
    spelt.extend(["-", "_", " "].map(|between| text.replace(['-', '_', ' '], between)));
    spelt.retain(|other| other != text && other.chars().count() == text.chars().count());
    spelt
}
