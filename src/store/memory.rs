//! The memory store: sessions in this process. Every returned future is ready.
//!
//! The longest idle sessions are evicted if there are too many. A session with an open question or a running call
//! stays; any other leaves a [`Tombstone`].

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::document::{self, OperationResult, SessionDocument};
use super::rows::{MemoryRows, Rows};
use super::tombstone::{Tombstone, Tombstones};
use super::{
    AskResult, AttachRequest, AttachedSession, BegunTurn, CallLookup, CallLookupResult, Claim, ClaimResult, Question,
    Record, Renewal, Settlement, Store, StoreError, StoreFuture, TokenState, ready_answer,
};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::key::RecordKey;
use crate::session::state::StateChange;

/// A session with its rows. The first attachment creates the document.
#[derive(Debug, Default)]
struct StoredSession {
    document: Option<SessionDocument>,
    rows: MemoryRows,
}

/// The sessions, and what is kept of evicted ones.
#[derive(Debug)]
struct Contents {
    sessions: HashMap<SessionId, Arc<Mutex<StoredSession>>>,
    tombstones: Tombstones,
    /// The number of sessions from which on a new one is refused if none can be evicted.
    capacity: usize,
}

impl Contents {
    /// Whether a further session can be created, now or by an eviction.
    fn has_room(&self, now: EpochMs) -> bool {
        self.sessions.len() < self.capacity
            || self.sessions.iter().any(|(id, session)| self.tombstone(id, &session.lock(), now).is_some())
    }

    /// The tombstone that the session leaves if it is evicted; `None` if it can't be.
    fn tombstone(&self, id: &SessionId, session: &StoredSession, now: EpochMs) -> Option<Tombstone> {
        let document = session.document.as_ref().filter(|document| !document.is_held(&session.rows, now))?;
        let tombstone = document.to_tombstone(&session.rows, now);
        self.tombstones.has_room(id, &tombstone).then_some(tombstone)
    }

    /// Evicts a session. False if it can't be evicted.
    fn evict(&mut self, id: &SessionId, now: EpochMs) -> bool {
        let Some(session) = self.sessions.get(id).cloned() else { return false };
        let mut session = session.lock();
        let Some(tombstone) = self.tombstone(id, &session, now) else { return false };
        // An operation that has the session already, and waits for its lock, finds no document: nothing is claimed in a
        // session that is gone.
        session.document = None;
        self.tombstones.add(id.clone(), tombstone);
        self.sessions.remove(id);
        true
    }

    /// Drops an idle session. Its time to live is over, so it leaves nothing.
    fn remove(&mut self, id: &SessionId) {
        if let Some(session) = self.sessions.remove(id) {
            session.lock().document = None;
        }
    }

    /// Records the result of a write of an evicted session. False if there is no such write.
    fn settle_evicted(&mut self, settlement: &Settlement) -> bool {
        let Settlement { session, key, epoch, state, .. } = settlement;
        self.tombstones.settle(session, key, *epoch, state.as_ref())
    }

    /// The document of a new session, or of one that is resumed after its eviction.
    fn create(&mut self, attach: &AttachRequest) -> Result<StoredSession, StoreError> {
        if let Some(tombstone) = self.tombstones.get(&attach.session) {
            tombstone.check(attach.principal.as_deref())?;
        }
        if !self.has_room(attach.now) {
            return Err(StoreError::Full);
        }
        let tombstone = self.tombstones.take(&attach.session);
        let mut rows = MemoryRows::default();
        let document = tombstone
            .map(|tombstone| SessionDocument::from_tombstone(tombstone, attach.clone(), &mut rows, attach.now));
        Ok(StoredSession { document, rows })
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
        let (sessions, tombstones) = (HashMap::new(), Tombstones::default());
        let contents = Mutex::new(Contents { sessions, tombstones, capacity: usize::MAX });
        Self { contents, fingerprint_key: HashKey::random() }
    }
}

impl MemoryStore {
    fn with_session<'a, T: Send + 'a>(
        &self,
        id: &SessionId,
        operation: impl FnOnce(&mut SessionDocument, &mut dyn Rows) -> OperationResult<T>,
    ) -> StoreFuture<'a, T> {
        // The map's lock is released before the session is locked: sessions do not wait for each other.
        let session = self.contents.lock().sessions.get(id).cloned();
        let result = session.ok_or(StoreError::SessionEnded).and_then(|session| {
            let StoredSession { document, rows } = &mut *session.lock();
            operation(document.as_mut().ok_or(StoreError::SessionEnded)?, rows)
        });
        ready_answer(result.map(|step| step.answer))
    }

    /// Raises a turn's counters to at least these numbers, which were counted elsewhere.
    pub fn count_at_least(&self, session: &SessionId, turn: u32, calls: u32, retrievals: u32) {
        let Some(session) = self.contents.lock().sessions.get(session).cloned() else { return };
        if let Some(document) = &mut session.lock().document {
            document.count_at_least(turn, calls, retrievals);
        }
    }

    fn attach_now(&self, attach: AttachRequest) -> Result<AttachedSession, StoreError> {
        // Locked until the session is attached, so that it is not evicted meanwhile.
        let mut contents = self.contents.lock();
        let (id, now) = (attach.session.clone(), attach.now);
        if let Some(session) = contents.sessions.get(&id) {
            let document = &mut session.lock().document;
            return document::attach(document, attach, self.fingerprint_key, now).map(|step| step.answer);
        }
        let mut session = contents.create(&attach)?;
        let attached = document::attach(&mut session.document, attach, self.fingerprint_key, now)?.answer;
        contents.sessions.insert(id, Arc::new(Mutex::new(session)));
        // The state of a session that was evicted is new.
        Ok(AttachedSession { created: true, ..attached })
    }
}

