//! The built-in tool `server_question`: a server's question about a call, as a confirmation that its user answers by an edit of
//! `content`. Handlers of sources call it; its own handler checks the answer.

use serde_json::{Map, Value, json};

use crate::tool_folder::tool_definition::{ToolTexts, definition_from_fields};
use toolgate_definition::{RepairRules, ToolDefinition};

/// Its id, which no other tool of a set with sources may have.
pub(super) const SERVER_QUESTION: &str = "server_question";

/// The tool, for sessions of these modes.
///
/// # Errors
/// None: the fields are these.
pub(super) fn server_question(modes: &[String]) -> Result<ToolDefinition, String> {
    let purpose = "A question of a server, which the user of a call answers.";
    let texts = ToolTexts { summary: purpose.to_owned(), documentation: purpose.to_owned() };
    let definition = definition_from_fields(&fields(purpose, modes), texts, String::new())?;
    Ok(ToolDefinition { nested_only: true, repair: RepairRules::NONE, ..definition })
}

fn fields(purpose: &str, modes: &[String]) -> Map<String, Value> {
    let fields = json!({
        "toolId": SERVER_QUESTION,
        "version": "1.0.0",
        "title": "Question of a server",
        "description": purpose,
        "category": "utility",
        "sideEffects": "none",
        "idempotent": true,
        "requiresConfirmation": true,
        "parallel": true,
        "allowedModes": modes,
        "latencyBudgetMs": 100,
        "confirmation": { "preview": "{source} asks: {text}" },
        "parameters": parameters(),
    });
    let Value::Object(fields) = fields else { return Map::new() };
    fields
}

fn parameters() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "source", "text", "requests", "content"],
        "properties": {
            "id": { "type": "string", "description": "Tells equal questions apart." },
            "source": { "type": "string", "description": "The source whose server asks." },
            "text": { "type": "string", "description": "The messages of all requests, as the user reads them." },
            "unfit": { "type": "string", "description": "Why the last answer could not be used." },
            "requests": {
                "type": "object",
                "description": "What the server asks, by name.",
                "additionalProperties": { "oneOf": [form(), client_request()] },
            },
            "content": {
                "type": "object",
                "description": "The user's answers, by name of the request.",
                "additionalProperties": { "type": "object" },
            },
        },
    })
}

/// What the user fills in.
fn form() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["message", "requestedSchema"],
        "properties": {
            "message": { "type": "string" },
            "requestedSchema": { "type": "object" },
        },
    })
}

/// What an MCP client answers in place of its user: a completion of its model, or its folders.
fn client_request() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["method"],
        "properties": {
            "method": { "enum": ["sampling/createMessage", "roots/list"] },
            "params": { "type": "object" },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_handlers_call_it_and_its_user_is_always_asked() {
        let tool = server_question(&["text".to_owned()]).unwrap();
        assert!(tool.nested_only && tool.requires_confirmation && tool.confirmation.when.is_none());
        assert_eq!((tool.allowed_modes, tool.duplicate), (vec!["text".to_owned()], None));
    }
}
