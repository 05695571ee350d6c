//! Stage tool: the tool is known, its services are present, and its server still offers what was locked.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use crate::admit::context::AdmissionContext;
use crate::call::RawCall;
use crate::error::{ErrorType, ToolError};
use crate::registry::{CompiledTool, ToolSet};

pub(in crate::admit) fn resolve(
    context: &AdmissionContext<'_>,
    call: &RawCall,
) -> Result<Arc<CompiledTool>, ToolError> {
    if call.name.is_empty() {
        return Err(ToolError::new(ErrorType::Validation, "the call has no tool name"));
    }
    let is_callers = |tool: &&Arc<CompiledTool>| context.parent.is_some() || !tool.definition.nested_only;
    let Some(tool) = context.tools.get(&call.name).filter(is_callers) else {
        return Err(unknown_tool(context.tools, &call.name));
    };
    check_offered(tool, &context.attachment.services)?;
    Ok(Arc::clone(tool))
}

/// NOT_FOUND if a required service is absent, or the tool's server does not offer what was locked.
pub(in crate::admit) fn check_offered(tool: &CompiledTool, services: &BTreeSet<String>) -> Result<(), ToolError> {
    if let Some(reason) = tool.availability.reason() {
        let message = format!("`{}` is not available: {}", tool.id, reason.as_text());
        return Err(ToolError::new(ErrorType::NotFound, message).with_details(json!({ "reason": reason.as_str() })));
    }
    let missing = tool.missing_services(services);
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("`{}` is not available here: it needs {}", tool.id, missing.join(", "));
    Err(ToolError::new(ErrorType::NotFound, message).with_details(json!({ "missingServices": missing })))
}

/// NOT_FOUND for an unknown name, with the nearest one.
pub(crate) fn unknown_tool(tools: &ToolSet, name: &str) -> ToolError {
    let shown: String = name.chars().take(64).collect();
    let error = ToolError::new(ErrorType::NotFound, format!("there is no tool `{shown}`"));
    match tools.nearest_tool_id(name) {
        Some(nearest) => error.with_suggestion(format!("did you mean `{nearest}`?")),
        None => error,
    }
}
