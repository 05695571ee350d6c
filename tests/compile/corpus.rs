//! Real tools through every provider: nothing panics, and what Gemini is sent is Gemini's `Schema` and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use toolgate::compile::{declare, provider_names};
use toolgate::definition::ToolDefinition;

use crate::strict::rules;

/// The corpus folder, or `None` with a line that says so.
pub(crate) fn corpus() -> Option<PathBuf> {
    let named = std::env::var_os("TOOLGATE_CORPUS").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(named);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: there is no corpus (TOOLGATE_CORPUS)");
    None
}

pub(crate) fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn definition(parameters: &Value) -> ToolDefinition {
    let mut definition = json!({
        "toolId": "tool", "version": "1.0.0", "title": "Tool", "description": "Does it.", "category": "action",
        "sideEffects": "writes", "idempotent": false, "requiresConfirmation": true, "allowedModes": ["text"],
        "latencyBudgetMs": 1000, "parallel": false, "summary": "Does it.", "documentation": "", "handlerPath": "h.js"
    });
    definition["jsonSchema"] = parameters.clone();
    serde_json::from_value(definition).unwrap()
}

const ANY: [&str; 4] = ["type", "title", "description", "nullable"];

/// The fields that a schema of this type may have, besides those of every schema.
fn fields_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "STRING" => &["format", "enum", "minLength", "maxLength", "pattern"],
        "NUMBER" | "INTEGER" => &["format", "minimum", "maximum"],
        "ARRAY" => &["items", "minItems", "maxItems"],
        "OBJECT" => &["properties", "required", "propertyOrdering", "minProperties", "maxProperties"],
        "BOOLEAN" | "NULL" => &[],
        other => panic!("{other} is no type of Gemini's"),
    }
}

/// Everything about a schema that Gemini would refuse.
fn gemini_faults(schema: &Value, at: &str, faults: &mut Vec<String>) {
    let Value::Object(members) = schema else {
        faults.push(format!("{at}: a schema is an object, not {schema}"));
        return;
    };
    let allowed: Vec<&str> = match (members.get("type").and_then(Value::as_str), members.get("anyOf")) {
        (Some(kind), None) => [&ANY[..], fields_of(kind), &["default", "example"]].concat(),
        (None, Some(_)) => vec!["title", "description", "nullable", "default", "anyOf"],
        _ => {
            faults.push(format!("{at}: a schema has either one type or anyOf: {schema}"));
            return;
        }
    };
    faults.extend(members.keys().filter(|name| !allowed.contains(&name.as_str())).map(|name| format!("{at}: {name}")));
    let is_int64 = |value: &Value| value.as_str().is_some_and(|text| text.parse::<i64>().is_ok_and(|bound| bound >= 0));
    for name in ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"] {
        faults.extend(members.get(name).filter(|value| !is_int64(value)).map(|value| format!("{at}: {name} {value}")));
    }
    let is_enum = |value: &Value| {
        let values = value.as_array().unwrap();
        !values.is_empty() && values.iter().all(|value| value.as_str().is_some_and(|text| !text.is_empty()))
    };
    faults.extend(members.get("enum").filter(|value| !is_enum(value)).map(|value| format!("{at}: enum {value}")));
    if members.get("type").is_some_and(|kind| kind == "ARRAY") && !members.contains_key("items") {
        faults.push(format!("{at}: an array without items"));
    }
    if let Some(items) = members.get("items") {
        gemini_faults(items, &format!("{at}/items"), faults);
    }
    for (index, branch) in members.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate() {
        gemini_faults(branch, &format!("{at}/anyOf/{index}"), faults);
    }
    gemini_properties(members, at, faults);
}

fn gemini_properties(members: &Map<String, Value>, at: &str, faults: &mut Vec<String>) {
    let Some(properties) = members.get("properties") else { return };
    let properties = properties.as_object().unwrap();
    let names: Vec<&String> = properties.keys().collect();
    if properties.is_empty() || members.get("propertyOrdering") != Some(&json!(names)) {
        faults.push(format!("{at}: properties and propertyOrdering differ, or there are none"));
    }
    for name in members.get("required").and_then(Value::as_array).into_iter().flatten() {
        if !names.iter().any(|known| *name == known.as_str()) {
            faults.push(format!("{at}: {name} is required and no property"));
        }
    }
    for (name, property) in properties {
        gemini_faults(property, &format!("{at}/properties/{name}"), faults);
    }
}

/// Everything about a tool's declarations that a provider would refuse.
fn faults(parameters: &Value) -> Vec<String> {
    let declared = declare(&definition(parameters)).provider_schemas;
    let mut faults = Vec::new();
    for name in provider_names() {
        // A tool that no strict schema can tell of, or with names that Anthropic refuses, is not declared there.
        let may_be_absent = ["openaiStrict", "anthropic"].contains(&name);
        assert!(declared.contains_key(name) || may_be_absent, "{name}");
    }
    if let Some(strict) = declared.get("openaiStrict") {
        faults.extend(rules::faults(&strict["function"]["parameters"]));
    }
    if let Some(schema) = declared["geminiNative"].get("parameters") {
        if schema["type"] != "OBJECT" {
            faults.push(format!("the parameters are no object: {schema}"));
        }
        gemini_faults(schema, "", &mut faults);
    }
    let flat = &declared["openaiRealtime"]["parameters"];
    assert_eq!(flat, &declared["openai"]["function"]["parameters"]);
    for name in ["oneOf", "anyOf", "allOf", "enum", "not", "$ref", "$schema"] {
        faults.extend(flat.get(name).map(|_| format!("openai: {name} at the top")));
    }
    if flat["type"] != "object" || !flat["properties"].is_object() {
        faults.push("openai: no object with properties at the top".to_owned());
    }
    faults
}

#[test]
fn every_real_tool_is_declared_to_every_provider() {
    let Some(corpus) = corpus() else { return };
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut count = 0;
    for entry in fs::read_dir(corpus.join("tools")).unwrap() {
        for tool in lines(&entry.unwrap().path()) {
            count += 1;
            let faults = faults(&tool["parameters"]);
            if !faults.is_empty() {
                wrong.insert(tool["id"].to_string(), faults);
            }
        }
    }
    assert!(count > 3000, "only {count} tools");
    assert!(wrong.is_empty(), "{} of {count}: {:#?}", wrong.len(), wrong.iter().take(5).collect::<Vec<_>>());
}

#[test]
fn every_schema_of_the_peers_tests_is_declared() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    for name in ["aisdk-google-openapi.jsonl", "jsgenai-transformers.jsonl", "openai-strict-transform.jsonl"] {
        for case in lines(&corpus.join("peers").join(name)) {
            let Some(input) = case.get("input").filter(|input| input.is_object()) else { continue };
            let property = json!({ "type": "object", "properties": { "value": input } });
            for parameters in [input, &property] {
                let faults = faults(parameters);
                assert_eq!(faults, [""; 0], "{parameters}");
                count += 1;
            }
        }
    }
    assert!(count > 50, "only {count} schemas");
}

#[test]
fn every_schema_of_the_test_suite_is_declared() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    let mut open = vec![corpus.join("json-schema-test-suite")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let Ok(Value::Array(groups)) = serde_json::from_str::<Value>(&text) else { continue };
        for schema in groups.iter().filter_map(|group| group.get("schema")) {
            let parameters =
                json!({ "type": "object", "properties": { "value": schema }, "$defs": schema.get("$defs") });
            let faults = faults(&parameters);
            assert_eq!(faults, [""; 0], "{}: {schema}", path.display());
            count += 1;
        }
    }
    assert!(count > 300, "only {count} schemas");
}
