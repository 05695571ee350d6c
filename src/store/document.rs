//! A stored session: one small document, and the [rows](super::rows) of its calls and questions.
//!
//! Each store operation is a plain function on the document, the rows and the time. A store loads them, applies the
//! function, and commits the changes, all or nothing. No waiting here, and nothing specific to one store.

mod background;
mod claiming;
mod counting;
mod equal_acts;
mod granting;
mod limiting;
mod outcome;
mod questions;
mod reconciling;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::grants::Grants;
use super::ledger::{FoundCall, Ledger};
use super::owed_results::OwedResults;
use super::question::Question;
use super::question_requests::AskRequest;
use super::questions::Questions;
use super::rows::{MemoryRows, Rows};
use super::tombstone::Tombstone;
use super::usage::Usage;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::key::{RecordKey, kept_id};
use crate::session::state::{ChangeAuthor, SessionState, StateChange};
use crate::store::acts::Act;
use crate::store::attaching::{AttachRequest, AttachedSession, BegunTurn, TurnStarter};
use crate::store::claim::{CallLookup, CallLookupResult, Renewal, Settlement};
use crate::store::error::StoreError;
use crate::store::owner::Owner;
use crate::store::question::AskResult;
use crate::store::record::Record;

/// An operation's output, and whether there is something to commit.
#[derive(Debug)]
pub(super) struct OperationOutput<T> {
    pub(super) answer: T,
    pub(super) changed: bool,
}

/// An operation's result.
pub(super) type OperationResult<T> = Result<OperationOutput<T>, StoreError>;

#[expect(clippy::unnecessary_wraps, reason = "an operation ends with it")]
const fn changed<T>(answer: T) -> OperationResult<T> {
    Ok(OperationOutput { answer, changed: true })
}

#[expect(clippy::unnecessary_wraps, reason = "an operation ends with it")]
const fn unchanged<T>(answer: T) -> OperationResult<T> {
    Ok(OperationOutput { answer, changed: false })
}

/// A session without its rows: everything here is small and bounded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SessionDocument {
    pub(super) owner: Owner,
    pub(super) tools_version: Arc<str>,
    pub(super) state: SessionState,
    pub(super) usage: Usage,
    pub(super) ledger: Ledger,
    pub(super) questions: Questions,
    #[serde(default, skip_serializing_if = "OwedResults::is_empty")]
    pub(super) owed: OwedResults,
    #[serde(default, skip_serializing_if = "Grants::is_empty")]
    pub(super) grants: Grants,
    /// When the last window ends in which an equal act is a duplicate, or a call of the principal counts; 0 for none.
    #[serde(default, skip_serializing_if = "is_zero", rename = "acts_until")]
    windows_until: EpochMs,
    pub(super) used_at: EpochMs,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(time: &EpochMs) -> bool {
    *time == 0
}

/// Creates or resumes a session.
pub(super) fn attach(
    slot: &mut Option<SessionDocument>,
    attach: AttachRequest,
    rows: &mut dyn Rows,
    fingerprint_key: HashKey,
    now: EpochMs,
) -> OperationResult<AttachedSession> {
    let created = slot.is_none();
    if created && attach.resume_only {
        return Err(StoreError::SessionEnded);
    }
    let owner = attach.owner.clone();
    let document = slot.get_or_insert_with(|| SessionDocument::new(attach, now));
    if document.owner != owner {
        return Err(StoreError::WrongPrincipal);
    }
    let unused = Duration::from_millis(now.saturating_sub(document.used_at));
    let document = document.require_active(now)?;
    changed(AttachedSession {
        created,
        unused,
        turn: document.usage.turn(),
        state: document.state.clone(),
        tools_version: Arc::clone(&document.tools_version),
        fingerprint_key,
        dropped: document.owed.drop_overdue(rows, now),
    })
}

#[expect(clippy::unnecessary_wraps, reason = "an operation's result is the same type for all")]
impl SessionDocument {
    fn new(attach: AttachRequest, now: EpochMs) -> Self {
        Self {
            owner: attach.owner,
            tools_version: attach.tools_version,
            state: attach.state,
            usage: Usage::default(),
            ledger: Ledger::default(),
            questions: Questions::default(),
            owed: OwedResults::default(),
            grants: Grants::default(),
            windows_until: 0,
            used_at: now,
        }
    }

