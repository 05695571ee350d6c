//! OpenAI Responses: the flat form of a function tool, with the strict parameters if the tool has a strict form.
//!
//! `strict` is always set. Sources: the API reference of the Responses API, in which a function is strict by default,
//! and the guide "Function calling", "Strict mode": the API makes a schema without `strict` strict, so optional
//! arguments would become required, and their `null` would not be turned back into absent.

use serde_json::{Value, json};

use super::{DeclareFn, Provider, Receipt, Undeclarable, openai, openai_strict};
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider =
    Provider { name: "openaiResponses", max_tools: None, declare: DeclareFn::Infallible(declare) };

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    let mut strict_receipt = Receipt::default();
    let (parameters, strict) = match openai_strict::parameters(tool, &mut strict_receipt) {
        Ok(parameters) => {
            *receipt = strict_receipt;
            (parameters, true)
        }
        Err(Undeclarable { pointer, reason }) => {
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
