//! A session as it is kept: one document, and beside it the answers of its recorded calls.
//!
//! Each operation of a store is a plain function here, on the document, the answers and the time. A store loads them,
//! applies the function, and commits what it changed, all or nothing. Nothing here waits or knows where it is kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ledger::{Entry, Held, Ledger};
use super::questions::Questions;
use super::usage::{Debit, Usage, within};
use super::{
    Asked, Attach, Attached, Claim, Claimed, Look, Question, Record, Renewal, Seen, Settlement, StoreError, TokenState,
    Turn,
};
use crate::clock::EpochMs;
use crate::json::SketchKey;
use crate::response::ToolResponse;
use crate::session::key::RecordKey;
use crate::session::state::{Author, Change, State};

/// The answers of a session's recorded calls, by the epoch of their claim.
pub(super) trait Answers {
    /// One that was put.
    fn get(&mut self, epoch: u64) -> Option<Arc<ToolResponse>>;
    /// Keeps one.
    fn put(&mut self, epoch: u64, answer: Arc<ToolResponse>);
    /// Lets one go.
    fn remove(&mut self, epoch: u64);
}

impl Answers for BTreeMap<u64, Arc<ToolResponse>> {
    fn get(&mut self, epoch: u64) -> Option<Arc<ToolResponse>> {
        Self::get(self, &epoch).cloned()
    }

    fn put(&mut self, epoch: u64, answer: Arc<ToolResponse>) {
        self.insert(epoch, answer);
    }

    fn remove(&mut self, epoch: u64) {
        Self::remove(self, &epoch);
    }
}

/// What an operation says, and whether there is something to commit.
#[derive(Debug)]
pub(super) struct Step<T> {
    pub(super) answer: T,
    pub(super) changed: bool,
}

/// An operation's result.
pub(super) type Done<T> = Result<Step<T>, StoreError>;

#[expect(clippy::unnecessary_wraps, reason = "an operation ends with it")]
const fn changed<T>(answer: T) -> Done<T> {
    Ok(Step { answer, changed: true })
}

#[expect(clippy::unnecessary_wraps, reason = "an operation ends with it")]
const fn unchanged<T>(answer: T) -> Done<T> {
    Ok(Step { answer, changed: false })
}

/// All of a session but its answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Document {
    principal: Option<String>,
    tools_version: Arc<str>,
    state: State,
    usage: Usage,
    ledger: Ledger,
    questions: Questions,
    used_at: EpochMs,
}

/// Makes a session, or resumes it.
pub(super) fn attach(slot: &mut Option<Document>, attach: Attach, sketches: SketchKey, now: EpochMs) -> Done<Attached> {
    let created = slot.is_none();
    let principal = attach.principal.clone();
    let document = slot.get_or_insert_with(|| Document::new(attach, now));
    if document.principal != principal {
        return Err(StoreError::Principal);
    }
    let document = document.active(now)?;
    changed(Attached {
        created,
        turn: document.usage.turn(),
        state: document.state.clone(),
        tools_version: Arc::clone(&document.tools_version),
        sketches,
    })
}

#[expect(clippy::unnecessary_wraps, reason = "an operation's result is the same type for all")]
impl Document {
    fn new(attach: Attach, now: EpochMs) -> Self {
        Self {
            principal: attach.principal,
            tools_version: attach.tools_version,
            state: attach.state,
            usage: Usage::default(),
            ledger: Ledger::default(),
            questions: Questions::default(),
            used_at: now,
        }
    }

    /// When it was last used.
    pub(super) const fn used_at(&self) -> EpochMs {
        self.used_at
    }

    fn active(&mut self, now: EpochMs) -> Result<&mut Self, StoreError> {
        self.used_at = self.used_at.max(now);
        if self.state.is_active() { Ok(self) } else { Err(StoreError::Ended) }
    }

    /// The state for one who knows another revision of it.
    fn news(&self, known: u64) -> Option<Box<State>> {
        (self.state.revision() != known).then(|| Box::new(self.state.clone()))
    }

    pub(super) fn begin_turn(&mut self, id: Option<&str>, known: u64, now: EpochMs) -> Done<Turn> {
        self.active(now)?;
        let (number, began) = self.usage.begin_turn(id);
        let author = Author { by: "gate", call_id: None, at: now };
        let pending_message = if began { self.state.take_pending_message(author) } else { None };
        changed(Turn { number, began, pending_message, state: self.news(known) })
    }

    /// A turn has made at least so many calls: they were counted elsewhere.
    pub(super) fn count_at_least(&mut self, turn: u32, calls: u32, retrievals: u32) {
        self.usage.count_at_least(turn, calls, retrievals);
    }

