//! Rung 1: the session goes on and the attachment is part of it.

use serde_json::json;

use super::{AdmissionContext, StageResult};
use crate::error::{ErrorType, ToolError};

pub(super) fn check(desk: &AdmissionContext<'_>) -> StageResult<()> {
    let inactive =
        if desk.closing { Some(("closed", "the registry is closed")) } else { desk.attachment.inactive_reason() };
    let Some((reason, message)) = inactive else { return Ok(()) };
    Err(ToolError::new(ErrorType::SessionInactive, message).with_details(json!({ "reason": reason })).into())
}
