//! Arguments between the stages parse and completion. A large text is completed and validated on one worker while
//! another hashes it; the result counts only at the stage completion. If the call has a record already, it is most likely
//! answered from it: then this work waits until the stage is reached.

use std::sync::Arc;

use super::issues_error;
use super::offload::{WorkerTask, is_large, offload};
use crate::error::{ErrorType, ToolError};
use crate::json::{CanonicalJson, Tape};
use crate::registry::CompiledTool;
use crate::schema::{Clamp, Completed};

/// Parsed arguments.
pub(super) enum ParsedArgs {
    /// Of a small text: nothing is done before the stage completion.
    Small(Tape, ArgsCheck),
    /// Of a large text: its canonical form, and the check that runs on a worker.
    Large(CanonicalJson<'static>, WorkerTask<Result<Completed, ToolError>>),
    /// The same of a call that has a record already: the check has not begun.
    Recorded(CanonicalJson<'static>, Tape, ArgsCheck),
}

impl ParsedArgs {
    /// The canonical form of the arguments as received.
    pub(super) fn canonical(&self) -> CanonicalJson<'_> {
        match self {
            Self::Small(tape, _) => CanonicalJson::from_node(tape.root()),
            Self::Large(canonical, _) | Self::Recorded(canonical, ..) => canonical.borrowed(),
        }
    }

    /// Completes and validates the arguments.
    pub(super) async fn completed(self) -> Result<Completed, ToolError> {
        let task = match self {
            Self::Small(tape, check) => return check.run(tape),
            Self::Large(_, task) => task,
            Self::Recorded(_, tape, check) => WorkerTask::spawn(move || check.run(tape)),
        };
        task.join().await.unwrap_or_else(|| Err(not_checked()))
    }
}

/// INTERNAL for arguments whose worker panicked.
fn not_checked() -> ToolError {
    ToolError::new(ErrorType::Internal, "the arguments could not be checked")
}

/// Completion and validation: strict nulls become absent, defaults are filled, values are clamped; then the schema is
/// checked.
pub(super) struct ArgsCheck {
    pub(super) tool: Arc<CompiledTool>,
    pub(super) clamps: Vec<Clamp>,
}

impl ArgsCheck {
    /// As [`run`](Self::run), of a large text on a worker.
    pub(super) async fn offloaded(self, tape: Tape) -> Result<Completed, ToolError> {
        offload(is_large(tape.text()), move || self.run(tape)).await.unwrap_or_else(|| Err(not_checked()))
    }

    /// Returns the final arguments.
    pub(super) fn run(self, tape: Tape) -> Result<Completed, ToolError> {
        self.tool
            .args_schema
            .complete_and_validate(tape, &self.clamps, self.tool.strict_nulls.reading())
            .map_err(|issues| issues_error(&self.tool.id, &issues))
    }
}