    pub(super) fn look(&mut self, look: &Look<'_>, answers: &mut dyn Answers, now: EpochMs) -> Done<Seen> {
        self.active(now)?;
        let record = self.ledger.find(look.key, answers, now);
        // Its use is remembered: the least recently used one goes first.
        let changed = record.is_some();
        let state = self.news(look.known);
        let seen = Seen { record, state, ..self.usage.seen(look.turn, look.tool, look.rate, now) };
        Ok(Step { answer: seen, changed })
    }

    pub(super) fn adopt(
        &mut self,
        unnamed: &RecordKey,
        named: &RecordKey,
        answers: &mut dyn Answers,
    ) -> Done<Option<Arc<Record>>> {
        let adopted = self.ledger.adopt(unnamed, named, answers, self.used_at);
        Ok(Step { changed: adopted.is_some(), answer: adopted })
    }

    pub(super) fn claim(&mut self, claim: Claim, answers: &mut dyn Answers, now: EpochMs) -> Done<Claimed> {
        self.active(now)?;
        if let Some(record) = self.ledger.find(&claim.key, answers, now) {
            return unchanged(Claimed::Existing(record));
        }
        let seen = self.usage.seen(claim.turn, &claim.tool, claim.rate, now);
        if claim.budget.is_some_and(|budget| !within(&seen, budget, claim.retrieval)) {
            return unchanged(Claimed::OverBudget(seen));
        }
        if let Some(wait_ms) = seen.rate_wait_ms {
            return unchanged(Claimed::OverRate { wait_ms });
        }
        if claim.consume.is_some_and(|token| !self.questions.consume(&token, claim.turn, now)) {
            return unchanged(Claimed::NotPending);
        }
        let debit = Debit {
            budgeted: claim.budget.is_some(),
            retrieval: claim.retrieval,
            unnamed: claim.call_id.is_none(),
            rated: claim.rate.is_some(),
        };
        self.usage.debit(claim.turn, &claim.tool, debit, now);
        let entry = Entry {
            fingerprint: claim.fingerprint,
            call_id: claim.call_id,
            turn: claim.turn,
            epoch: 0,
            claimed_at: now,
            effect: claim.effect,
            lease: claim.lease_ms.map(|ms| now.saturating_add(ms)),
            held: Held::Started,
        };
        changed(Claimed::Granted { epoch: self.ledger.open(claim.key, entry, now) })
    }

    /// Also after the end: what had started before is recorded.
    pub(super) fn settle(&mut self, settlement: Settlement, answers: &mut dyn Answers, now: EpochMs) -> Done<bool> {
        let Settlement { key, epoch, state, changes, .. } = settlement;
        let leaves_nothing = state.is_none();
        if !self.ledger.settle(&key, epoch, state, answers, now) {
            return unchanged(false);
        }
        if leaves_nothing {
            self.questions.reopen(&key);
        }
        self.state.absorb(changes);
        changed(true)
    }

    pub(super) fn renew(&mut self, renewal: &Renewal, now: EpochMs) -> Done<bool> {
        let held = self.ledger.renew(&renewal.key, renewal.epoch, now.saturating_add(renewal.lease_ms));
        Ok(Step { answer: held, changed: held })
    }

    /// `asked_at` is the asker's time: what is left until the question closes is counted by the store's.
    pub(super) fn ask(&mut self, mut question: Question, asked_at: EpochMs, now: EpochMs) -> Done<Asked> {
        self.active(now)?;
        question.expires = now.saturating_add(question.expires.saturating_sub(asked_at));
        changed(self.questions.ask(question, now))
    }

    pub(super) fn token(&mut self, token: &str, answers: &mut dyn Answers, now: EpochMs) -> Done<TokenState> {
        self.active(now)?;
        if let Some(question) = self.questions.pending(token, now) {
            return unchanged(TokenState::Pending(question));
        }
        if let Some(answered) = self.questions.answered(token).cloned() {
            let record = self.ledger.find(&answered.key, answers, now);
            return unchanged(TokenState::Used { record, question: answered.question });
        }
        unchanged(self.questions.expired(token).map_or(TokenState::Unknown, TokenState::Expired))
    }

    pub(super) fn withdraw(&mut self, token: &str, now: EpochMs) -> Done<Option<Arc<Question>>> {
        self.active(now)?;
        changed(self.questions.withdraw(token, now))
    }

    pub(super) fn questions(&mut self, now: EpochMs) -> Done<Vec<Arc<Question>>> {
        self.active(now)?;
        unchanged(self.questions.list(now))
    }

    pub(super) fn save_state(&mut self, changes: Vec<Change>) -> Done<()> {
        if !self.state.is_active() {
            return Err(StoreError::Ended);
        }
        self.state.absorb(changes);
        changed(())
    }

    pub(super) fn pin(&mut self, tools_version: Arc<str>) -> Done<()> {
        self.tools_version = tools_version;
        changed(())
    }

    pub(super) fn end(&mut self, changes: Vec<Change>) -> Done<()> {
        self.questions.clear();
        self.state.absorb(changes);
        changed(())
    }
}
