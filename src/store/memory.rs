//! The memory store: sessions in this process. Every returned future is ready.
//!
//! The longest idle sessions are evicted if there are too many. A session with an open question, a grant, a result that is owed
//! or a running call stays; any other leaves a [`Tombstone`]. A session that has ended leaves it at once, or as soon as its calls have
//! ended.

mod session_queue;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::document::{self, SessionDocument};
use super::operation::Request;
use super::owed::{DroppedResult, owed_ms};
use super::reconcile::{UncertainCall, UncertainCalls, UncertainPage};
use super::rows::MemoryRows;
use super::tombstone::{Tombstone, Tombstones};
use super::{
    Answer, AttachRequest, AttachedSession, Idle, Operation, Settlement, Store, StoreError, StoreFuture, Swept,
    ready_answer,
};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use session_queue::SessionQueue;

/// The number of sessions that one eviction looks at without a result.
const MAX_LOOKS: usize = 128;
/// The number of held sessions that one eviction looks at, if there are others.
const MAX_HELD_LOOKS: usize = 8;

/// A session with its rows. The first attachment creates the document.
#[derive(Debug, Default)]
struct MemorySession {
    document: Option<SessionDocument>,
    rows: MemoryRows,
}

impl MemorySession {
    fn uncertain_calls(&self, begun_by: EpochMs) -> Vec<UncertainCall> {
        self.rows.calls().filter_map(|(key, row)| UncertainCall::from_row(key, row, begun_by)).collect()
    }

    /// The results that are dropped with the session; `None` if it is kept.
    fn dropped_results(&self, now: EpochMs) -> Option<Vec<DroppedResult>> {
        let Some(document) = &self.document else { return Some(Vec::new()) };
        (document.kept_until() <= now).then(|| document.owed.all_dropped())
    }
}

/// The sessions, and what is kept of evicted ones.
#[derive(Debug)]
struct Contents {
    sessions: SessionQueue,
    tombstones: Tombstones,
    /// The number of sessions from which on a new one is refused if none can be evicted.
    capacity: usize,
}

/// The result of an eviction.
#[derive(Debug, Default, PartialEq, Eq)]
struct Eviction {
    evicted: Vec<SessionId>,
    /// The number of sessions that were looked at.
    looks: usize,
}

impl Contents {
    /// Whether a further session can be created, now or by an eviction.
    fn has_room(&mut self, now: EpochMs) -> bool {
        self.sessions.len() < self.capacity || self.find_evictable(&mut 0, MAX_LOOKS, now, &|_| false).is_some()
    }

    /// The session to evict next, with its tombstone; `None` if `max_looks` are reached, or none can be evicted. Held
    /// sessions are looked at in turn, a few each time.
    fn find_evictable(
        &mut self,
        looks: &mut usize,
        max_looks: usize,
        now: EpochMs,
        is_in_use: &dyn Fn(&SessionId) -> bool,
    ) -> Option<(SessionId, Tombstone)> {
        let held_looks = MAX_HELD_LOOKS.min(self.sessions.held().len());
        for _ in 0..max_looks.min(self.sessions.len()) {
            let held = if *looks < held_looks { self.sessions.next_held() } else { None };
            let (id, session) = held.or_else(|| self.sessions.next())?;
            let (id, session) = (id.clone(), Arc::clone(session));
            *looks += 1;
            if !is_in_use(&id)
                && let Some(tombstone) = self.tombstone(&id, &session.lock(), now)
            {
                return Some((id, tombstone));
            }
            self.sessions.hold(&id);
        }
        None
    }

    /// Evicts sessions beyond `keep`, as far as they can be evicted.
    fn evict(&mut self, keep: usize, now: EpochMs, is_in_use: &dyn Fn(&SessionId) -> bool) -> Eviction {
        let mut eviction = Eviction::default();
        while self.sessions.len() > keep && eviction.looks < MAX_LOOKS + eviction.evicted.len() {
            let left = MAX_LOOKS + eviction.evicted.len() - eviction.looks;
            let Some((id, tombstone)) = self.find_evictable(&mut eviction.looks, left, now, is_in_use) else { break };
            self.tombstones.add(id.clone(), tombstone);
            self.remove(&id);
            eviction.evicted.push(id);
        }
        eviction
    }

