//! Sessions in this process' memory. Every returned future is ready.

use std::collections::{HashMap, HashSet};
use std::future::ready;
use std::sync::Arc;

use parking_lot::Mutex;

use super::ledger::Ledger;
use super::questions::Questions;
use super::usage::{Debit, Usage, within};
use super::{
    Asked, Attach, Attached, Claim, Claimed, Look, Question, Record, RecordState, Seen, Settlement, Store, StoreError,
    StoreFuture, TokenState, Turn,
};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::session::key::RecordKey;
use crate::session::state::State;

#[derive(Debug)]
struct Stored {
    principal: Option<String>,
    tools_version: Arc<str>,
    state: State,
    usage: Usage,
    ledger: Ledger,
    questions: Questions,
    used_at: EpochMs,
}

/// The default store.
#[derive(Debug, Default)]
pub struct MemoryStore {
    sessions: Mutex<HashMap<SessionId, Arc<Mutex<Stored>>>>,
}

impl MemoryStore {
    fn with<'a, T: Send + 'a>(
        &self,
        id: &SessionId,
        op: impl FnOnce(&mut Stored) -> Result<T, StoreError>,
    ) -> StoreFuture<'a, T> {
        // The map is let go before the session is worked on: sessions do not wait for each other.
        let session = self.sessions.lock().get(id).cloned();
        let result = session.ok_or(StoreError::Ended).and_then(|session| op(&mut session.lock()));
        Box::pin(ready(result))
    }
}

impl Stored {
    fn new(attach: Attach) -> Self {
        Self {
            principal: attach.principal,
            tools_version: attach.tools_version,
            state: attach.state,
            usage: Usage::default(),
            ledger: Ledger::default(),
            questions: Questions::default(),
            used_at: attach.now,
        }
    }

    fn active(&mut self, now: EpochMs) -> Result<&mut Self, StoreError> {
        self.used_at = self.used_at.max(now);
        if self.state.is_active() { Ok(self) } else { Err(StoreError::Ended) }
    }

    fn claim(&mut self, claim: Claim) -> Claimed {
        if let Some(record) = self.ledger.find(&claim.key, claim.now) {
            return Claimed::Existing(record);
        }
        let seen = self.usage.seen(claim.turn, &claim.tool, claim.rate, claim.now);
        if claim.budget.is_some_and(|budget| !within(&seen, budget, claim.retrieval)) {
            return Claimed::OverBudget(seen);
        }
        if let Some(wait_ms) = seen.rate_wait_ms {
            return Claimed::OverRate { wait_ms };
        }
        if claim.consume.is_some_and(|token| !self.questions.consume(&token, claim.turn, claim.now)) {
            return Claimed::NotPending;
        }
        let debit = Debit {
            budgeted: claim.budget.is_some(),
            retrieval: claim.retrieval,
            unnamed: claim.call_id.is_none(),
            rated: claim.rate.is_some(),
        };
        self.usage.debit(claim.turn, &claim.tool, debit, claim.now);
        let record = Record {
            fingerprint: claim.fingerprint,
            call_id: claim.call_id,
            turn: claim.turn,
            epoch: 0,
            claimed_at: claim.now,
            writes: claim.writes,
            state: RecordState::Started,
        };
        Claimed::Granted { epoch: self.ledger.open(claim.key, record) }
    }

    fn token(&mut self, token: &str, now: EpochMs) -> TokenState {
        if let Some(question) = self.questions.pending(token, now) {
            return TokenState::Pending(question);
        }
        if let Some(answered) = self.questions.answered(token).cloned() {
            return TokenState::Used { record: self.ledger.find(&answered.key, now), question: answered.question };
        }
        self.questions.expired(token).map_or(TokenState::Unknown, TokenState::Expired)
    }
}

