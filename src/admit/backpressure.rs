//! Back-pressure, right before rung 10: where too many calls wait already, another one is refused before anything is
//! recorded or debited, so that it can come again.

use serde_json::json;

use super::{AdmissionContext, StageResult};
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;

/// When a call that found the queue full may come again, in milliseconds: about the time of one call.
const RETRY_AFTER_MS: u64 = 1000;

/// Knows how many calls run and wait.
pub trait Backpressure: Sync {
    /// How many calls wait, where another one of this tool would be one too many.
    fn queued_if_full(&self, tool: &CompiledTool) -> Option<usize>;
}

pub(super) fn check(desk: &AdmissionContext<'_>, tool: &CompiledTool) -> StageResult<()> {
    match desk.backpressure.queued_if_full(tool) {
        None => Ok(()),
        Some(waiting) => Err(ToolError::new(
            ErrorType::Transient,
            format!("`{}` has not run: {waiting} calls wait already; try again in a moment", tool.id),
        )
        .with_details(json!({ "reason": "queue_full" }))
        .retryable_after(Some(RETRY_AFTER_MS))
        .into()),
    }
}
