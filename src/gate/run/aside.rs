//! Functions of a handler that run beside its calls: `reconcile`, and the code of its schema before a question. Each has a deadline
//! of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use crate::run::{HandlerOutcome, Handlers, Invocation, StartedHandler};

/// The reason of the cancellations.
pub(in crate::gate) const CLOSING: &str = "shutdown";

/// The functions that run beside calls in this process.
#[derive(Debug, Default)]
pub(in crate::gate) struct Asides {
    count: AtomicUsize,
    stop: Notify,
}

/// One of them.
pub(in crate::gate) struct RunningAside<'a>(&'a Asides);

impl Drop for RunningAside<'_> {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Asides {
    pub(in crate::gate) fn begin(&self) -> RunningAside<'_> {
        self.count.fetch_add(1, Ordering::AcqRel);
        RunningAside(self)
    }

    pub(in crate::gate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Stops those that run.
    pub(in crate::gate) fn stop(&self) {
        self.stop.notify_waiters();
    }

    /// Starts one, and waits for its outcome; not longer than `timeout`, and not after `cancelled`.
    pub(in crate::gate) async fn run(
        &self,
        handlers: &Arc<dyn Handlers>,
        invocation: Invocation,
        timeout: Duration,
        cancelled: impl Future<Output = ()>,
    ) -> Result<HandlerOutcome, AsideStopped> {
        // Created before the handler starts, so that no stop is missed.
        let stopped = self.stop.notified();
        let mut handler = StartedHandler::start(handlers, invocation);
        let (why, reason) = tokio::select! {
            biased;
            outcome = &mut handler => return Ok(outcome),
            () = tokio::time::sleep(timeout) => (AsideStopped::Timeout, "timeout"),
            () = stopped => (AsideStopped::Closing, CLOSING),
            () = cancelled => (AsideStopped::Cancelled, "cancelled"),
        };
        handlers.abort(handler.id(), reason);
        Err(why)
    }
}

/// Why one was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum AsideStopped {
    /// Its time is over.
    Timeout,
    /// The gate closes.
    Closing,
    /// Its caller was cancelled.
    Cancelled,
}
