//! The sessions that this process read or committed last, so that the call's next operation need not read them again.
//!
//! A session here may be out of date. What is computed from it counts only if the commit finds the version unchanged; an
//! operation that would commit nothing reads the session first.

use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;
use parking_lot::Mutex;

use super::versioned_session::VersionedSession;
use crate::call::SessionId;

/// The number of sessions kept.
const MAX_SESSIONS: NonZeroUsize = NonZeroUsize::new(256).unwrap();
/// The time after which a session is read again: the operations of most calls follow each other within it, and the two
/// machines' clocks do not drift apart.
const MAX_AGE: Duration = Duration::from_secs(30);
/// The longest document that is kept, in bytes.
const MAX_DOCUMENT_BYTES: usize = 64 * 1024;

/// The sessions that were read or committed last.
pub(super) struct RecentSessions {
    by_id: Mutex<LruCache<SessionId, VersionedSession>>,
}

impl Default for RecentSessions {
    fn default() -> Self {
        Self { by_id: Mutex::new(LruCache::new(MAX_SESSIONS)) }
    }
}

impl RecentSessions {
    /// Takes a session out, unless it was read too long ago.
    pub(super) fn take(&self, id: &SessionId) -> Option<VersionedSession> {
        self.by_id.lock().pop(id).filter(|session| session.read_at.elapsed() <= MAX_AGE)
    }

    pub(super) fn put(&self, id: SessionId, session: VersionedSession) {
        self.by_id.lock().put(id, session);
    }

    /// Keeps a session as it was committed, unless its document is long.
    pub(super) fn put_committed(
        &self,
        id: &SessionId,
        mut session: VersionedSession,
        version: String,
        document_bytes: usize,
    ) {
        if document_bytes <= MAX_DOCUMENT_BYTES {
            session.rows.keep_committed();
            session.version = version;
            self.put(id.clone(), session);
        }
    }

    pub(super) fn clear(&self) {
        self.by_id.lock().clear();
    }
}
