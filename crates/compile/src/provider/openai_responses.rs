//! OpenAI Responses: the flat form of a function tool, with the strict parameters where a tool has them.
//!
//! `strict` is always said. Sources: the API reference of the Responses API, where a function is strict by default, and
//! the guide "Function calling", "Strict mode": a schema without `strict` is made strict there, so that optional
//! arguments would become required without anybody turning their `null` back.

use serde_json::{Value, json};

use super::{Declare, Impossible, Provider, Receipt, openai, openai_strict};
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider = Provider { name: "openaiResponses", declare: Declare::Always(declare) };

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    let mut strict_receipt = Receipt::default();
    let (parameters, strict) = match openai_strict::parameters(tool, &mut strict_receipt) {
        Ok(parameters) => {
            *receipt = strict_receipt;
            (parameters, true)
        }
        Err(Impossible { pointer, reason }) => {
            receipt.changed(pointer, format!("`strict` is false: {reason}"));
            (openai::parameters(tool, receipt), false)
        }
    };
    json!({
        "type": "function",
        "name": tool.tool_id,
        "description": tool.description,
        "parameters": parameters,
        "strict": strict,
    })
}
