//! OpenAI Chat Completions: a function tool without `strict`.

use serde_json::{Map, Value, json};

use super::clean::without_extensions;
use super::root::plain_object;
use super::{Provider, Receipt};
use crate::definition::ToolDefinition;

pub(super) const PROVIDER: Provider = Provider { name: "openai", declare };

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.tool_id,
            "description": tool.description,
            "parameters": parameters(tool, receipt),
        },
    })
}

/// The parameters as OpenAI's functions take them: JSON Schema, with a plain object at the top.
pub(super) fn parameters(tool: &ToolDefinition, receipt: &mut Receipt) -> Map<String, Value> {
    let mut parameters = plain_object(&without_extensions(&tool.json_schema), receipt);
    parameters.shift_remove("$schema");
    parameters
}
