//! Anthropic Messages: the schema with a plain object at the root, and the examples.
//!
//! Sources: Anthropic's guide "Define tools" (`name`, `description`, `input_schema` as JSON Schema, `input_examples`
//! that match it); answers of the API: draft 2020-12, no `oneOf`, `allOf` or `anyOf` at the top level, names of
//! top-level arguments of 1 to 64 ASCII letters, digits, `_`, `.` and `-`. Everything else is declared unchanged and
//! not enforced. Without `strict`: Anthropic allows few optional arguments in all strict tools together.

use serde_json::{Map, Value, json};

use super::extensions::without_extensions;
use super::root_object::plain_object;
use super::{DeclareFn, Provider, Receipt, Undeclarable};
use crate::text::source::pointer_from_names;
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider =
    Provider { name: "anthropic", max_tools: None, declare: DeclareFn::Fallible(declare) };

const MAX_NAME_LENGTH: usize = 64;

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Result<Value, Undeclarable> {
    let mut schema = plain_object(&without_extensions(&tool.json_schema), receipt);
    schema.shift_remove("$schema");
    let left_out = remove_unsupported_names(&mut schema, receipt)?;
    let mut declaration = Map::new();
    declaration.insert("name".to_owned(), json!(tool.tool_id));
    declaration.insert("description".to_owned(), json!(tool.description));
    declaration.insert("input_schema".to_owned(), Value::Object(schema));
    let is_sayable = |example: &&Value| left_out.iter().all(|name| example.get(name).is_none());
    let examples: Vec<&Value> = tool.examples.iter().filter(is_sayable).collect();
    if examples.len() < tool.examples.len() {
        receipt.changed("", "examples with arguments that are left out are left out too");
    }
    if !examples.is_empty() {
        declaration.insert("input_examples".to_owned(), json!(examples));
    }
    Ok(Value::Object(declaration))
}

/// Removes optional arguments whose names Anthropic refuses; fails for a required one. Returns the removed names.
fn remove_unsupported_names(
    schema: &mut Map<String, Value>,
    receipt: &mut Receipt,
) -> Result<Vec<String>, Undeclarable> {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return Ok(Vec::new()) };
    let odd: Vec<String> = properties.keys().filter(|name| !is_supported_name(name)).cloned().collect();
    for name in &odd {
        let at = pointer_from_names(&["properties", name]);
        let reason = format!("Anthropic accepts no argument with the name `{name}`");
        if required.iter().any(|required| required == name) {
            return Err(Undeclarable { pointer: at, reason });
        }
        properties.shift_remove(name);
        receipt.lost(at, reason);
    }
    Ok(odd)
}

fn is_supported_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (1..=MAX_NAME_LENGTH).contains(&name.len()) && name.chars().all(is_allowed)
}
