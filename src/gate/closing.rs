//! The gate's end: admission stops, what runs gets its time, the rest is aborted, the audit is flushed.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Gate;

/// How often the end looks whether everything has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How long aborted calls may take to be recorded.
const RECORDING_TIMEOUT: Duration = Duration::from_secs(1);

impl Gate {
    /// Whether it takes no calls any more.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Stops admission, waits for running calls up to `patience`, aborts the rest, flushes.
    pub async fn close(&self, patience: Duration) {
        self.closing.store(true, Ordering::Release);
        if tokio::time::timeout(patience, self.idle()).await.is_err() {
            self.abort_all("shutdown");
            // What was aborted is recorded and told before the last line is written.
            tokio::time::sleep(POLL_INTERVAL).await;
            let _ = tokio::time::timeout(RECORDING_TIMEOUT, self.idle()).await;
        }
        if let Err(error) = self.parts.store.close().await {
            tracing::warn!(%error, "the session store could not be closed");
        }
        self.parts.observer.flush();
    }

    async fn idle(&self) {
        while self.is_busy() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    fn is_busy(&self) -> bool {
        self.sessions.lock().values().any(|open| !open.running.is_empty())
    }

    fn abort_all(&self, reason: &str) {
        let running: Vec<_> = self.sessions.lock().values().flat_map(|open| open.running.all()).collect();
        for execution in running {
            execution.cancel_all(reason);
            execution.stop(reason);
        }
    }
}
