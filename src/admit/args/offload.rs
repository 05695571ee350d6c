//! Work on large texts runs on a worker, so that audio keeps flowing on the caller's thread.

use tokio::task::spawn_blocking;

use crate::call::RawCall;

/// Bytes above which a hop to a worker costs less than doing the work here: admission takes about 5.5 µs per KB, a
/// round trip to a worker 33 to 79 µs.
const LARGE_BYTES: usize = 32 * 1024;

/// Whether the work on a text belongs on a worker.
pub(in crate::admit) const fn is_large(text: &str) -> bool {
    text.len() > LARGE_BYTES
}

/// Whether a call's arguments are read on the caller's thread.
pub(crate) fn is_read_at_once(call: &RawCall) -> bool {
    call.args.text_bytes() <= LARGE_BYTES
}

/// Does the work on a worker. `None` if it panicked.
pub(in crate::admit) async fn on_worker<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    spawn_blocking(work).await.ok()
}
