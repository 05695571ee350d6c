//! The memory store: sessions in this process. Every returned future is ready.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::document::{self, OperationResult, SessionDocument};
use super::{
    AskResult, AttachRequest, AttachedSession, BegunTurn, CallLookup, CallLookupResult, Claim, ClaimResult, Question,
    Record, Renewal, Settlement, Store, StoreError, StoreFuture, TokenState, ready_answer,
};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::response::ToolResponse;
use crate::session::key::RecordKey;
use crate::session::state::StateChange;

/// A session with its answers. The first attachment creates the document.
#[derive(Debug, Default)]
struct StoredSession {
    document: Option<SessionDocument>,
    answers: BTreeMap<u64, Arc<ToolResponse>>,
}

/// The default store.
#[derive(Debug)]
pub struct MemoryStore {
    sessions: Mutex<HashMap<SessionId, Arc<Mutex<StoredSession>>>>,
    fingerprint_key: HashKey,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self { sessions: Mutex::default(), fingerprint_key: HashKey::random() }
    }
}

impl MemoryStore {
    fn with_session<'a, T: Send + 'a>(
        &self,
        id: &SessionId,
        operation: impl FnOnce(&mut SessionDocument, &mut BTreeMap<u64, Arc<ToolResponse>>) -> OperationResult<T>,
    ) -> StoreFuture<'a, T> {
        // The map's lock is released before the session is locked: sessions do not wait for each other.
        let session = self.sessions.lock().get(id).cloned();
        let result = session.ok_or(StoreError::SessionEnded).and_then(|session| {
            let StoredSession { document, answers } = &mut *session.lock();
            operation(document.as_mut().ok_or(StoreError::SessionEnded)?, answers)
        });
        ready_answer(result.map(|step| step.answer))
    }
}

impl MemoryStore {
    /// Raises a turn's counters to at least these numbers, which were counted elsewhere.
    pub fn count_at_least(&self, session: &SessionId, turn: u32, calls: u32, retrievals: u32) {
        let Some(session) = self.sessions.lock().get(session).cloned() else { return };
        if let Some(document) = &mut session.lock().document {
            document.count_at_least(turn, calls, retrievals);
        }
    }
}

impl Store for MemoryStore {
    fn lease(&self) -> Option<Duration> {
        None
    }

    fn attach(&self, attach: AttachRequest) -> StoreFuture<'_, AttachedSession> {
        let session = Arc::clone(self.sessions.lock().entry(attach.session.clone()).or_default());
        let (document, now) = (&mut session.lock().document, attach.now);
        let attached = document::attach(document, attach, self.fingerprint_key, now);
        ready_answer(attached.map(|step| step.answer))
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
        self.with_session(look.session, |document, answers| document.look_up(&look, answers, look.now))
    }

    fn alias_record<'a>(
        &'a self,
        session: &'a SessionId,
        unnamed: &'a RecordKey,
        named: &'a RecordKey,
    ) -> StoreFuture<'a, Option<Arc<Record>>> {
        self.with_session(session, |document, answers| document.alias_record(unnamed, named, answers))
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, ClaimResult> {
        let (session, now) = (claim.session.clone(), claim.now);
        self.with_session(&session, |document, answers| document.claim(claim, answers, now))
    }

    fn settle(&self, settlement: Settlement) -> StoreFuture<'_, bool> {
        let (session, now) = (settlement.session.clone(), settlement.now);
        self.with_session(&session, |document, answers| document.settle(settlement, answers, now))
    }

    fn renew(&self, renewal: Renewal) -> StoreFuture<'_, bool> {
        self.with_session(&renewal.session, |document, _| document.renew(&renewal, renewal.now))
    }

    fn ask<'a>(&'a self, session: &'a SessionId, question: Question, now: EpochMs) -> StoreFuture<'a, AskResult> {
        self.with_session(session, |document, _| document.ask(question, now, now))
    }

    fn token_state<'a>(&'a self, session: &'a SessionId, token: &'a str, now: EpochMs) -> StoreFuture<'a, TokenState> {
        self.with_session(session, |document, answers| document.token_state(token, answers, now))
    }

    fn withdraw<'a>(
        &'a self,
        session: &'a SessionId,
        token: &'a str,
        now: EpochMs,
    ) -> StoreFuture<'a, Option<Arc<Question>>> {
        self.with_session(session, |document, _| document.withdraw(token, now))
    }

    fn pending_questions<'a>(&'a self, session: &'a SessionId, now: EpochMs) -> StoreFuture<'a, Vec<Arc<Question>>> {
        self.with_session(session, |document, _| document.pending_questions(now))
    }

    fn save_state<'a>(&'a self, session: &'a SessionId, changes: Vec<StateChange>) -> StoreFuture<'a, ()> {
        self.with_session(session, |document, _| document.save_state(changes))
    }

    fn pin_tools<'a>(&'a self, session: &'a SessionId, tools_version: Arc<str>) -> StoreFuture<'a, ()> {
        self.with_session(session, |document, _| document.pin_tools(tools_version))
    }

    fn end<'a>(&'a self, session: &'a SessionId, changes: Vec<StateChange>) -> StoreFuture<'a, ()> {
        self.with_session(session, |document, _| document.end(changes))
    }

    fn sweep<'a>(
        &'a self,
        idle_since: EpochMs,
        keep: usize,
        in_use: &'a [SessionId],
    ) -> StoreFuture<'a, Vec<SessionId>> {
        let mut sessions = self.sessions.lock();
        let in_use: HashSet<&SessionId> = in_use.iter().collect();
        let mut idle: Vec<(EpochMs, SessionId)> = sessions
            .iter()
            .filter(|(id, _)| !in_use.contains(id))
            .map(|(id, session)| (session.lock().document.as_ref().map_or(0, SessionDocument::used_at), id.clone()))
            .collect();
        idle.sort_unstable();
        let over = sessions.len().saturating_sub(keep);
        let dropped: Vec<SessionId> = idle
            .into_iter()
            .enumerate()
            .filter(|(place, (used_at, _))| *place < over || *used_at < idle_since)
            .map(|(_, (_, id))| id)
            .collect();
        for id in &dropped {
            sessions.remove(id);
        }
        ready_answer(Ok(dropped))
    }
}
