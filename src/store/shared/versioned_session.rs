//! A session as it was read from a server, with its version.

use tokio::time::Instant;

use super::rows::BufferedRows;
use crate::clock::EpochMs;
use crate::store::document::SessionDocument;

/// A session with the version that was read.
pub(super) struct VersionedSession {
    /// Empty if the server has no such session.
    pub(super) version: String,
    pub(super) document: Option<SessionDocument>,
    pub(super) rows: BufferedRows,
    /// The server's time when the session was read.
    pub(super) server_time: EpochMs,
    pub(super) read_at: Instant,
}

impl VersionedSession {
    /// The server's time now, by this machine's clock since the read.
    pub(super) fn now(&self) -> EpochMs {
        let age = u64::try_from(self.read_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.server_time.saturating_add(age)
    }
}