    /// Resumes a session that was evicted: its state is new, its turns and writes are known.
    pub(super) fn from_tombstone(
        tombstone: Tombstone,
        attach: AttachRequest,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> Self {
        Self {
            usage: Usage::from_turn_numbers(tombstone.turns),
            ledger: Ledger::from_remains(tombstone.writes, rows),
            ..Self::new(attach, now)
        }
    }

    /// What is kept of the session if it is evicted.
    pub(super) fn to_tombstone(&self, rows: &MemoryRows, now: EpochMs) -> Tombstone {
        Tombstone {
            owner: self.owner.clone(),
            has_ended: self.has_ended(),
            used_at: self.used_at,
            turns: self.usage.turn_numbers(),
            writes: self.ledger.remains(rows, now, self.has_ended()),
        }
    }

    /// Whether the session has an open question, a grant, a result that is owed, or a running call, and so can't be evicted.
    pub(super) fn is_held(&self, rows: &MemoryRows, now: EpochMs) -> bool {
        self.questions.has_pending(now)
            || self.grants.kept_until() > now
            || self.owed.kept_until() > now
            || rows.has_running(now)
    }

    /// Whether it has an act of which an equal call is a duplicate, or a call that counts for its principal.
    pub(super) const fn has_open_window(&self, now: EpochMs) -> bool {
        self.windows_until > now
    }

    /// Until when the session is kept at least, however long it is not used; 0 for what has ended. Each part of it is as long as
    /// what a tool, a grant or an option says.
    pub(super) fn kept_until(&self) -> EpochMs {
        if self.has_ended() {
            return 0;
        }
        self.questions.kept_until().max(self.grants.kept_until()).max(self.owed.kept_until()).max(self.windows_until)
    }

    /// Since when the session's oldest result is owed. The stores keep it beside the document, with an index.
    pub(super) fn owed_since(&self) -> Option<EpochMs> {
        self.owed.owed_since()
    }

    /// The time that a sweep compares with the begin of the idle time: that of the last use, or a later one if the session
    /// is kept for longer.
    pub(super) fn kept_as_used_at(&self, idle_ms: u64) -> EpochMs {
        self.used_at.max(self.kept_until().saturating_sub(idle_ms))
    }

    /// How long the session is kept from `now` on.
    pub(super) fn keep_ms(&self, idle_ms: u64, now: EpochMs) -> u64 {
        self.kept_until().saturating_sub(now).max(idle_ms)
    }

    /// Whether the session has ended: nothing but the results of its running calls is recorded.
    pub(super) fn has_ended(&self) -> bool {
        !self.state.is_active()
    }

    /// The time of the last use.
    pub(super) const fn used_at(&self) -> EpochMs {
        self.used_at
    }

    fn require_active(&mut self, now: EpochMs) -> Result<&mut Self, StoreError> {
        self.used_at = self.used_at.max(now);
        if self.state.is_active() { Ok(self) } else { Err(StoreError::SessionEnded) }
    }

    /// An act of a principal is kept and looked for among that principal's only.
    fn require_owner(&self, act: Option<&Act>) -> Result<(), StoreError> {
        let owner = act.and_then(|act| act.owner.as_deref());
        if owner.is_none_or(|owner| self.owner.principal() == Some(owner)) {
            Ok(())
        } else {
            Err(StoreError::WrongPrincipal)
        }
    }

    /// The state, if its revision is not `known`.
    fn state_unless_known(&self, known: u64) -> Option<Box<SessionState>> {
        (self.state.revision() != known).then(|| Box::new(self.state.clone()))
    }

    pub(super) fn begin_turn(
        &mut self,
        id: Option<&str>,
        starter: TurnStarter,
        known: u64,
        now: EpochMs,
    ) -> OperationResult<BegunTurn> {
        self.require_active(now)?;
        let ends = match starter {
            TurnStarter::Gate { ends } => ends,
            TurnStarter::Host => None,
        };
        // A page can send an id of any length, and the session keeps the last ones.
        let (number, began) = self.usage.begin_turn(id.map(kept_id).as_deref(), ends);
        let author = ChangeAuthor { by: "gate", call_id: None, at: now };
        let pending_message =
            if began && starter == TurnStarter::Host { self.state.take_pending_message(author) } else { None };
        changed(BegunTurn { number, is_new: began, pending_message, state: self.state_unless_known(known) })
    }

    /// Raises a turn's counters to at least these numbers, which were counted elsewhere.
    pub(super) fn count_at_least(&mut self, turn: u32, calls: u32, retrievals: u32) {
        self.usage.count_at_least(turn, calls, retrievals);
    }

    pub(super) fn look_up(
        &mut self,
        look: &CallLookup,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<CallLookupResult> {
        self.require_active(now)?;
        self.require_owner(look.act.as_ref())?;
        let content = look.content.as_ref().map(|content| (content, look.turn));
        let (named, found) = self.ledger.find_same(&look.key, content, rows, now);
        let record = if let FoundCall::Recorded(record) = found { Some(record) } else { None };
        // The use counts for the eviction order: the least recently used record is evicted first.
        let changed = record.is_some();
        let state = self.state_unless_known(look.known_revision);
        let done = look.act.as_ref().and_then(|act| equal_acts::find(act, &look.key, &self.owed, rows, now).done);
        let seen = CallLookupResult { record, named, done, state, ..self.usage.counters(look.turn, &look.limits, now) };
        Ok(OperationOutput { answer: seen, changed })
    }

    pub(super) fn alias_record(
        &mut self,
        unnamed: &RecordKey,
        named: &RecordKey,
        rows: &mut dyn Rows,
    ) -> OperationResult<Option<Arc<Record>>> {
        let adopted = self.ledger.alias_record(unnamed, named, rows, self.used_at);
        Ok(OperationOutput { changed: adopted.is_some(), answer: adopted })
    }

    /// Settles a claim, also after the session's end: calls that had started before are recorded.
    pub(super) fn settle(&mut self, settlement: Settlement, rows: &mut dyn Rows) -> OperationResult<bool> {
        let Settlement { key, epoch, state, is_heard, owed, changes, now, .. } = settlement;
        let leaves_nothing = state.is_none();
        let Some(claimed) = self.ledger.settle(&key, epoch, (state, is_heard), rows, now) else {
            return unchanged(false);
        };
        if leaves_nothing && let Some(question) = &claimed.question {
            Questions::reopen(question, rows);
            self.grants.take_back(epoch);
        }
        let result = owed.filter(|_| !self.has_ended());
        self.owed.call_ended(epoch, result, rows, now);
        self.state.apply_changes(changes);
        changed(true)
    }

    pub(super) fn renew(&mut self, renewal: &Renewal, rows: &mut dyn Rows, now: EpochMs) -> OperationResult<bool> {
        let until = now.saturating_add(renewal.lease_ms);
        let held = Ledger::renew(&renewal.key, renewal.epoch, until, rows);
        if held {
            self.used_at = self.used_at.max(now);
        }
        Ok(OperationOutput { answer: held, changed: held })
    }

    /// Adds a question. It expires as long after the store's time as it would after its caller's.
    pub(super) fn ask(&mut self, ask: AskRequest, rows: &mut dyn Rows, now: EpochMs) -> OperationResult<AskResult> {
        self.require_active(now)?;
        let AskRequest { mut question, act, call, only_known, now: asked_at, .. } = ask;
        question.expires = now.saturating_add(question.expires.saturating_sub(asked_at));
        rows.purge(now);
        // A pending question may name acts that this one does not.
        let act = act.map(|act| Act { known: 0, ..act });
        let done = act.and_then(|act| equal_acts::find(&act, &question.key, &self.owed, rows, now).done);
        let is_granted = call.is_some_and(|call| self.grants.cover(&call, now));
        changed(self.questions.ask(*question, done, (is_granted, only_known), rows, now))
    }

    pub(super) fn save_state(&mut self, changes: Vec<StateChange>) -> OperationResult<()> {
        if !self.state.is_active() {
            return Err(StoreError::SessionEnded);
        }
        self.state.apply_changes(changes);
        changed(())
    }

    pub(super) fn pin_tools(&mut self, tools_version: Arc<str>) -> OperationResult<()> {
        self.tools_version = tools_version;
        changed(())
    }

    /// Ends the session. The questions that were pending.
    pub(super) fn end(
        &mut self,
        changes: Vec<StateChange>,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<Vec<Arc<Question>>> {
        let pending = self.questions.list(rows, now);
        self.questions.clear(rows);
        self.owed.clear(rows);
        self.grants = Grants::default();
        self.state.apply_changes(changes);
        changed(pending)
    }
}
