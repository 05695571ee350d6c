//! Waiting for one attempt, or for the pause before the next, under the call's deadline and the callers' cancellation.

use std::time::Duration;

use super::execution::Execution;
use super::{HandlerOutcome, StartedHandler};

/// The end of an attempt.
#[derive(Debug)]
pub enum AttemptEnd {
    /// The handler ended in time.
    Finished(HandlerOutcome),
    /// The deadline passed.
    TimedOut,
    /// The execution is to stop; the reason.
    Aborted(String),
}

/// Waits for the handler, the cancellation or the deadline, whichever comes first. Borrows the handler, so that the
/// caller can go on polling it: a late result is not lost.
pub async fn run_until(
    handler: &mut StartedHandler,
    execution: &Execution,
    deadline: impl Future<Output = ()>,
) -> AttemptEnd {
    tokio::select! {
        // A result that is ready is taken, even at the very deadline.
        biased;
        outcome = handler => AttemptEnd::Finished(outcome),
        reason = execution.aborted() => AttemptEnd::Aborted(reason),
        () = deadline => AttemptEnd::TimedOut,
    }
}

/// Waits before the next attempt. Returns the reason if the pause ended early because the execution is to stop.
pub async fn pause(execution: &Execution, how_long: Duration) -> Option<String> {
    tokio::select! {
        biased;
        reason = execution.aborted() => Some(reason),
        () = tokio::time::sleep(how_long) => None,
    }
}
