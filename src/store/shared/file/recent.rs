//! The sessions that this process read or wrote last, so that the next operation of a call need not read and parse them.
//!
//! They are valid as long as no other connection has changed the file, which `SQLite` counts (`PRAGMA data_version`). A
//! session is taken out by a transaction, and put back once the transaction has ended as it should; a transaction that
//! fails closes the file, and the sessions are forgotten.

use std::num::NonZeroUsize;

use lru::LruCache;
use rusqlite::Transaction;

use super::super::rows::BufferedRows;
use crate::call::SessionId;
use crate::store::document::SessionDocument;

/// The number of sessions kept.
const MAX_SESSIONS: NonZeroUsize = NonZeroUsize::new(256).unwrap();
/// The longest document that is kept, in bytes.
pub(super) const MAX_RECENT_BYTES: usize = 64 * 1024;

/// What the table has of a session beside its document.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredSession {
    pub(super) number: i64,
    /// The indexed time of its use: up to a second ahead.
    pub(super) used_at: i64,
    /// The indexed time since when it owes a result.
    pub(super) owed_since: Option<i64>,
}

/// A session as the file has it.
pub(super) struct RecentSession {
    pub(super) stored: StoredSession,
    pub(super) document: SessionDocument,
    /// Some of its rows.
    pub(super) rows: BufferedRows,
}

/// The sessions of one connection.
pub(super) struct CachedSessions {
    by_id: LruCache<SessionId, RecentSession>,
    data_version: i64,
}

impl Default for CachedSessions {
    fn default() -> Self {
        Self { by_id: LruCache::new(MAX_SESSIONS), data_version: 0 }
    }
}

impl CachedSessions {
    /// Forgets all sessions if another connection has changed the file.
    pub(super) fn forget_if_outdated(&mut self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let version = transaction.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if version != self.data_version {
            self.clear();
            self.data_version = version;
        }
        Ok(())
    }

    pub(super) fn take(&mut self, id: &SessionId) -> Option<RecentSession> {
        self.by_id.pop(id)
    }

    pub(super) fn put(&mut self, id: SessionId, session: RecentSession) {
        self.by_id.put(id, session);
    }

    pub(super) fn clear(&mut self) {
        self.by_id.clear();
    }
}