    /// The tombstone that the session leaves if it is evicted; `None` if it can't be.
    fn tombstone(&self, id: &SessionId, session: &MemorySession, now: EpochMs) -> Option<Tombstone> {
        // Nothing else knows a principal's acts and calls.
        let is_held = |document: &SessionDocument| {
            document.is_held(&session.rows, now) || (id.is_of_gate() && document.has_open_window(now))
        };
        let document = session.document.as_ref().filter(|document| !is_held(document))?;
        let tombstone = document.to_tombstone(&session.rows, now);
        self.tombstones.has_room(id, &tombstone).then_some(tombstone)
    }

    /// Gives back the memory of a session that has ended, unless it has a running call.
    fn release_ended(&mut self, id: &SessionId) {
        let Some(session) = self.sessions.peek(id).cloned() else { return };
        let tombstone = {
            let session = session.lock();
            let Some(document) = session.document.as_ref().filter(|document| document.has_ended()) else { return };
            self.tombstone(id, &session, document.used_at())
        };
        if let Some(tombstone) = tombstone {
            self.tombstones.add(id.clone(), tombstone);
            self.remove(id);
        }
    }

    /// Drops a session. An operation that has the session already, and waits for its lock, finds no document: nothing
    /// is claimed in a session that is gone.
    fn remove(&mut self, id: &SessionId) {
        if let Some(session) = self.sessions.remove(id) {
            *session.lock() = MemorySession::default();
        }
    }

    /// Drops the sessions that were not used for the idle time and that nothing keeps, except those of `in_use`. Their time to
    /// live is over, so they leave nothing.
    fn drop_idle(&mut self, idle: Idle, in_use: &HashSet<&SessionId>) -> Swept {
        self.tombstones.drop_idle(idle.since);
        let is_idle = |session: &Mutex<MemorySession>| {
            session.lock().document.as_ref().is_none_or(|document| document.used_at() < idle.since)
        };
        let unused = self.sessions.by_use().take_while(|(_, session)| is_idle(session));
        let held = self.sessions.held().filter(|(_, session)| is_idle(session));
        let over = unused.chain(held).filter_map(|(id, session)| {
            let results = session.lock().dropped_results(idle.now)?;
            (!in_use.contains(id)).then(|| (id.clone(), results))
        });
        let mut swept = Swept::default();
        for (id, results) in over.collect::<Vec<_>>() {
            self.remove(&id);
            swept.add(id, results);
        }
        swept
    }

    /// Records the result of a write of an evicted session. False if there is no such write.
    fn settle_evicted(&mut self, settlement: &Settlement) -> bool {
        let Settlement { session, key, epoch, state, .. } = settlement;
        self.tombstones.settle(session, key, *epoch, state.as_ref())
    }

    /// The document of a new session, or of one that is resumed after its eviction.
    fn create(&mut self, attach: &AttachRequest) -> Result<MemorySession, StoreError> {
        match self.tombstones.get(&attach.session) {
            Some(tombstone) => tombstone.check(&attach.owner)?,
            None if attach.resume_only => return Err(StoreError::SessionEnded),
            None => {}
        }
        if !self.has_room(attach.now) {
            return Err(StoreError::Full);
        }
        let tombstone = self.tombstones.take(&attach.session);
        let mut rows = MemoryRows::default();
        let document = tombstone
            .map(|tombstone| SessionDocument::from_tombstone(tombstone, attach.clone(), &mut rows, attach.now));
        Ok(MemorySession { document, rows })
    }
}

/// The default store.
#[derive(Debug)]
pub struct MemoryStore {
    contents: Mutex<Contents>,
    fingerprint_key: HashKey,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::with_fingerprint_key(HashKey::random())
    }
}

impl MemoryStore {
    /// A store whose fingerprints are comparable with those of other processes that have the key.
    #[must_use]
    pub fn with_fingerprint_key(fingerprint_key: HashKey) -> Self {
        let (sessions, tombstones) = (SessionQueue::default(), Tombstones::default());
        let contents = Mutex::new(Contents { sessions, tombstones, capacity: usize::MAX });
        Self { contents, fingerprint_key }
    }
}

