//! Large texts are parsed and validated on a worker, so that audio keeps flowing on the caller's thread.

use tokio::task::{JoinHandle, spawn_blocking};

/// Bytes above which a hop to a worker costs less than doing the work here: admission takes about 5.5 µs per KB, a
/// round trip to a worker 33 to 79 µs.
const LARGE_BYTES: usize = 32 * 1024;

/// Whether a text's work is a worker's.
pub(super) const fn is_large(text: &str) -> bool {
    text.len() > LARGE_BYTES
}

/// Runs `work` here, or on a worker where it `is_large`. `None` where the worker panicked.
pub(super) async fn offload<T: Send + 'static>(is_large: bool, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    if is_large { spawn_blocking(work).await.ok() } else { Some(work()) }
}

/// Work that a worker has begun, to be waited for in its turn.
pub(super) struct WorkerTask<T>(JoinHandle<T>);

impl<T: Send + 'static> WorkerTask<T> {
    /// Begins, beside whatever this worker goes on with.
    pub(super) fn spawn(work: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(spawn_blocking(work))
    }

    /// What it came to. `None` where the worker panicked.
    pub(super) async fn join(self) -> Option<T> {
        self.0.await.ok()
    }
}
