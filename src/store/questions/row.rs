//! The row of a question, and its state.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::CallId;
use crate::clock::EpochMs;
use crate::store::ledger::Ledger;
use crate::store::question::{ConfirmedBy, ParentClaim, Question};
use crate::store::rows::Rows;

/// The row of a question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::store) struct QuestionRow {
    /// Without arguments, preview and long call ids.
    pub(in crate::store) question: Arc<Question>,
    pub(in crate::store) state: QuestionState,
    /// Whether its expiry was reported.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(in crate::store) reported: bool,
}

impl QuestionRow {
    /// The state at this time. A pending question ends with its time, and with the call whose handler asks.
    pub(in crate::store) fn state_at(&self, rows: &mut dyn Rows, now: EpochMs) -> QuestionState {
        // Another caller's clock may be behind that of the caller that reported the expiry.
        let is_over = || self.reported || self.question.expires <= now;
        match self.state {
            QuestionState::Pending if is_over() || is_left(&self.question, rows, now) => QuestionState::Expired,
            state => state,
        }
    }
}

/// Whether only handlers waited for the answer, and each of their calls has ended or lost its process.
fn is_left(question: &Question, rows: &mut dyn Rows, now: EpochMs) -> bool {
    let is_over = |parent: &ParentClaim, rows: &mut dyn Rows| {
        let claim = Ledger::entry_of(&parent.key, rows).filter(|entry| entry.epoch == parent.epoch);
        claim.is_none_or(|entry| !entry.has_handler(now))
    };
    // All are read before any is checked, so that a remote store fetches them in one round trip.
    let over = question.parents.iter().filter(|parent| is_over(parent, rows)).count();
    over > 0 && over == question.parents.len()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// The state of a question as it is stored. A pending question expires by its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::store) enum QuestionState {
    Pending,
    Expired,
    /// The user denied it.
    Denied,
    Confirmed {
        turn: u32,
        /// The call left no record, so an equal call asks again.
        reopened: bool,
        #[serde(default, skip_serializing_if = "ConfirmedBy::is_by_token")]
        by: ConfirmedBy,
    },
    /// What its user confirmed is another call, whose key the question has: it answers as long as it has a record.
    AnsweredBy {
        turn: u32,
        #[serde(default, skip_serializing_if = "ConfirmedBy::is_by_token")]
        by: ConfirmedBy,
    },
}

/// What is kept of a question only while it is pending.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::store) struct QuestionText {
    pub(super) args: Arc<str>,
    pub(super) preview: String,
    /// The provider's id as it was sent.
    pub(super) call_id: Option<CallId>,
}
