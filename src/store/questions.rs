//! A session's questions to its user: pending, confirmed, expired.
//!
//! A question is a row ([`QuestionRow`]) under a hash of its token: a look-up by hash does not reveal a common prefix of
//! a guessed token. Its arguments are a row of their own ([`QuestionText`]), which only operations on this question load.
//! The lists here have names and times only.

mod approvers;
mod by_id;
mod denials;
mod given;
mod row;
mod state;

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::acts::DoneAct;
use super::question::{AskResult, Closing, ConfirmedBy, ConfirmedCall, ConfirmedToken, Question};
use super::rows::{Row, Rows};
use crate::clock::EpochMs;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, hex, kept_call_id};
use crate::store::row_names::{EqualityHash, QuestionName, question_name};
use crate::store::row_names::{HashName, RowKey};
use approvers::add_approver;
use denials::Denials;

pub(super) use approvers::Consumed;
pub(super) use given::given_row;
pub(super) use row::{GivenRow, QuestionRow, QuestionState, QuestionText};

/// The number of pending questions; a further question expires the oldest.
const MAX_PENDING: usize = 20;
/// How long an expired question is kept at least, in milliseconds, so that the process that asked can report it.
const REPORT_MS: u64 = 60_000;
/// The number of confirmed, and of otherwise closed, questions kept, so that a late answer gets the question's state.
const MAX_REMEMBERED: usize = 100;

fn equality_hash(question: &Question) -> EqualityHash {
    let content = json!([question.tool, question.tool_version, hex(question.call_digest())]);
    HashName::from_content(content.to_string().as_bytes())
}

/// A hash of a call: of the key under which it will be recorded, its tool and its arguments.
fn call_name(key: &RecordKey, fingerprint: &Fingerprint) -> HashName {
    let content = json!([key.as_str(), fingerprint.tool(), hex(&fingerprint.args_hash())]);
    HashName::from_content(content.to_string().as_bytes())
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PendingEntry {
    name: QuestionName,
    expires: EpochMs,
    /// The asking call, as it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<HashName>,
}

/// The names of the questions, the oldest first.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Questions {
    pending: VecDeque<PendingEntry>,
    confirmed: VecDeque<QuestionName>,
    /// Those that expired or were denied.
    #[serde(rename = "expired")]
    closed: VecDeque<QuestionName>,
    #[serde(default, skip_serializing_if = "Denials::is_empty")]
    denied: Denials,
}

impl Questions {
    /// Adds a question, unless it does not name `done`, the equal act that was done before, or an equal question is pending,
    /// was confirmed in this turn or shortly before, or was denied repeatedly in this turn; or the call is granted. A question
    /// that would be added is not where `only_known`.
    pub(super) fn ask(
        &mut self,
        question: Question,
        done: Option<DoneAct>,
        (is_granted, only_known): (bool, bool),
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> AskResult {
        self.expire(rows, now);
        let last_act = done.as_ref().map_or(0, |done| done.record.epoch).max(question.known_act());
        if let Some(known) = Self::equal_question(&question, last_act, rows, now) {
            return known;
        }
        if let Some(done) = done.filter(|_| question.known_act() < last_act) {
            return AskResult::Done(done);
        }
        if let Some(times) = self.denied.refusing(&equality_hash(&question), question.turn) {
            return AskResult::Denied { times };
        }
        // A user who has just denied a call of the tool has not meant it with the grant, in another spelling either.
        if is_granted && !self.denied.has_of_tool(&question.tool, question.turn) {
            return AskResult::Granted;
        }
        if only_known {
            return AskResult::New;
        }
        self.make_room(&question, rows);
        self.add_pending(&question, rows);
        AskResult::Pending(Arc::new(question))
    }

    /// Expires the question that a new one replaces, as it shows an earlier definition of the tool; or else the oldest, if
    /// there are too many.
    fn make_room(&mut self, question: &Question, rows: &mut dyn Rows) {
        let equal = rows.equal_question(&equality_hash(question));
        let replaced = equal.and_then(|name| self.pending.iter().position(|pending| pending.name == name));
        let place = replaced.or_else(|| (self.pending.len() >= MAX_PENDING).then_some(0));
        if let Some(PendingEntry { name, .. }) = place.and_then(|place| self.pending.remove(place)) {
            self.close_as(QuestionState::Expired, name, rows);
        }
    }

    /// Expires what is still asked of this call, which runs now: by the answer to another of its questions, which showed another
    /// definition of its tool, or without one. Another call under its id keeps its question, whose answer says that the id was reused.
    pub(super) fn call_runs(&mut self, key: &RecordKey, fingerprint: &Fingerprint, rows: &mut dyn Rows) {
        if self.pending.is_empty() {
            return;
        }
        let call = Some(call_name(key, fingerprint));
        let (over, waiting): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.pending).into_iter().partition(|pending| pending.call == call);
        self.pending = waiting;
        for PendingEntry { name, .. } in over {
            self.close_as(QuestionState::Expired, name, rows);
        }
    }

