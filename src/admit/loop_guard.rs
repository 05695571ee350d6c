//! Stage loop guard.

use serde_json::json;

use super::{AdmissionContext, CallHeader, StageResult};
use crate::error::{ErrorType, ToolError};
use crate::session::fingerprint::Fingerprint;
use crate::session::loop_guard::DetectedLoop;

pub(super) fn check(context: &AdmissionContext<'_>, header: &CallHeader, call: &Fingerprint) -> StageResult<()> {
    let seen = context.attachment.session.loop_history.lock().check(header.turn, call);
    let Some(seen) = seen else { return Ok(()) };
    let (message, pattern) = match seen {
        DetectedLoop::Repetition(times) => (
            format!("`{}` was called {times} times with these arguments and the same outcome", header.name),
            "repetition",
        ),
        DetectedLoop::Alternation => {
            (format!("`{}` and another call have taken turns with the same outcomes", header.name), "alternation")
        }
    };
    Err(ToolError::new(ErrorType::LoopDetected, message)
        .with_details(json!({ "pattern": pattern }))
        .with_suggestion("answer from what you have, or call with other arguments")
        .into())
}
