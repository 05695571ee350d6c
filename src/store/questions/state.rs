//! The state of a question at a time.

use crate::clock::EpochMs;
use crate::store::ledger::Ledger;
use crate::store::question::{ParentClaim, Question};
use crate::store::questions::row::{QuestionRow, QuestionState};
use crate::store::rows::Rows;

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
