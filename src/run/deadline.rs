//! One attempt, or the pause before the next, under its call's deadline and its callers' cancellation.

use std::time::Duration;

use tokio::time::Instant;

use super::execution::Execution;
use super::{HandlerFuture, HandlerOutcome};

/// How a run ended.
#[derive(Debug)]
pub enum AttemptEnd {
    /// The handler settled in time.
    Finished(HandlerOutcome),
    /// It did not.
    TimedOut,
    /// Nobody waits any more, or everything stops.
    Aborted(String),
}

/// Waits for whichever comes first. The handler goes on being polled by the caller where it was not the first: a late
/// result is not lost.
pub async fn run_until(handler: &mut HandlerFuture, execution: &Execution, until: Option<Instant>) -> AttemptEnd {
    let deadline = async {
        match until {
            Some(until) => tokio::time::sleep_until(until).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        // A result that is there is taken, even at the very deadline.
        biased;
        outcome = handler => AttemptEnd::Finished(outcome),
        reason = execution.aborted() => AttemptEnd::Aborted(reason),
        () = deadline => AttemptEnd::TimedOut,
    }
}

/// Waits before the next attempt. `Some` where the wait is over early, because the execution is to stop.
pub async fn pause(execution: &Execution, how_long: Duration) -> Option<String> {
    tokio::select! {
        biased;
        reason = execution.aborted() => Some(reason),
        () = tokio::time::sleep(how_long) => None,
    }
}
