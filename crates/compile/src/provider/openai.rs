//! OpenAI Chat Completions: a function tool without `strict`.
//!
//! Source: the API's errors for schemas that it refuses even without `strict`: combinators at the top level, and
//! "array schema missing items".

use serde_json::{Map, Value, json};

use super::extensions::without_extensions;
use super::root_object::plain_object;
use super::{DeclareFn, Provider, Receipt};
use crate::schema::dialect;
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider =
    Provider { name: "openai", max_tools: Some(MAX_TOOLS), declare: DeclareFn::Infallible(declare) };

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

/// Source: the API reference of Chat Completions ("a max of 128 functions are supported"), and the API's error "Invalid 'tools':
/// array too long. Expected an array with maximum length 128".
pub(super) const MAX_TOOLS: usize = 128;

/// The parameters as JSON Schema, with a plain object at the root and `items` in every array.
pub(super) fn parameters(tool: &ToolDefinition, receipt: &mut Receipt) -> Map<String, Value> {
    let mut parameters = plain_object(&without_extensions(&tool.json_schema), receipt);
    parameters.shift_remove("$schema");
    add_missing_items(parameters, receipt)
}

fn add_missing_items(parameters: Map<String, Value>, receipt: &mut Receipt) -> Map<String, Value> {
    let mut parameters = Value::Object(parameters);
    let mut bare = Vec::new();
    dialect::walk(&parameters, "", &mut |pointer, schema| {
        let is_list = schema.get("type").is_some_and(|kind| match kind {
            Value::Array(names) => names.iter().any(|name| name == "array"),
            name => name == "array",
        });
        if is_list && schema.get("items").is_none() {
            bare.push(pointer.to_owned());
        }
    });
    for pointer in bare {
        if let Some(Value::Object(members)) = parameters.pointer_mut(&pointer) {
            members.insert("items".to_owned(), json!({}));
            receipt.changed(pointer, "an array without `items` is declared with items of any type");
        }
    }
    match parameters {
        Value::Object(parameters) => parameters,
        // The input is an object.
        _ => Map::new(),
    }
}
