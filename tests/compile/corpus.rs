//! Real tools through every provider: nothing panics, and what Gemini is sent is Gemini's `Schema` and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use toolgate::compile::{declare, provider_names};
use toolgate::definition::ToolDefinition;

use crate::gemini_schema;
use crate::strict::rules;

/// The corpus folder, or `None` with a line that says so.
pub(crate) fn corpus() -> Option<PathBuf> {
    let named = std::env::var_os("TOOLGATE_CORPUS").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(named);
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "CI skips no test: there is no corpus (TOOLGATE_CORPUS)");
    println!("ignored: there is no corpus (TOOLGATE_CORPUS)");
    None
}

pub(crate) fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The real tools, if there is a corpus.
pub(crate) fn tools() -> Option<Vec<Value>> {
    let folder = corpus()?.join("tools");
    Some(fs::read_dir(folder).unwrap().flat_map(|entry| lines(&entry.unwrap().path())).collect())
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

/// Everything about a tool's declarations that a provider would refuse.
fn faults(parameters: &Value) -> Vec<String> {
    let declared = declare(&definition(parameters)).provider_schemas;
    let mut faults = Vec::new();
    for name in provider_names() {
        // A tool that no strict schema can declare, or with names that Anthropic refuses, is not declared there.
        let may_be_absent = ["openaiStrict", "anthropic"].contains(&name);
        assert!(declared.contains_key(name) || may_be_absent, "{name}");
    }
    if let Some(strict) = declared.get("openaiStrict") {
        faults.extend(rules::faults(&strict["function"]["parameters"]));
    }
    faults.extend(gemini_schema::faults(&declared["geminiNative"]));
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
