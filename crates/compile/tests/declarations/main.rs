//! What holds for the declarations of any tool: those of real tools, and those of schemas that are made up.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod limits;
mod schemas;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use toolgate_definition::ToolDefinition;

/// The real tools; none without a corpus.
fn real_tools() -> Vec<Value> {
    let named = std::env::var_os("TOOLGATE_CORPUS").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(named).join("tools");
    let Ok(files) = fs::read_dir(folder) else {
        assert!(std::env::var_os("CI").is_none(), "CI skips no test: there is no corpus (TOOLGATE_CORPUS)");
        println!("ignored: there is no corpus (TOOLGATE_CORPUS)");
        return Vec::new();
    };
    let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let tools = texts.flat_map(|text| {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    });
    tools.collect()
}

fn definition(parameters: &Value) -> ToolDefinition {
    let mut definition = json!({
        "toolId": "tool", "version": "1.0.0", "title": "Tool", "description": "Does it.", "category": "action",
        "sideEffects": "writes", "idempotent": false, "requiresConfirmation": true, "allowedModes": ["text"],
        "latencyBudgetMs": 1000, "parallel": false, "summary": "Does it.", "documentation": "", "handlerPath": "h.js"
    });
    definition["jsonSchema"] = parameters.clone();
    serde_json::from_value(definition).unwrap()
}
