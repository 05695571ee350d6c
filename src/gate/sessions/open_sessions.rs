//! The sessions that this process has open. Of a session that a shared store keeps, its view is made again when it is needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lru::LruCache;
use parking_lot::Mutex;

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::gate::sessions::open_session::OpenSession;

/// The number of views that are looked at for each new session beyond the limit.
const MAX_VIEW_LOOKS: usize = 64;

pub(in crate::gate) struct OpenSessions {
    /// In least-recently-used order.
    views: Mutex<LruCache<SessionId, Arc<OpenSession>>>,
    /// The time of the next sweep of idle sessions, epoch milliseconds.
    next_sweep: AtomicU64,
}

impl Default for OpenSessions {
    fn default() -> Self {
        Self { views: Mutex::new(LruCache::unbounded()), next_sweep: AtomicU64::new(0) }
    }
}

impl OpenSessions {
    /// The view of a session that is used now.
    pub(in crate::gate) fn used(&self, id: &SessionId) -> Option<Arc<OpenSession>> {
        self.views.lock().get(id).cloned()
    }

    /// The view of a session that is looked at.
    pub(in crate::gate) fn peek(&self, id: &SessionId) -> Option<Arc<OpenSession>> {
        self.views.lock().peek(id).cloned()
    }

    /// The view of a session, made if another attachment has not made it meanwhile.
    pub(in crate::gate) fn or_open(&self, id: SessionId, make: impl FnOnce() -> OpenSession) -> Arc<OpenSession> {
        Arc::clone(self.views.lock().get_or_insert(id, || Arc::new(make())))
    }

    pub(in crate::gate) fn all(&self) -> Vec<Arc<OpenSession>> {
        self.views.lock().iter().map(|(_, open)| Arc::clone(open)).collect()
    }

    /// The sessions that have an attachment or a running call.
    pub(in crate::gate) fn in_use(&self) -> Vec<SessionId> {
        self.views.lock().iter().filter(|(_, open)| !open.is_idle()).map(|(id, _)| id.clone()).collect()
    }

    pub(in crate::gate) fn drop_views(&self, ids: &[SessionId]) {
        let mut views = self.views.lock();
        for id in ids {
            views.pop(id);
        }
    }

    /// Drops the longest unused sessions above the limit: those that the store drops, which gets what is in use, and views.
    pub(in crate::gate) fn evict(
        &self,
        max: usize,
        from_store: impl FnOnce(&(dyn Fn(&SessionId) -> bool + Sync)) -> Vec<SessionId>,
    ) {
        let mut views = self.views.lock();
        if views.len() <= max {
            return;
        }
        let evicted = from_store(&|id| views.peek(id).is_some_and(|open| !open.is_idle()));
        for id in evicted {
            views.pop(&id);
        }
        drop_idle_views(&mut views, max);
    }

    /// Gives back the memory of a session that has ended, unless it has a running call.
    pub(in crate::gate) fn release_ended(&self, open: &OpenSession) {
        if open.running.is_empty() && !open.live.state.lock().is_active() {
            let mut views = self.views.lock();
            // After the session's time to live, its id may be another session's.
            if views.peek(&open.live.id).is_some_and(|other| Arc::ptr_eq(&other.live, &open.live)) {
                views.pop(&open.live.id);
            }
        }
    }

    /// Whether a sweep is due. The next one is then due `pause_ms` later.
    pub(in crate::gate) fn begins_sweep(&self, now: EpochMs, pause_ms: u64) -> bool {
        let is_due = now >= self.next_sweep.load(Ordering::Relaxed);
        if is_due {
            self.next_sweep.store(now.saturating_add(pause_ms), Ordering::Relaxed);
        }
        is_due
    }
}

/// Drops idle views beyond `max`; looks at a bounded number. Those in use are looked at again after all others.
fn drop_idle_views(views: &mut LruCache<SessionId, Arc<OpenSession>>, max: usize) {
    for _ in 0..MAX_VIEW_LOOKS {
        if views.len() <= max {
            return;
        }
        let Some((id, open)) = views.pop_lru() else { return };
        if !open.is_idle() {
            views.push(id, open);
        }
    }
}
