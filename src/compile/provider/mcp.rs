//! Model Context Protocol, `Tool` of revision 2025-11-25: the schema as it is, with hints derived from the metadata.

use serde_json::{Map, Value, json};

use super::clean::without_extensions;
use super::{Provider, Receipt};
use crate::definition::{SideEffects, ToolDefinition};

pub(super) const PROVIDER: Provider = Provider { name: "mcp", declare };

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    let mut declaration = Map::new();
    let mut put = |name: &str, value: Value| declaration.insert(name.to_owned(), value);
    put("name", json!(tool.tool_id));
    put("title", json!(tool.title));
    put("description", json!(tool.description));
    put("inputSchema", without_extensions(&tool.json_schema));
    if let Some(schema) = &tool.result_schema {
        // The protocol wants an object at the top of both schemas.
        if schema.get("type").is_some_and(|kind| kind == "object") {
            put("outputSchema", without_extensions(schema));
        } else {
            receipt.changed("", "`resultSchema` is no object schema, so there is no `outputSchema`");
        }
    }
    put("annotations", annotations(tool));
    Value::Object(declaration)
}

/// A client treats an unknown tool as destructive and open; these hints say where it need not.
fn annotations(tool: &ToolDefinition) -> Value {
    let writes = match tool.side_effects {
        SideEffects::None | SideEffects::ReadOnly => false,
        SideEffects::Writes => true,
    };
    json!({
        "readOnlyHint": !writes,
        // Whether a write only adds is not known, so every write may destroy.
        "destructiveHint": writes,
        "idempotentHint": tool.idempotent,
        "openWorldHint": tool.side_effects != SideEffects::None || !tool.requires.is_empty(),
    })
}
