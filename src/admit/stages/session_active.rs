//! Stage session: the session is active, and the attachment belongs to it.

use serde_json::json;

use crate::admit::context::AdmissionContext;
use crate::admit::decision::StageResult;
use crate::error::{ErrorType, ToolError};

pub(in crate::admit) fn check(context: &AdmissionContext<'_>) -> StageResult<()> {
    let inactive =
        if context.closing { Some(("closed", "the registry is closed")) } else { context.attachment.inactive_reason() };
    let Some((reason, message)) = inactive else { return Ok(()) };
    Err(ToolError::new(ErrorType::SessionInactive, message).with_details(json!({ "reason": reason })).into())
}
