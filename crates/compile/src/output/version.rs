//! The tool set's version: a digest of the tool definitions and of the sources of handlers and schema modules.
//!
//! Independent of the folder's path, build time, commit, order of fields, line endings, and of derived data (provider
//! declarations).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use toolgate_definition::ToolDefinition;
use toolgate_json::{ParseError, canonicalize};

/// `1.0.` and the first 8 hex digits of the SHA-256 over the RFC 8785 canonical JSON of all tools.
///
/// `sources` are those of handlers and schema modules by path within the tools folder, with LF line ends.
///
/// # Errors
/// If the tools together are too large for canonical JSON.
pub(crate) fn tool_set_version<'a>(
    tools: impl Iterator<Item = &'a ToolDefinition>,
    sources: &BTreeMap<String, String>,
) -> Result<String, ParseError> {
    let tools: Vec<Value> = tools.map(defining_members).collect();
    let canonical = canonicalize(&json!({ "tools": tools, "sources": sources }).to_string())?;
    let digest = Sha256::digest(canonical);
    let digits = digest.iter().take(4).fold(0_u32, |digits, byte| digits << 8 | u32::from(*byte));
    Ok(format!("1.0.{digits:08x}"))
}

/// The members that define one tool, with defaults resolved: an explicit default does not change the version.
fn defining_members(tool: &ToolDefinition) -> Value {
    let mut members = match serde_json::to_value(tool) {
        Ok(Value::Object(members)) => members,
        // A definition always serializes to an object.
        _ => Map::new(),
    };
    members.shift_remove("handlerPath");
    Value::Object(members)
}
