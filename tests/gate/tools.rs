//! From a fixture's terse tools to a tool set. A tool names what matters in its case; the rest is usual.
//!
//! `kind` stands for category, side effects and idempotency; `properties` and `required` make the closed object schema
//! of the arguments; `handler` is one plan or a list of them, and so is `reconcile`. Writes have no duplicates unless a tool has `duplicate`. Every other member is one of `schema.json`.

use serde_json::{Map, Value, json};
use toolgate::definition::{Artifact, ProviderDeclarations, ToolDefinition, ToolWithDeclarations};
use toolgate::registry::ToolSet;

use super::script::{Plan, Script};

/// Members that only fixtures have.
const OURS: [&str; 5] = ["kind", "properties", "required", "handler", "reconcile"];

/// Compiles the tools and gives the script what their handlers do.
pub fn load(tools: &Map<String, Value>, version: &str, script: &Script) -> ToolSet {
    let definitions = tools.iter().map(|(id, tool)| {
        let tool = tool.as_object().unwrap_or_else(|| panic!("tool `{id}` is not an object"));
        script.plan(id, plans(tool.get("handler")));
        if let Some(plan) = tool.get("reconcile") {
            script.plan(&reconcile_of(id), plans(Some(plan)));
        }
        ToolWithDeclarations { definition: definition(id, tool), declared: ProviderDeclarations::default() }
    });
    let artifact = Artifact {
        artifact_version: 1,
        version: version.to_owned(),
        git_commit: None,
        build_timestamp: "2026-01-01T00:00:00Z".to_owned(),
        tools: definitions.collect(),
    };
    let set = ToolSet::compile(artifact).unwrap_or_else(|error| panic!("{error}"));
    for (id, _) in tools.iter().filter(|(_, tool)| tool.get("reconcile").is_some()) {
        set.get(id).expect("it is compiled").reconcile.give();
    }
    set
}

/// The name under which the runs of a tool's function `reconcile` are counted.
pub fn reconcile_of(id: &str) -> String {
    format!("{id}.reconcile")
}

fn plans(handler: Option<&Value>) -> Vec<Plan> {
    let plan = |value: &Value| -> Plan {
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("handler {value}: {error}"))
    };
    match handler {
        None => vec![Plan::Echo],
        Some(Value::Array(many)) => many.iter().map(plan).collect(),
        Some(one) => vec![plan(one)],
    }
}

fn definition(id: &str, tool: &Map<String, Value>) -> ToolDefinition {
    let mut whole = usual(id, tool);
    for (name, value) in tool.iter().filter(|(name, _)| !OURS.contains(&name.as_str())) {
        whole.insert(name.clone(), value.clone());
    }
    let definition: ToolDefinition =
        serde_json::from_value(Value::Object(whole)).unwrap_or_else(|error| panic!("tool `{id}`: {error}"));
    let known = serde_json::to_value(&definition).expect("a definition is JSON");
    for name in tool.keys().filter(|name| !OURS.contains(&name.as_str())) {
        assert!(known.get(name).is_some(), "tool `{id}` has no member `{name}`");
    }
    definition
}

fn usual(id: &str, tool: &Map<String, Value>) -> Map<String, Value> {
    let kind = tool.get("kind").and_then(Value::as_str).unwrap_or("pure");
    let (category, side_effects, idempotent) = match kind {
        "retrieval" => ("retrieval", "read_only", true),
        "read" => ("utility", "read_only", true),
        "pure" => ("utility", "none", true),
        "write" => ("action", "writes", false),
        "upsert" => ("action", "writes", true),
        other => panic!("tool `{id}` is of no kind `{other}`"),
    };
    let parameters = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": tool.get("properties").cloned().unwrap_or_else(|| json!({})),
        "required": tool.get("required").cloned().unwrap_or_else(|| json!([])),
    });
    let mut whole = json!({
        "toolId": id,
        "version": "1.0.0",
        "title": id,
        "description": id,
        "category": category,
        "sideEffects": side_effects,
        "idempotent": idempotent,
        "requiresConfirmation": false,
        "allowedModes": ["text", "voice", "webcam"],
        "latencyBudgetMs": 100_000,
        "parallel": side_effects != "writes",
        "jsonSchema": parameters,
        "summary": id,
        "documentation": id,
        "handlerPath": format!("./{id}/handler.js"),
    });
    // Most cases call a write more than once, and are about something else.
    if side_effects == "writes" && !idempotent {
        whole["duplicate"] = json!(false);
    }
    let Value::Object(whole) = whole else { panic!("not an object") };
    whole
}
