//! The open connections of a process, used in turns.
//!
//! A server reads at most 16 KB of a connection before it syncs its log and answers (`PROTO_IOBUF_LEN`): of a session's commits
//! these are about ten, however many wait. So a process with many requests at once opens further connections; each sync then
//! carries as many commits more.

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;

use crate::json::HashKey;

/// The maximum of connections of a process.
const MAX_CONNECTIONS: usize = 4;
/// The requests at once for which one connection is enough: about as many as a server reads at once.
const REQUESTS_PER_CONNECTION: usize = 8;

/// A connection to a server that was checked.
#[derive(Clone)]
pub(super) struct LiveConnection {
    pub(super) connection: MultiplexedConnection,
    pub(super) fingerprint_key: HashKey,
}

/// The open connections, and the requests that wait for an answer.
#[derive(Default)]
pub(super) struct ConnectionPool {
    open: Mutex<OpenConnections>,
    waiting: AtomicUsize,
}

#[derive(Default)]
struct OpenConnections {
    connections: Vec<LiveConnection>,
    next: usize,
    /// Whether the server refused a further connection.
    is_limited: bool,
}

/// A request that waits for its answer.
pub(super) struct WaitingRequest<'a>(&'a ConnectionPool);

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ConnectionPool {
    /// Counts a request until its answer is there.
    pub(super) fn begin_request(&self) -> WaitingRequest<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        WaitingRequest(self)
    }

    /// The connection whose turn it is; `None` if none is open.
    pub(super) fn next(&self) -> Option<LiveConnection> {
        let OpenConnections { connections, next, .. } = &mut *self.open.lock();
        *next = next.wrapping_add(1);
        connections.get(next.checked_rem(connections.len())?).cloned()
    }

    /// The installation's key, of an open connection. No connection's turn is used up.
    pub(super) fn fingerprint_key(&self) -> Option<HashKey> {
        self.open.lock().connections.first().map(|connection| connection.fingerprint_key)
    }

    /// Whether the waiting requests are too many for the open connections.
    pub(super) fn needs_another(&self) -> bool {
        let OpenConnections { connections, is_limited, .. } = &*self.open.lock();
        let wanted = self.waiting.load(Ordering::Relaxed).div_ceil(REQUESTS_PER_CONNECTION).min(MAX_CONNECTIONS);
        connections.len() < wanted && !is_limited
    }

    pub(super) fn add(&self, connection: LiveConnection) {
        self.open.lock().connections.push(connection);
    }

    /// Uses the open connections alone: the server refused a further one.
    pub(super) fn limit(&self) {
        self.open.lock().is_limited = true;
    }

    /// Closes the connections, as soon as the requests on them have ended.
    pub(super) fn close(&self) {
        *self.open.lock() = OpenConnections::default();
    }
}