    fn add_pending(&mut self, question: &Question, rows: &mut dyn Rows) {
        let (name, expires) = (question_name(&question.token), question.expires);
        let text = QuestionText {
            args: Arc::clone(&question.args),
            preview: question.preview.clone(),
            call_id: question.call_id.clone(),
        };
        rows.put(RowKey::QuestionText(name.clone()), Row::QuestionText(Arc::new(text)), Some(expires));
        rows.put(RowKey::Equality(equality_hash(question)), Row::Equality(name.clone()), None);
        let row = QuestionRow { question: without_text(question), state: QuestionState::Pending, reported: false };
        put_question(rows, &name, row);
        given::note(question, &name, rows);
        let call = Some(call_name(&question.key, &question.fingerprint));
        self.pending.push_back(PendingEntry { name, expires, call });
    }

    /// Adds a confirmed question. Returns its name.
    fn add_confirmed(&mut self, row: QuestionRow, rows: &mut dyn Rows) -> QuestionName {
        let name = question_name(&row.question.token);
        rows.put(RowKey::Equality(equality_hash(&row.question)), Row::Equality(name.clone()), None);
        put_question(rows, &name, row);
        remember(&mut self.confirmed, name.clone(), rows);
        name
    }

    /// The result of asking if an equal question is pending, which names the last equal act, or was confirmed in this
    /// turn or shortly before.
    fn equal_question(question: &Question, last_act: u64, rows: &mut dyn Rows, now: EpochMs) -> Option<AskResult> {
        let name = rows.equal_question(&equality_hash(question))?;
        let mut row = rows.question(&name).filter(|row| row.question.asks_the_same(question))?;
        let is_recent = |turn: u32, by: ConfirmedBy| question.turn.saturating_sub(turn) <= by.turns_after();
        let answered = |turn| Some(AskResult::Confirmed(ConfirmedCall { key: row.question.key.clone(), turn }));
        match row.state {
            QuestionState::Confirmed { turn, reopened: false, by } if is_recent(turn, by) => answered(turn),
            QuestionState::AnsweredBy { turn, by } if is_recent(turn, by) && rows.call(&row.question.key).is_some() => {
                answered(turn)
            }
            QuestionState::Pending
                if row.state_at(rows, now) == QuestionState::Pending
                    && row.question.shows_the_same(question)
                    && row.question.known_act() >= last_act =>
            {
                let is_repeat = question.call_id.as_ref().is_some_and(|call_id| row.question.add_repeat_call(call_id));
                if let Some(forgotten) = row.question.forget_repeat_call() {
                    given::forget(&forgotten, &name, rows);
                }
                if row.question.is_also_for(question) || is_repeat {
                    put_question(rows, &name, row.clone());
                }
                given::note(question, &name, rows);
                with_text(&row.question, &name, rows).map(AskResult::Pending)
            }
            _ => None,
        }
    }

