//! OpenAI Realtime: the flat form of a function tool. It has no `strict`.

use serde_json::{Value, json};

use super::openai::parameters;
use super::{DeclareFn, Provider, Receipt};
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider =
    Provider { name: "openaiRealtime", max_tools: None, declare: DeclareFn::Infallible(declare) };

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    json!({
        "type": "function",
        "name": tool.tool_id,
        "description": tool.description,
        "parameters": parameters(tool, receipt),
    })
}
