//! Stage back-pressure: if too many calls wait already, another one is refused before anything is recorded or debited,
//! so that it can come again.

use serde_json::json;

use crate::admit::context::AdmissionContext;
use crate::admit::decision::StageResult;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;

/// The delay after which a call that found no slot may be made again, in milliseconds: about the time of one call.
pub const NO_SLOT_RETRY_AFTER_MS: u64 = 1000;

pub(in crate::admit) fn check(context: &AdmissionContext<'_>, tool: &CompiledTool) -> StageResult<()> {
    match context.backpressure.queued_if_full(tool) {
        None => Ok(()),
        Some(waiting) => Err(ToolError::new(
            ErrorType::Transient,
            format!("`{}` has not run: {waiting} calls wait already; try again in a moment", tool.id),
        )
        .with_details(json!({ "reason": "queue_full" }))
        .retryable_after(Some(NO_SLOT_RETRY_AFTER_MS))
        .into()),
    }
}
