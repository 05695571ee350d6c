//! Rung 2: the tool is known, and what it needs is there.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::{AdmissionContext, StageResult};
use crate::call::RawCall;
use crate::error::{ErrorType, ToolError};
use crate::registry::{CompiledTool, ToolSet};

pub(super) fn resolve(desk: &AdmissionContext<'_>, call: &RawCall) -> StageResult<Arc<CompiledTool>> {
    if call.name.is_empty() {
        return Err(ToolError::new(ErrorType::Validation, "the call has no tool name").into());
    }
    let Some(tool) = desk.tools.get(&call.name) else {
        return Err(unknown_tool(desk.tools, &call.name).into());
    };
    check_services(tool, &desk.attachment.services)?;
    Ok(Arc::clone(tool))
}

/// NOT_FOUND where a service that the tool needs is not at hand.
pub(crate) fn check_services(tool: &CompiledTool, services: &BTreeSet<String>) -> Result<(), ToolError> {
    let missing = tool.missing_services(services);
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("`{}` is not available here: it needs {}", tool.id, missing.join(", "));
    Err(ToolError::new(ErrorType::NotFound, message).with_details(json!({ "missingServices": missing })))
}

/// NOT_FOUND for a name that no tool has.
pub(crate) fn unknown_tool(tools: &ToolSet, name: &str) -> ToolError {
    let shown: String = name.chars().take(64).collect();
    let error = ToolError::new(ErrorType::NotFound, format!("there is no tool `{shown}`"));
    match tools.nearest_tool_id(name) {
        Some(nearest) => error.with_suggestion(format!("did you mean `{nearest}`?")),
        None => error,
    }
}
