//! Findings about all tools of a folder together.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_compile::{BuildOptions, Code, check};

/// Writes a tool that may be called in a mode, with other fields of its `schema.json`.
fn write_tool(tools: &Path, id: &str, mode: &str, other: &Value) {
    let folder = tools.join(id);
    fs::create_dir(&folder).unwrap();
    let mut schema = json!({
        "toolId": id, "version": "1.0.0", "description": "Does it.", "category": "utility", "sideEffects": "none",
        "idempotent": true, "requiresConfirmation": false, "allowedModes": [mode], "latencyBudgetMs": 50,
        "parameters": { "type": "object", "additionalProperties": false }
    });
    schema.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
    fs::write(folder.join("schema.json"), schema.to_string()).unwrap();
    fs::write(folder.join("guide.md"), format!("# {id}\n\nDoes it.\n")).unwrap();
    fs::write(folder.join("handler.js"), "export const execute = () => ({ ok: true })\n").unwrap();
}

/// The findings about the size of the tool set.
fn findings(tools: &Path, providers: &[&str]) -> Vec<String> {
    let options = BuildOptions {
        providers: providers.iter().map(|&name| name.to_owned()).collect(),
        modes: vec!["kiosk".to_owned()],
        ..BuildOptions::new(tools)
    };
    let found = check(&options).diagnostics.into_iter().filter(|found| found.code == Code::ToolSetLarge);
    found.map(|found| found.message).collect()
}

#[test]
fn more_tools_than_a_provider_takes_are_a_finding_for_each_mode() {
    let folder = TempDir::new().unwrap();
    let tools = folder.path();
    for number in 0..128 {
        write_tool(tools, &format!("tool_{number}"), "text", &json!({}));
        write_tool(tools, &format!("other_{number}"), "kiosk", &json!({}));
    }
    assert_eq!(findings(tools, &[]), [""; 0]);
    write_tool(tools, "one_more", "kiosk", &json!({ "lintAccepted": ["tool-set-large"] }));
    assert_eq!(findings(tools, &[]), [""; 0], "it is not counted");
    write_tool(tools, "too_many", "kiosk", &json!({}));
    let expected = "`kiosk` has too many tools: `openai` takes at most 128 in one request, not 129";
    assert_eq!(findings(tools, &[]), [expected]);
    let both = "`kiosk` has too many tools: `openai` takes at most 128 in one request, not 129; `openaiStrict` takes at \
                most 128 in one request, not 129";
    assert_eq!(findings(tools, &["openai", "openaiStrict"]), [both]);
    assert_eq!(findings(tools, &["gemini", "anthropic", "mcp", "openaiResponses"]), [""; 0]);
    for number in 0..384 {
        write_tool(tools, &format!("further_{number}"), "kiosk", &json!({}));
    }
    let expected = "`kiosk` has too many tools: `geminiNative` takes at most 512 in one request, not 513";
    assert_eq!(findings(tools, &["gemini"]), [expected]);
}
