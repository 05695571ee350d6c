//! Stages mode and roles: the mode allows the tool, and the session holds the required roles.

use crate::admit::context::AdmissionContext;
use crate::admit::decision::StageResult;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;

pub(in crate::admit) fn check_mode(context: &AdmissionContext<'_>, tool: &CompiledTool) -> StageResult<()> {
    allowed_in(tool, &context.attachment.mode.name)
}

/// MODE_RESTRICTED unless the mode allows the tool.
pub(in crate::admit) fn allowed_in(tool: &CompiledTool, mode: &str) -> StageResult<()> {
    if tool.allows_mode(mode) {
        return Ok(());
    }
    let where_allowed = tool.definition.allowed_modes.join(", ");
    Err(ToolError::new(ErrorType::ModeRestricted, format!("`{}` is not available in {mode} mode", tool.id))
        .with_suggestion(format!("it is available in: {where_allowed}"))
        .into())
}

pub(in crate::admit) fn check_roles(context: &AdmissionContext<'_>, tool: &CompiledTool) -> StageResult<()> {
    let missing: Vec<&str> = tool
        .definition
        .required_roles
        .iter()
        .filter(|role| !context.attachment.roles.contains(*role))
        .map(String::as_str)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("`{}` needs a role that this session does not hold: {}", tool.id, missing.join(", "));
    Err(ToolError::new(ErrorType::Auth, message).into())
}
