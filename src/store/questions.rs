//! A session's questions to its user: pending, answered, expired.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Asked, Confirmed, Question};
use crate::clock::EpochMs;
use crate::session::key::RecordKey;

/// Questions that wait at once; a newer one pushes the oldest out.
const PENDING: usize = 20;
/// Answered and expired questions that are remembered, so that a late answer is told what became of it.
const REMEMBERED: usize = 100;

/// A question that was answered with yes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Answered {
    pub(super) key: RecordKey,
    pub(super) question: Arc<Question>,
    turn: u32,
    /// The call left no record: it may be asked for again.
    reopened: bool,
}

/// Questions by token.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Questions {
    pending: VecDeque<Arc<Question>>,
    answered: VecDeque<Answered>,
    expired: VecDeque<Arc<Question>>,
}

impl Questions {
    /// Asks, unless an equal question waits or was confirmed in this turn or the one before.
    pub(super) fn ask(&mut self, question: Question, now: EpochMs) -> Asked {
        self.expire(now);
        if let Some(answered) = self.answered.iter().rev().find(|answered| {
            !answered.reopened
                && equal(&answered.question, &question)
                && question.turn.saturating_sub(answered.turn) <= 1
        }) {
            return Asked::Confirmed(Confirmed { key: answered.key.clone(), turn: answered.turn });
        }
        if let Some(waiting) = self.pending.iter_mut().find(|waiting| equal(waiting, &question)) {
            waiting.came_again(question.call_id.as_ref());
            return Asked::Pending(Arc::clone(waiting));
        }
        if self.pending.len() == PENDING
            && let Some(oldest) = self.pending.pop_front()
        {
            self.remember_expired(&oldest);
        }
        let question = Arc::new(question);
        self.pending.push_back(Arc::clone(&question));
        Asked::Pending(question)
    }

    /// A question that waits.
    pub(super) fn pending(&mut self, token: &str, now: EpochMs) -> Option<Arc<Question>> {
        self.expire(now);
        self.pending.iter().find(|question| same_token(&question.token, token)).cloned()
    }

    /// A question that was confirmed.
    pub(super) fn answered(&self, token: &str) -> Option<&Answered> {
        self.answered.iter().find(|answered| same_token(&answered.question.token, token))
    }

    /// A question that waited too long.
    pub(super) fn expired(&self, token: &str) -> Option<Arc<Question>> {
        self.expired.iter().find(|question| same_token(&question.token, token)).cloned()
    }

    /// Takes a question off the list, without remembering an answer.
    pub(super) fn withdraw(&mut self, token: &str, now: EpochMs) -> Option<Arc<Question>> {
        let question = self.pending(token, now)?;
        self.pending.retain(|waiting| waiting.token != question.token);
        Some(question)
    }

    /// Consumes a question: it is answered with yes, once.
    pub(super) fn consume(&mut self, token: &str, turn: u32, now: EpochMs) -> bool {
        let Some(question) = self.withdraw(token, now) else { return false };
        if self.answered.len() == REMEMBERED {
            self.answered.pop_front();
        }
        let question = without_arguments(&question);
        self.answered.push_back(Answered { key: question.key.clone(), question, turn, reopened: false });
        true
    }

    /// A confirmed call has left no record: an equal one is asked for anew.
    pub(super) fn reopen(&mut self, key: &RecordKey) {
        for answered in self.answered.iter_mut().filter(|answered| answered.key == *key) {
            answered.reopened = true;
        }
    }

    /// Those that wait, oldest first.
    pub(super) fn list(&mut self, now: EpochMs) -> Vec<Arc<Question>> {
        self.expire(now);
        self.pending.iter().cloned().collect()
    }

    /// The session has ended.
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
        if self.expired.len() == REMEMBERED {
            self.expired.pop_front();
        }
        self.expired.push_back(without_arguments(question));
    }
}

/// What is remembered of a question that waits no more: nothing will run from it, so nothing of what was asked is kept.
fn without_arguments(question: &Question) -> Arc<Question> {
    Arc::new(Question { args: "".into(), preview: String::new(), ..question.clone() })
}

fn equal(a: &Question, b: &Question) -> bool {
    a.tool == b.tool && a.tool_version == b.tool_version && a.args_digest == b.args_digest
}

/// Compares every byte whatever the first difference, so that time tells nothing about a guess.
fn same_token(token: &str, guess: &str) -> bool {
    token.len() == guess.len() && token.bytes().zip(guess.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}
