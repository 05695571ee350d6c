//! Back-pressure, right before rung 10: where too many calls wait already, another one is refused before anything is
//! recorded or debited, so that it can come again.

use serde_json::json;

use super::{Desk, Rung};
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;

/// When a call that found the queue full may come again, in milliseconds: about the time of one call.
const AGAIN_AFTER_MS: u64 = 1000;

/// Knows how many calls run and wait.
pub trait Room: Sync {
    /// How many calls wait, where another one of this tool would be one too many.
    fn is_full(&self, tool: &CompiledTool) -> Option<usize>;
}

pub(super) fn check(desk: &Desk<'_>, tool: &CompiledTool) -> Rung<()> {
    match desk.room.is_full(tool) {
        None => Ok(()),
        Some(waiting) => Err(ToolError::new(
            ErrorType::Transient,
            format!("`{}` has not run: {waiting} calls wait already; try again in a moment", tool.id),
        )
        .with_details(json!({ "reason": "queue_full" }))
        .retryable_after(Some(AGAIN_AFTER_MS))
        .into()),
    }
}
