//! A session's questions to its user: pending, confirmed, expired.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::question::{AskResult, ConfirmedCall, Question};
use crate::clock::EpochMs;
use crate::session::key::{RecordKey, kept_call_id};

/// The number of pending questions; a further question expires the oldest.
const MAX_PENDING: usize = 20;
/// The number of confirmed, and of expired, questions kept, so that a late answer gets the question's state.
const MAX_REMEMBERED: usize = 100;

/// A question that the user confirmed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ConfirmedQuestion {
    pub(super) key: RecordKey,
    pub(super) question: Arc<Question>,
    turn: u32,
    /// The call left no record, so an equal call asks again.
    reopened: bool,
}

/// Questions by token.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Questions {
    pending: VecDeque<Arc<Question>>,
    answered: VecDeque<ConfirmedQuestion>,
    expired: VecDeque<Arc<Question>>,
}

impl Questions {
    /// Replaces keys in a form of earlier versions by their present form.
    pub(super) fn upgrade_keys(&mut self) {
        let upgraded = |question: &Question| question.key.upgrade(question.call_id.as_ref()?);
        for question in self.pending.iter_mut().chain(&mut self.expired) {
            if let Some(key) = upgraded(question) {
                Arc::make_mut(question).key = key;
            }
        }
        for answered in &mut self.answered {
            if let Some(key) = upgraded(&answered.question) {
                answered.key = key.clone();
                Arc::make_mut(&mut answered.question).key = key;
            }
        }
    }

    /// Adds a question, unless an equal question is pending or was confirmed in this turn or the previous one.
    pub(super) fn ask(&mut self, question: Question, now: EpochMs) -> AskResult {
        self.expire(now);
        if let Some(answered) = self.answered.iter().rev().find(|answered| {
            !answered.reopened
                && asks_the_same(&answered.question, &question)
                && question.turn.saturating_sub(answered.turn) <= 1
        }) {
            return AskResult::Confirmed(ConfirmedCall { key: answered.key.clone(), turn: answered.turn });
        }
        if let Some(waiting) = self.pending.iter_mut().find(|waiting| asks_the_same(waiting, &question)) {
            waiting.add_repeat_call(question.call_id.as_ref());
            return AskResult::Pending(Arc::clone(waiting));
        }
        if self.pending.len() == MAX_PENDING
            && let Some(oldest) = self.pending.pop_front()
        {
            self.remember_expired(&oldest);
        }
        let question = Arc::new(question);
        self.pending.push_back(Arc::clone(&question));
        AskResult::Pending(question)
    }

    /// Returns a pending question.
    pub(super) fn pending(&mut self, token: &str, now: EpochMs) -> Option<Arc<Question>> {
        self.expire(now);
        self.pending.iter().find(|question| same_token(&question.token, token)).cloned()
    }

    /// Returns a confirmed question.
    pub(super) fn confirmed(&self, token: &str) -> Option<&ConfirmedQuestion> {
        self.answered.iter().find(|answered| same_token(&answered.question.token, token))
    }

    /// Returns an expired question.
    pub(super) fn expired(&self, token: &str) -> Option<Arc<Question>> {
        self.expired.iter().find(|question| same_token(&question.token, token)).cloned()
    }

    /// Removes a pending question without recording an answer.
    pub(super) fn withdraw(&mut self, token: &str, now: EpochMs) -> Option<Arc<Question>> {
        let question = self.pending(token, now)?;
        self.pending.retain(|waiting| waiting.token != question.token);
        Some(question)
    }

    /// Confirms a pending question, once.
    pub(super) fn consume(&mut self, token: &str, turn: u32, now: EpochMs) -> bool {
        let Some(question) = self.withdraw(token, now) else { return false };
        if self.answered.len() == MAX_REMEMBERED {
            self.answered.pop_front();
        }
        let question = without_arguments(&question);
        self.answered.push_back(ConfirmedQuestion { key: question.key.clone(), question, turn, reopened: false });
        true
    }

    /// Reopens a confirmed question whose call left no record: an equal call asks again.
    pub(super) fn reopen(&mut self, key: &RecordKey) {
        for answered in self.answered.iter_mut().filter(|answered| answered.key == *key) {
            answered.reopened = true;
        }
    }

    /// Whether a question is pending.
    pub(super) fn has_pending(&self, now: EpochMs) -> bool {
        self.pending.iter().any(|question| question.expires > now)
    }

    /// The pending questions, oldest first.
    pub(super) fn list(&mut self, now: EpochMs) -> Vec<Arc<Question>> {
        self.expire(now);
        self.pending.iter().cloned().collect()
    }

    /// Deletes all questions: the session has ended.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn expire(&mut self, now: EpochMs) {
        let (waiting, over): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.pending).into_iter().partition(|question| question.expires > now);
        self.pending = waiting;
        for question in over {
            self.remember_expired(&question);
        }
    }

    fn remember_expired(&mut self, question: &Question) {
        if self.expired.len() == MAX_REMEMBERED {
            self.expired.pop_front();
        }
        self.expired.push_back(without_arguments(question));
    }
}

/// The question without its arguments and preview, which are deleted once it is no longer pending: nothing runs from
/// it. Long call ids are replaced by their hashes.
fn without_arguments(question: &Question) -> Arc<Question> {
    Arc::new(Question {
        args: "".into(),
        preview: String::new(),
        call_id: question.call_id.as_ref().map(kept_call_id),
        repeat_call_ids: question.repeat_call_ids.iter().map(kept_call_id).collect(),
        ..question.clone()
    })
}

fn asks_the_same(a: &Question, b: &Question) -> bool {
    a.tool == b.tool && a.tool_version == b.tool_version && a.args_digest == b.args_digest
}

/// Compares in constant time, so that the duration does not reveal a common prefix of a guess.
fn same_token(token: &str, guess: &str) -> bool {
    token.len() == guess.len() && token.bytes().zip(guess.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}