impl Store for MemoryStore {
    fn attach(&self, attach: Attach) -> StoreFuture<'_, Attached> {
        let mut sessions = self.sessions.lock();
        let created = !sessions.contains_key(&attach.session);
        let principal = attach.principal.clone();
        let now = attach.now;
        let session =
            sessions.entry(attach.session.clone()).or_insert_with(|| Arc::new(Mutex::new(Stored::new(attach))));
        let mut stored = session.lock();
        let result = if stored.principal == principal {
            stored.active(now).map(|stored| Attached {
                created,
                turn: stored.usage.turn(),
                state: stored.state.clone(),
                tools_version: Arc::clone(&stored.tools_version),
            })
        } else {
            Err(StoreError::Principal)
        };
        drop(stored);
        Box::pin(ready(result))
    }

    fn begin_turn<'a>(
        &'a self,
        session: &'a SessionId,
        turn_id: Option<&'a str>,
        now: EpochMs,
    ) -> StoreFuture<'a, Turn> {
        self.with(session, |stored| Ok(stored.active(now)?.usage.begin_turn(turn_id)))
    }

    fn look<'a>(&'a self, look: Look<'a>) -> StoreFuture<'a, Seen> {
        self.with(look.session, |stored| {
            let stored = stored.active(look.now)?;
            let record = stored.ledger.find(look.key, look.now);
            Ok(Seen { record, ..stored.usage.seen(look.turn, look.tool, look.rate, look.now) })
        })
    }

    fn adopt<'a>(
        &'a self,
        session: &'a SessionId,
        unnamed: &'a RecordKey,
        named: &'a RecordKey,
    ) -> StoreFuture<'a, Option<Arc<Record>>> {
        self.with(session, |stored| {
            let now = stored.used_at;
            Ok(stored.ledger.adopt(unnamed, named, now))
        })
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, Claimed> {
        let session = claim.session.clone();
        self.with(&session, |stored| Ok(stored.active(claim.now)?.claim(claim)))
    }

    fn settle(&self, settlement: Settlement) -> StoreFuture<'_, bool> {
        let session = settlement.session.clone();
        // Also after the end: what had started before is recorded.
        self.with(&session, |stored| {
            if settlement.state.is_none() {
                stored.questions.reopen(&settlement.key);
            }
            let settled = stored.ledger.settle(&settlement.key, settlement.epoch, settlement.state, settlement.now);
            if let Some(state) = settlement.session_state.filter(|_| settled && stored.state.is_active()) {
                stored.state = state;
            }
            Ok(settled)
        })
    }

    fn ask<'a>(&'a self, session: &'a SessionId, question: Question, now: EpochMs) -> StoreFuture<'a, Asked> {
        self.with(session, |stored| Ok(stored.active(now)?.questions.ask(question, now)))
    }

    fn token<'a>(&'a self, session: &'a SessionId, token: &'a str, now: EpochMs) -> StoreFuture<'a, TokenState> {
        self.with(session, |stored| Ok(stored.active(now)?.token(token, now)))
    }

    fn withdraw<'a>(
        &'a self,
        session: &'a SessionId,
        token: &'a str,
        now: EpochMs,
    ) -> StoreFuture<'a, Option<Arc<Question>>> {
        self.with(session, |stored| Ok(stored.active(now)?.questions.withdraw(token, now)))
    }

    fn questions<'a>(&'a self, session: &'a SessionId, now: EpochMs) -> StoreFuture<'a, Vec<Arc<Question>>> {
        self.with(session, |stored| Ok(stored.active(now)?.questions.list(now)))
    }

    fn save_state<'a>(&'a self, session: &'a SessionId, state: State) -> StoreFuture<'a, ()> {
        self.with(session, |stored| {
            if !stored.state.is_active() {
                return Err(StoreError::Ended);
            }
            stored.state = state;
            Ok(())
        })
    }

    fn pin<'a>(&'a self, session: &'a SessionId, tools_version: Arc<str>) -> StoreFuture<'a, ()> {
        self.with(session, |stored| {
            stored.tools_version = tools_version;
            Ok(())
        })
    }

    fn end<'a>(&'a self, session: &'a SessionId, state: State) -> StoreFuture<'a, ()> {
        self.with(session, |stored| {
            stored.questions.clear();
            stored.state = state;
            Ok(())
        })
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
            .map(|(id, session)| (session.lock().used_at, id.clone()))
            .collect();
        idle.sort();
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
        Box::pin(ready(Ok(dropped)))
    }
}
