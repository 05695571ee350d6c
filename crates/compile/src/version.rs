//! The tool set's version: a digest of everything that defines it and of nothing else.
//!
//! Not in it: where the folder lies, when and from which commit it was built, the order of fields, line ends, and
//! what is derived from the rest (provider declarations).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use toolgate_definition::ToolDefinition;
use toolgate_json::{ParseError, canonical};

/// `1.0.` and the first 8 hex digits of the SHA-256 over the RFC 8785 canonical JSON of all tools.
///
/// `sources` are handler sources by path within the tools folder, with LF line ends.
///
/// # Errors
/// Where all of it together is too large for a canonical form.
pub(super) fn of<'a>(
    tools: impl Iterator<Item = &'a ToolDefinition>,
    sources: &BTreeMap<String, String>,
) -> Result<String, ParseError> {
    let tools: Vec<Value> = tools.map(defining).collect();
    let canonical = canonical(&json!({ "tools": tools, "sources": sources }).to_string())?;
    let digest = Sha256::digest(canonical);
    let digits = digest.iter().take(4).fold(0_u32, |digits, byte| digits << 8 | u32::from(*byte));
    Ok(format!("1.0.{digits:08x}"))
}

/// What defines one tool, defaults resolved: writing a default out changes nothing.
fn defining(tool: &ToolDefinition) -> Value {
    let mut members = match serde_json::to_value(tool) {
        Ok(Value::Object(members)) => members,
        // A definition always serializes to an object.
        _ => Map::new(),
    };
    members.shift_remove("handlerPath");
    Value::Object(members)
}
