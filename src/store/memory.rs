//! Sessions in this process' memory. Every returned future is ready.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::document::{self, Document, Done};
use super::{
    Asked, Attach, Attached, Claim, Claimed, Look, Question, Record, Renewal, Seen, Settlement, Store, StoreError,
    StoreFuture, TokenState, Turn, answered,
};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::SketchKey;
use crate::response::ToolResponse;
use crate::session::key::RecordKey;
use crate::session::state::Change;

/// A session with its answers. The document is made by the first to attach.
#[derive(Debug, Default)]
struct Stored {
    document: Option<Document>,
    answers: BTreeMap<u64, Arc<ToolResponse>>,
}

/// The default store.
#[derive(Debug)]
pub struct MemoryStore {
    sessions: Mutex<HashMap<SessionId, Arc<Mutex<Stored>>>>,
    sketches: SketchKey,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self { sessions: Mutex::default(), sketches: SketchKey::random() }
    }
}

impl MemoryStore {
    fn with<'a, T: Send + 'a>(
        &self,
        id: &SessionId,
        operation: impl FnOnce(&mut Document, &mut BTreeMap<u64, Arc<ToolResponse>>) -> Done<T>,
    ) -> StoreFuture<'a, T> {
        // The map is let go before the session is worked on: sessions do not wait for each other.
        let session = self.sessions.lock().get(id).cloned();
        let result = session.ok_or(StoreError::Ended).and_then(|session| {
            let Stored { document, answers } = &mut *session.lock();
            operation(document.as_mut().ok_or(StoreError::Ended)?, answers)
        });
        answered(result.map(|step| step.answer))
    }
}

impl MemoryStore {
    /// A turn has made at least so many calls: they were counted elsewhere.
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

    fn attach(&self, attach: Attach) -> StoreFuture<'_, Attached> {
        let session = Arc::clone(self.sessions.lock().entry(attach.session.clone()).or_default());
        let (document, now) = (&mut session.lock().document, attach.now);
        let attached = document::attach(document, attach, self.sketches, now);
        answered(attached.map(|step| step.answer))
    }

    fn begin_turn<'a>(
        &'a self,
        session: &'a SessionId,
        turn_id: Option<&'a str>,
        known: u64,
        now: EpochMs,
    ) -> StoreFuture<'a, Turn> {
        self.with(session, |document, _| document.begin_turn(turn_id, known, now))
    }

    fn look<'a>(&'a self, look: Look<'a>) -> StoreFuture<'a, Seen> {
        self.with(look.session, |document, answers| document.look(&look, answers, look.now))
    }

    fn adopt<'a>(
        &'a self,
        session: &'a SessionId,
        unnamed: &'a RecordKey,
        named: &'a RecordKey,
    ) -> StoreFuture<'a, Option<Arc<Record>>> {
        self.with(session, |document, answers| document.adopt(unnamed, named, answers))
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, Claimed> {
        let (session, now) = (claim.session.clone(), claim.now);
        self.with(&session, |document, answers| document.claim(claim, answers, now))
    }

    fn settle(&self, settlement: Settlement) -> StoreFuture<'_, bool> {
        let (session, now) = (settlement.session.clone(), settlement.now);
        self.with(&session, |document, answers| document.settle(settlement, answers, now))
    }

    fn renew(&self, renewal: Renewal) -> StoreFuture<'_, bool> {
        self.with(&renewal.session, |document, _| document.renew(&renewal, renewal.now))
    }

    fn ask<'a>(&'a self, session: &'a SessionId, question: Question, now: EpochMs) -> StoreFuture<'a, Asked> {
        self.with(session, |document, _| document.ask(question, now, now))
    }

    fn token<'a>(&'a self, session: &'a SessionId, token: &'a str, now: EpochMs) -> StoreFuture<'a, TokenState> {
        self.with(session, |document, answers| document.token(token, answers, now))
    }

    fn withdraw<'a>(
        &'a self,
        session: &'a SessionId,
        token: &'a str,
        now: EpochMs,
    ) -> StoreFuture<'a, Option<Arc<Question>>> {
        self.with(session, |document, _| document.withdraw(token, now))
    }

    fn questions<'a>(&'a self, session: &'a SessionId, now: EpochMs) -> StoreFuture<'a, Vec<Arc<Question>>> {
        self.with(session, |document, _| document.questions(now))
    }

    fn save_state<'a>(&'a self, session: &'a SessionId, changes: Vec<Change>) -> StoreFuture<'a, ()> {
        self.with(session, |document, _| document.save_state(changes))
    }

    fn pin<'a>(&'a self, session: &'a SessionId, tools_version: Arc<str>) -> StoreFuture<'a, ()> {
        self.with(session, |document, _| document.pin(tools_version))
    }

    fn end<'a>(&'a self, session: &'a SessionId, changes: Vec<Change>) -> StoreFuture<'a, ()> {
        self.with(session, |document, _| document.end(changes))
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
            .map(|(id, session)| (session.lock().document.as_ref().map_or(0, Document::used_at), id.clone()))
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
        answered(Ok(dropped))
    }
}
