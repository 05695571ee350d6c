//! Rung 5: the tool is allowed in this mode, and the session holds the roles it needs.

use super::{AdmissionContext, StageResult};
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;

pub(super) fn check_mode(desk: &AdmissionContext<'_>, tool: &CompiledTool) -> StageResult<()> {
    allowed_in(tool, &desk.attachment.mode.name)
}

/// MODE_RESTRICTED unless the tool may be called in the mode.
pub(super) fn allowed_in(tool: &CompiledTool, mode: &str) -> StageResult<()> {
    if tool.allows_mode(mode) {
        return Ok(());
    }
    let where_allowed = tool.definition.allowed_modes.join(", ");
    Err(ToolError::new(ErrorType::ModeRestricted, format!("`{}` is not available in {mode} mode", tool.id))
        .with_suggestion(format!("it is available in: {where_allowed}"))
        .into())
}

pub(super) fn check_roles(desk: &AdmissionContext<'_>, tool: &CompiledTool) -> StageResult<()> {
    let missing: Vec<&str> = tool
        .definition
        .required_roles
        .iter()
        .filter(|role| !desk.attachment.roles.contains(*role))
        .map(String::as_str)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("`{}` needs a role that this session does not hold: {}", tool.id, missing.join(", "));
    Err(ToolError::new(ErrorType::Auth, message).into())
}
