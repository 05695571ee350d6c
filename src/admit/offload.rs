//! Large texts are parsed and validated on a worker, so that audio keeps flowing on the caller's thread.

/// Bytes above which a hop to a worker costs less than doing the work here: admission takes about 5.5 µs per KB, a
/// round trip to a worker 33 to 79 µs.
const LARGE: usize = 32 * 1024;

/// Runs `work` here, or on a worker where `size` bytes make it long. `None` where the worker panicked.
pub(super) async fn offload<T: Send + 'static>(size: usize, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    if size <= LARGE { Some(work()) } else { tokio::task::spawn_blocking(work).await.ok() }
}
