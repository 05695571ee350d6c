//! What is declared to Gemini, against what the tool accepts: every change is on the receipt, and no value that the tool accepts is
//! refused by the declaration for Gemini.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolgate::compile::declare;
use toolgate::definition::LoweringEntry;

use crate::corpus::{definition, tools};

fn lowered(parameters: &Value) -> (Value, Vec<LoweringEntry>) {
    let mut declared = declare(&definition(parameters));
    let declaration = declared.provider_schemas.remove("geminiNative").unwrap();
    (declaration["parameters"].clone(), declared.lowering.remove("geminiNative").unwrap_or_default())
}

#[test]
fn a_receipt_names_places_of_the_schema() {
    let Some(tools) = tools() else { return };
    let mut wrong = Vec::new();
    for tool in tools {
        let parameters = &tool["parameters"];
        for entry in lowered(parameters).1 {
            if parameters.pointer(&entry.pointer).is_none() {
                wrong.push(format!("{}: {} ({})", tool["id"], entry.pointer, entry.change));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them: {:#?}", wrong.len(), wrong.iter().take(9).collect::<Vec<_>>());
}

/// Keywords that Gemini's schema does not have, whatever their value.
const NEVER: [&str; 15] = [
    "const",
    "oneOf",
    "allOf",
    "not",
    "$ref",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "if",
];

/// The keywords of a schema, and of those that it holds directly, that must be on a receipt.
fn unknown_keywords(schema: &Value, at: &str, found: &mut Vec<String>) {
    let Value::Object(members) = schema else { return };
    for (name, value) in members {
        let is_lost = NEVER.contains(&name.as_str())
            || (name == "additionalProperties" && *value != true && *value != json!({}))
            || (name == "uniqueItems" && *value == true)
            || (name == "type" && value.as_array().is_some_and(|types| types.len() > 1))
            || (name == "format"
                && schema["type"] == "string"
                && value != "date-time"
                && members.get("enum").is_none());
        if is_lost {
            found.push(format!("{at}/{name}"));
        }
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    unknown_keywords(property, &format!("{at}/properties/{name}"), found);
                }
            }
            ("items", items) => unknown_keywords(items, &format!("{at}/items"), found),
            ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                for (index, branch) in branches.iter().enumerate() {
                    unknown_keywords(branch, &format!("{at}/{name}/{index}"), found);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn nothing_is_lost_in_silence() {
    let Some(tools) = tools() else { return };
    let (mut silent, mut told) = (Vec::new(), 0);
    for tool in tools {
        let mut unknown = Vec::new();
        unknown_keywords(&tool["parameters"], "", &mut unknown);
        let (_, receipt) = lowered(&tool["parameters"]);
        told += unknown.len();
        // What is lost as a whole is lost with what is in it.
        let within = |pointer: &str, whole: &str| pointer.strip_prefix(whole).is_some_and(|rest| rest.starts_with('/'));
        let told_of = |entry: &LoweringEntry, pointer: &str| {
            entry.pointer == pointer || (entry.lost && within(pointer, &entry.pointer))
        };
        unknown.retain(|pointer| !receipt.iter().any(|entry| told_of(entry, pointer)));
        silent.extend(unknown.into_iter().map(|pointer| format!("{}: {pointer}", tool["id"])));
    }
    println!("{told} keywords that Gemini does not have are on the receipts");
    assert!(told > 500, "only {told}");
    assert!(silent.is_empty(), "{} of them: {:#?}", silent.len(), silent.iter().take(9).collect::<Vec<_>>());
}

/// Gemini's schema as JSON Schema.
fn as_json_schema(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return json!({}) };
    let mut told = Map::new();
    for (name, value) in members {
        let value = match (name.as_str(), value) {
            ("type", Value::String(kind)) => json!(kind.to_lowercase()),
            ("items", items) => as_json_schema(items),
            ("anyOf", Value::Array(branches)) => branches.iter().map(as_json_schema).collect(),
            ("properties", Value::Object(properties)) => {
                Value::Object(properties.iter().map(|(name, schema)| (name.clone(), as_json_schema(schema))).collect())
            }
            ("nullable" | "propertyOrdering" | "example", _) => continue,
            (_, Value::String(bound)) if name.starts_with("min") || name.starts_with("max") => {
                json!(bound.parse::<u64>().unwrap())
            }
            (_, other) => other.clone(),
        };
        told.insert(name.clone(), value);
    }
    if members.get("nullable") == Some(&json!(true)) {
        json!({ "anyOf": [told, { "type": "null" }] })
    } else {
        told.into()
    }
}

#[test]
fn what_the_tool_takes_gemini_may_say() {
    let Some(tools) = tools() else { return };
    let (mut count, mut narrower) = (0, BTreeMap::new());
    for tool in tools {
        let parameters = &tool["parameters"];
        let Ok(own) = jsonschema::validator_for(parameters) else { continue };
        let (schema, _) = lowered(parameters);
        let told = jsonschema::validator_for(&as_json_schema(&schema)).unwrap();
        for args in tool["args"].as_array().into_iter().flatten().filter(|args| own.is_valid(args)) {
            count += 1;
            if let Err(error) = told.validate(args) {
                narrower.insert(tool["id"].to_string(), format!("{error} at {}", error.instance_path()));
            }
        }
    }
    println!("{count} valid arguments of real tools are valid under what Gemini is told");
    assert!(count > 1000, "only {count} arguments");
    assert!(narrower.is_empty(), "{} of {count}: {:#?}", narrower.len(), narrower.iter().take(9).collect::<Vec<_>>());
}