impl Store for MemoryStore {
    fn lease(&self) -> Option<Duration> {
        None
    }

    fn attach(&self, attach: AttachRequest) -> StoreFuture<'_, AttachedSession> {
        ready_answer(self.attach_now(attach))
    }

    fn begin_turn<'a>(
        &'a self,
        session: &'a SessionId,
        turn_id: Option<&'a str>,
        known: u64,
        now: EpochMs,
    ) -> StoreFuture<'a, BegunTurn> {
        self.with_session(session, |document, _| document.begin_turn(turn_id, known, now))
    }

    fn look_up<'a>(&'a self, look: CallLookup<'a>) -> StoreFuture<'a, CallLookupResult> {
        self.with_session(look.session, |document, rows| document.look_up(&look, rows, look.now))
    }

    fn alias_record<'a>(
        &'a self,
        session: &'a SessionId,
        unnamed: &'a RecordKey,
        named: &'a RecordKey,
    ) -> StoreFuture<'a, Option<Arc<Record>>> {
        self.with_session(session, |document, rows| document.alias_record(unnamed, named, rows))
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, ClaimResult> {
        let (session, now) = (claim.session.clone(), claim.now);
        self.with_session(&session, |document, rows| document.claim(claim, rows, now))
    }

    fn settle(&self, settlement: Settlement) -> StoreFuture<'_, bool> {
        let session = settlement.session.clone();
        let late = self.contents.lock().settle_evicted(&settlement);
        if late {
            return ready_answer(Ok(true));
        }
        self.with_session(&session, |document, rows| document.settle(settlement, rows))
    }

    fn renew(&self, renewal: Renewal) -> StoreFuture<'_, bool> {
        self.with_session(&renewal.session, |document, rows| document.renew(&renewal, rows, renewal.now))
    }

    fn ask<'a>(&'a self, session: &'a SessionId, question: Question, now: EpochMs) -> StoreFuture<'a, AskResult> {
        self.with_session(session, |document, rows| document.ask(question, now, rows, now))
    }

    fn token_state<'a>(&'a self, session: &'a SessionId, token: &'a str, now: EpochMs) -> StoreFuture<'a, TokenState> {
        self.with_session(session, |document, rows| document.token_state(token, rows, now))
    }

    fn withdraw<'a>(
        &'a self,
        session: &'a SessionId,
        token: &'a str,
        now: EpochMs,
    ) -> StoreFuture<'a, Option<Arc<Question>>> {
        self.with_session(session, |document, rows| document.withdraw(token, rows, now))
    }

    fn pending_questions<'a>(&'a self, session: &'a SessionId, now: EpochMs) -> StoreFuture<'a, Vec<Arc<Question>>> {
        self.with_session(session, |document, rows| document.pending_questions(rows, now))
    }

    fn save_state<'a>(&'a self, session: &'a SessionId, changes: Vec<StateChange>) -> StoreFuture<'a, ()> {
        self.with_session(session, |document, _| document.save_state(changes))
    }

    fn pin_tools<'a>(&'a self, session: &'a SessionId, tools_version: Arc<str>) -> StoreFuture<'a, ()> {
        self.with_session(session, |document, _| document.pin_tools(tools_version))
    }

    fn end<'a>(&'a self, session: &'a SessionId, changes: Vec<StateChange>) -> StoreFuture<'a, ()> {
        self.with_session(session, |document, rows| document.end(changes, rows))
    }

    fn sweep<'a>(
        &'a self,
        idle_since: EpochMs,
        keep: usize,
        in_use: &'a [SessionId],
    ) -> StoreFuture<'a, Vec<SessionId>> {
        let mut contents = self.contents.lock();
        if keep != usize::MAX {
            contents.capacity = keep;
        }
        contents.tombstones.drop_idle(idle_since);
        let used_at =
            |session: &Mutex<StoredSession>| session.lock().document.as_ref().map_or(0, SessionDocument::used_at);
        // The time of the latest use is the present: the caller has just attached a session.
        let now = contents.sessions.values().map(|session| used_at(session)).max().unwrap_or_default();
        let in_use: HashSet<&SessionId> = in_use.iter().collect();
        let mut idle: Vec<(EpochMs, SessionId)> = contents
            .sessions
            .iter()
            .filter(|(id, _)| !in_use.contains(id))
            .map(|(id, session)| (used_at(session), id.clone()))
            .collect();
        idle.sort_unstable();
        let over = contents.sessions.len().saturating_sub(keep);
        let mut dropped = Vec::new();
        for (used_at, id) in idle {
            if used_at < idle_since {
                contents.remove(&id);
                dropped.push(id);
            } else if dropped.len() >= over {
                break;
            } else if contents.evict(&id, now) {
                dropped.push(id);
            }
        }
        ready_answer(Ok(dropped))
    }
}
