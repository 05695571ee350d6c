//! Model Context Protocol, `Tool` of revision 2025-11-25: the unchanged schema, with hints derived from the metadata.

use serde_json::{Map, Value, json};

use super::extensions::without_extensions;
use super::{DeclareFn, Provider, Receipt};
use toolgate_definition::{SideEffects, ToolDefinition};

pub(super) const PROVIDER: Provider =
    Provider { name: "mcp", max_tools: None, declare: DeclareFn::Infallible(declare) };

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    let mut declaration = Map::new();
    let mut put = |name: &str, value: Value| declaration.insert(name.to_owned(), value);
    put("name", json!(tool.tool_id));
    put("title", json!(tool.title));
    put("description", json!(tool.description));
    put("inputSchema", object_schema(&tool.json_schema));
    if let Some(schema) = &tool.result_schema {
        // The protocol requires an object at the root of both schemas.
        if schema.get("type").is_some_and(|kind| kind == "object") {
            put("outputSchema", object_schema(schema));
        } else {
            receipt.changed("", "`resultSchema` is not an object schema, so there is no `outputSchema`");
        }
    }
    put("annotations", tool_annotations(tool));
    Value::Object(declaration)
}

/// The schema in the protocol's form: `type: "object"`, and properties as objects instead of booleans.
fn object_schema(schema: &Value) -> Value {
    let mut schema = without_extensions(schema);
    let Value::Object(members) = &mut schema else { return json!({ "type": "object" }) };
    members.insert("type".to_owned(), json!("object"));
    let properties = members.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
        match property {
            Value::Bool(true) => *property = json!({}),
            Value::Bool(false) => *property = json!({ "not": {} }),
            _ => {}
        }
    }
    schema
}

/// The hints of the protocol. Without hints a client treats a tool as destructive and open-world.
fn tool_annotations(tool: &ToolDefinition) -> Value {
    let writes = match tool.side_effects {
        SideEffects::None | SideEffects::ReadOnly => false,
        SideEffects::Writes => true,
    };
    json!({
        "readOnlyHint": !writes,
        // Whether a write only adds is unknown, so every write counts as destructive.
        "destructiveHint": writes,
        "idempotentHint": tool.idempotent,
        "openWorldHint": tool.side_effects != SideEffects::None || !tool.requires.is_empty(),
    })
}
