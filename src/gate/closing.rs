//! Closing the gate. [`Gate::close`] says in which order.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Gate;
use crate::gate::run::aside::CLOSING;

/// The interval of checks for running calls while the gate closes.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The time that the store has for the results that are given back, and for the records of aborted calls.
const RECORDING_TIMEOUT: Duration = Duration::from_secs(1);

impl Gate {
    /// Whether the gate takes no more calls.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Closes the gate, in this order:
    /// 1. Admission stops. A call that waits for a slot gets none.
    /// 2. Results that attachments hold are given back to the store.
    /// 3. Running calls get up to `timeout` to end. The others are aborted, and get [`RECORDING_TIMEOUT`] to be recorded.
    /// 4. The last turns are reported.
    /// 5. The store is closed, and the audit is flushed.
    pub async fn close(&self, timeout: Duration) {
        self.closing.store(true, Ordering::Release);
        let _ = tokio::time::timeout(RECORDING_TIMEOUT, self.release_all_results()).await;
        if tokio::time::timeout(timeout, self.idle()).await.is_err() {
            self.abort_all(CLOSING);
            // Aborted calls are recorded and emitted before the audit is flushed.
            tokio::time::sleep(POLL_INTERVAL).await;
            let _ = tokio::time::timeout(RECORDING_TIMEOUT, self.idle()).await;
        }
        self.summarize_turns();
        if let Err(error) = self.parts.store.close().await {
            tracing::warn!(%error, "the session store could not be closed");
        }
        // The writer of lines must not wait for a store that is closed.
        self.parts.audit_key.stop_waiting();
        self.parts.observer.flush();
    }

    async fn idle(&self) {
        while self.is_busy() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    fn is_busy(&self) -> bool {
        !self.asides.is_empty() || self.sessions.all().iter().any(|open| !open.running.is_empty())
    }

    /// Sessions that their hosts neither end nor detach would report their last turn when they are dropped: after the flush.
    fn summarize_turns(&self) {
        for open in self.sessions.all() {
            self.summarize_turn(&open);
        }
    }

    fn abort_all(&self, reason: &str) {
        self.asides.stop();
        for execution in self.sessions.all().iter().flat_map(|open| open.running.all()) {
            execution.cancel_all(reason);
            execution.stop(reason);
        }
    }
}