impl MemoryStore {
    /// Does what is asked of a session.
    pub(super) fn request<R: Request>(&self, request: R) -> Result<R::Answer, StoreError> {
        let (id, now) = (request.session().clone(), request.asked_at());
        // The map's lock is released before the session is locked: sessions do not wait for each other.
        let found = self.contents.lock().sessions.get(&id);
        if let Some(session) = found {
            let mut session = session.lock();
            let MemorySession { document, rows } = &mut *session;
            if let Some(document) = document {
                let done = request.apply(document, rows, now);
                let has_ended = document.has_ended();
                drop(session);
                if has_ended {
                    self.contents.lock().release_ended(&id);
                }
                return done.map(|output| output.answer);
            }
        }
        // The outcome of a write can come after its session was evicted: the tombstone takes it.
        match request.into_operation() {
            Operation::Settle(late) if self.contents.lock().settle_evicted(&late) => R::read(Answer::Settle(true)),
            _ => None,
        }
        .ok_or(StoreError::SessionEnded)
    }

    /// Raises a turn's counters to at least these numbers, which were counted elsewhere.
    pub fn count_at_least(&self, session: &SessionId, turn: u32, calls: u32, retrievals: u32) {
        let Some(session) = self.contents.lock().sessions.peek(session).cloned() else { return };
        if let Some(document) = &mut session.lock().document {
            document.count_at_least(turn, calls, retrievals);
        }
    }

    fn attach_now(&self, attach: AttachRequest) -> Result<AttachedSession, StoreError> {
        // Locked until the session is attached, so that it is not evicted meanwhile.
        let mut contents = self.contents.lock();
        let (id, now) = (attach.session.clone(), attach.now);
        if let Some(session) = contents.sessions.get(&id) {
            let MemorySession { document, rows } = &mut *session.lock();
            return document::attach(document, attach, rows, self.fingerprint_key, now).map(|step| step.answer);
        }
        let mut session = contents.create(&attach)?;
        let MemorySession { document, rows } = &mut session;
        let attached = document::attach(document, attach, rows, self.fingerprint_key, now)?.answer;
        contents.sessions.insert(id, Arc::new(Mutex::new(session)));
        // The state of a session that was evicted is new.
        Ok(AttachedSession { created: true, ..attached })
    }
}

impl Store for MemoryStore {
    fn never_waits(&self) -> bool {
        true
    }

    fn lease(&self) -> Option<Duration> {
        None
    }

    fn perform(&self, operation: Operation) -> StoreFuture<'_, Answer> {
        ready_answer(match operation {
            Operation::Attach(attach) => self.attach_now(attach).map(Answer::Attach),
            Operation::ReadKey(_) => Ok(Answer::ReadKey(None)),
            operation => self.request(operation),
        })
    }

    fn sweep<'a>(&'a self, idle: Idle, in_use: &'a [SessionId]) -> StoreFuture<'a, Swept> {
        let in_use: HashSet<&SessionId> = in_use.iter().collect();
        ready_answer(Ok(self.contents.lock().drop_idle(idle, &in_use)))
    }

    fn list_uncertain(&self, page: UncertainPage) -> StoreFuture<'_, UncertainCalls> {
        let sessions = self.contents.lock().sessions.all();
        let calls = sessions.iter().flat_map(|session| session.lock().uncertain_calls(page.begun_by)).collect();
        ready_answer(Ok(UncertainCalls { calls, next: None }))
    }

    fn oldest_owed_ms(&self, now: EpochMs) -> StoreFuture<'_, Option<u64>> {
        let sessions = self.contents.lock().sessions.all();
        let since = sessions.iter().filter_map(|session| session.lock().document.as_ref()?.owed_since()).min();
        ready_answer(Ok(owed_ms(since, now)))
    }

    fn evict(&self, keep: usize, now: EpochMs, is_in_use: &dyn Fn(&SessionId) -> bool) -> Vec<SessionId> {
        let mut contents = self.contents.lock();
        contents.capacity = keep;
        contents.evict(keep, now, is_in_use).evicted
    }
}
