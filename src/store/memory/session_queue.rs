//! The sessions of a memory store, in the order of their use.

use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

use super::MemorySession;
use crate::call::SessionId;

/// A session, shared with the operations that run on it.
pub(super) type SharedSession = Arc<Mutex<MemorySession>>;

/// Sessions that may be evicted, and sessions that could not be when they were last looked at: with an open question, a
/// running call or an attachment. A held one is looked at again in its turn, or after its next use.
#[derive(Debug)]
pub(super) struct SessionQueue {
    /// The least recently used first.
    candidates: LruCache<SessionId, SharedSession>,
    /// The one that was looked at least recently first.
    held: LruCache<SessionId, SharedSession>,
}

impl Default for SessionQueue {
    fn default() -> Self {
        Self { candidates: LruCache::unbounded(), held: LruCache::unbounded() }
    }
}

impl SessionQueue {
    pub(super) fn len(&self) -> usize {
        self.candidates.len() + self.held.len()
    }

    /// Returns a session, which becomes the most recently used one.
    pub(super) fn get(&mut self, id: &SessionId) -> Option<SharedSession> {
        if let Some(session) = self.candidates.get(id) {
            return Some(Arc::clone(session));
        }
        let (id, session) = self.held.pop_entry(id)?;
        self.candidates.push(id, Arc::clone(&session));
        Some(session)
    }

    /// Returns a session. The order stays.
    pub(super) fn peek(&self, id: &SessionId) -> Option<&SharedSession> {
        self.candidates.peek(id).or_else(|| self.held.peek(id))
    }

    pub(super) fn insert(&mut self, id: SessionId, session: SharedSession) {
        self.candidates.push(id, session);
    }

    pub(super) fn remove(&mut self, id: &SessionId) -> Option<SharedSession> {
        self.candidates.pop(id).or_else(|| self.held.pop(id))
    }

    /// All sessions.
    pub(super) fn all(&self) -> Vec<SharedSession> {
        self.candidates.iter().chain(self.held.iter()).map(|(_, session)| Arc::clone(session)).collect()
    }

    /// The sessions that are not held, the least recently used first.
    pub(super) fn by_use(&self) -> impl Iterator<Item = (&SessionId, &SharedSession)> {
        self.candidates.iter().rev()
    }

    pub(super) fn held(&self) -> impl ExactSizeIterator<Item = (&SessionId, &SharedSession)> {
        self.held.iter()
    }

    /// The session to look at next: a candidate, or a held one if there is none.
    pub(super) fn next(&self) -> Option<(&SessionId, &SharedSession)> {
        self.candidates.peek_lru().or_else(|| self.held.peek_lru())
    }

    /// The held session to look at next.
    pub(super) fn next_held(&self) -> Option<(&SessionId, &SharedSession)> {
        self.held.peek_lru()
    }

    /// Notes that a session can't be evicted now.
    pub(super) fn hold(&mut self, id: &SessionId) {
        if let Some(session) = self.remove(id) {
            self.held.push(id.clone(), session);
        }
    }
}
