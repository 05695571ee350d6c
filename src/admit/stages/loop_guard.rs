//! Stage loop guard.

use serde_json::json;

use crate::admit::call::CallHeader;
use crate::admit::context::AdmissionContext;
use crate::admit::decision::StageResult;
use crate::error::{ErrorType, ToolError};
use crate::session::fingerprint::Fingerprint;
use crate::session::loop_guard::DetectedLoop;

/// The characters of a tool's name that a message shows.
const MAX_SHOWN_NAME: usize = 64;

pub(in crate::admit) fn check(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    call: &Fingerprint,
) -> StageResult<()> {
    let seen = context.attachment.session.loop_history.lock().check(header.turn, call);
    let Some(seen) = seen else { return Ok(()) };
    let (message, pattern) = match seen {
        DetectedLoop::Repetition(times) => (
            format!("{} was called {times} times with these arguments and the same outcome", shown_name(&header.name)),
            "repetition",
        ),
        DetectedLoop::Alternation => {
            let name = shown_name(&header.name);
            (format!("{name} and another call have taken turns with the same outcomes"), "alternation")
        }
    };
    Err(ToolError::new(ErrorType::LoopDetected, message)
        .with_details(json!({ "pattern": pattern }))
        .with_suggestion("answer from what you have, or call with other arguments")
        .into())
}

/// The tool's name in a message, cut if it is long.
fn shown_name(name: &str) -> String {
    if name.is_empty() {
        return "a tool without a name".to_owned();
    }
    let shown: String = name.chars().take(MAX_SHOWN_NAME).collect();
    format!("`{shown}`")
}