    /// Returns a question, in its state at this time.
    pub(super) fn find(token: &str, rows: &mut dyn Rows, now: EpochMs) -> Option<QuestionRow> {
        let row = rows.question(&question_name(token)).filter(|row| same_token(&row.question.token, token))?;
        Some(QuestionRow { state: row.state_at(rows, now), ..row })
    }

    /// Returns a pending question, with its arguments.
    pub(super) fn pending(token: &str, rows: &mut dyn Rows, now: EpochMs) -> Option<Arc<Question>> {
        let row = Self::find(token, rows, now).filter(|row| row.state == QuestionState::Pending)?;
        with_text(&row.question, &question_name(token), rows)
    }

    /// Closes a pending question. A denial counts for the turn in which the user made it.
    pub(super) fn close(
        &mut self,
        token: &str,
        closing: Closing,
        turn: u32,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> Option<Arc<Question>> {
        self.expire(rows, now);
        let question = Self::pending(token, rows, now)?;
        let name = question_name(token);
        self.pending.retain(|pending| pending.name != name);
        match closing {
            Closing::Denied => {
                self.close_as(QuestionState::Denied, name, rows);
                self.denied.add(equality_hash(&question), &question.tool, turn);
            }
            Closing::Changed => self.close_as(QuestionState::Expired, name, rows),
            Closing::AnsweredBy(key, by) => {
                rows.remove(&RowKey::QuestionText(name));
                let state = QuestionState::AnsweredBy { turn, by };
                let question = Arc::new(Question { key, ..Question::clone(&without_text(&question)) });
                self.add_confirmed(QuestionRow { question, state, reported: false }, rows);
            }
        }
        Some(question)
    }

    /// Closes a question that nothing runs from.
    fn close_as(&mut self, state: QuestionState, name: QuestionName, rows: &mut dyn Rows) {
        if let Some(row) = rows.question(&name) {
            put_question(rows, &name, QuestionRow { state, ..row });
        }
        self.remember_closed(name, rows);
    }

    /// Confirms a pending question, once. If it needs more approvers, this one is counted, once.
    pub(super) fn consume(
        &mut self,
        ConfirmedToken { token, by, approver, .. }: &ConfirmedToken,
        turn: u32,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> Consumed {
        self.expire(rows, now);
        let row = Self::find(token, rows, now).filter(|row| row.state == QuestionState::Pending);
        // Admission refuses the yes of who may not give it; so does the store.
        let row = row.filter(|row| row.question.approvers.is_some() == approver.is_some());
        let Some(mut row) = row else { return Consumed::NotPending };
        let name = question_name(token);
        if let Some(approver) = approver {
            let is_new = add_approver(Arc::make_mut(&mut row.question), *approver);
            if row.question.needs_more_approvers() {
                let Some(question) = with_text(&row.question, &name, rows) else { return Consumed::NotPending };
                if is_new {
                    put_question(rows, &name, row);
                }
                return Consumed::Counted { question, is_new };
            }
        }
        self.pending.retain(|pending| pending.name != name);
        rows.remove(&RowKey::QuestionText(name));
        let state = QuestionState::Confirmed { turn, reopened: false, by: *by };
        Consumed::Confirmed(self.add_confirmed(QuestionRow { state, ..row }, rows))
    }

    /// Reopens a confirmed question whose call left no record: an equal call asks again.
    pub(super) fn reopen(name: &QuestionName, rows: &mut dyn Rows) {
        let Some(row) = rows.question(name) else { return };
        if let QuestionState::Confirmed { turn, by, .. } = row.state {
            let state = QuestionState::Confirmed { turn, reopened: true, by };
            put_question(rows, name, QuestionRow { state, ..row });
        }
    }

    /// Whether a question is pending.
    pub(super) fn has_pending(&self, now: EpochMs) -> bool {
        self.pending.iter().any(|question| question.expires > now)
    }

    /// Until when the session of the pending ones is kept; 0 for none.
    pub(super) fn kept_until(&self) -> EpochMs {
        let last = self.pending.iter().map(|question| question.expires).max();
        last.map_or(0, |expires| expires.saturating_add(REPORT_MS))
    }

    /// The pending questions, oldest first.
    pub(super) fn list(&self, rows: &mut dyn Rows, now: EpochMs) -> Vec<Arc<Question>> {
        let pending = self.pending.iter().filter(|pending| pending.expires > now);
        let loaded = pending.map(|PendingEntry { name, .. }| {
            // Read both before checking either, so that a remote store fetches them in one round trip.
            let (row, text) = (rows.question(name), rows.question_text(name));
            let row = row.filter(|row| row.state_at(rows, now) == QuestionState::Pending)?;
            Some(merge(&row.question, &*text?))
        });
        loaded.flatten().collect()
    }

    /// Deletes all questions: the session has ended.
    pub(super) fn clear(&mut self, rows: &mut dyn Rows) {
        let Self { pending, confirmed, closed, denied: _ } = std::mem::take(self);
        for name in pending.into_iter().map(|pending| pending.name).chain(confirmed).chain(closed) {
            forget(&name, rows);
        }
    }

    fn expire(&mut self, rows: &mut dyn Rows, now: EpochMs) {
        let (waiting, over): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.pending).into_iter().partition(|question| question.expires > now);
        self.pending = waiting;
        for question in over {
            self.remember_closed(question.name, rows);
        }
    }

    fn remember_closed(&mut self, name: QuestionName, rows: &mut dyn Rows) {
        rows.remove(&RowKey::QuestionText(name.clone()));
        remember(&mut self.closed, name, rows);
    }
}

fn put_question(rows: &mut dyn Rows, name: &QuestionName, row: QuestionRow) {
    rows.put(RowKey::Question(name.clone()), Row::Question(row), None);
}

/// Adds a name; the oldest beyond the limit is forgotten.
fn remember(names: &mut VecDeque<QuestionName>, name: QuestionName, rows: &mut dyn Rows) {
    if names.len() >= MAX_REMEMBERED
        && let Some(oldest) = names.pop_front()
    {
        forget(&oldest, rows);
    }
    names.push_back(name);
}

/// Deletes all rows of a question.
fn forget(name: &QuestionName, rows: &mut dyn Rows) {
    if let Some(row) = rows.question(name) {
        let equality = equality_hash(&row.question);
        if rows.equal_question(&equality).as_ref() == Some(name) {
            rows.remove(&RowKey::Equality(equality));
        }
        for call_id in row.question.call_ids() {
            given::forget(call_id, name, rows);
        }
    }
    rows.remove(&RowKey::QuestionText(name.clone()));
    rows.remove(&RowKey::Question(name.clone()));
}

/// The question without its arguments and preview, which are deleted once it is no longer pending: nothing runs from
/// it. Long call ids are replaced by their hashes.
fn without_text(question: &Question) -> Arc<Question> {
    Arc::new(Question {
        args: "".into(),
        preview: String::new(),
        call_id: question.call_id.as_ref().map(kept_call_id),
        repeat_call_ids: question.repeat_call_ids.iter().map(kept_call_id).collect(),
        ..question.clone()
    })
}

/// The question with its arguments. `None` if the arguments are not stored any more.
fn with_text(question: &Question, name: &QuestionName, rows: &mut dyn Rows) -> Option<Arc<Question>> {
    Some(merge(question, &*rows.question_text(name)?))
}

fn merge(question: &Question, text: &QuestionText) -> Arc<Question> {
    Arc::new(Question {
        args: Arc::clone(&text.args),
        preview: text.preview.clone(),
        call_id: text.call_id.clone(),
        ..question.clone()
    })
}

/// Compares in constant time, so that the duration does not reveal a common prefix of a guess.
fn same_token(token: &str, guess: &str) -> bool {
    token.len() == guess.len() && token.bytes().zip(guess.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests;
