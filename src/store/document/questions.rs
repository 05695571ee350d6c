//! The operations on a session's questions, besides asking and claiming.

use std::sync::Arc;

use super::{OperationResult, SessionDocument, changed, unchanged};
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::store::question::{Closing, GivenQuestion, Question, TokenState};
use crate::store::question_requests::{ExpiryReport, FoundQuestion};
use crate::store::questions::{QuestionRow, QuestionState, Questions};
use crate::store::rows::Rows;

impl SessionDocument {
    pub(in crate::store) fn token_state(
        &mut self,
        token: &str,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<TokenState> {
        self.require_active(now)?;
        let row = Questions::find(token, rows, now);
        unchanged(row.map_or(TokenState::Unknown, |row| self.state_of(row, rows, now)))
    }

    /// The state of a question, with what became of it.
    fn state_of(&mut self, row: QuestionRow, rows: &mut dyn Rows, now: EpochMs) -> TokenState {
        match row.state {
            QuestionState::Pending => {
                Questions::pending(&row.question.token, rows, now).map_or(TokenState::Unknown, TokenState::Pending)
            }
            QuestionState::Expired => TokenState::Expired(row.question),
            QuestionState::Denied => TokenState::Denied(row.question),
            QuestionState::Confirmed { .. } | QuestionState::AnsweredBy { .. } => {
                let record = self.ledger.find(&row.question.key, rows, now);
                TokenState::Used { record, question: row.question }
            }
        }
    }

    /// The questions that the calls with an id were given first.
    pub(in crate::store) fn given_questions(
        &mut self,
        call_id: &CallId,
        turn: u32,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<Vec<GivenQuestion>> {
        self.require_active(now)?;
        let given = Questions::given_to(call_id, turn, rows, now);
        let states = given.into_iter().map(|(fingerprint, row)| {
            let state = self.state_of(row, rows, now);
            GivenQuestion { fingerprint, state }
        });
        unchanged(states.collect())
    }

    pub(in crate::store) fn find_question(
        &mut self,
        id: &str,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<FoundQuestion> {
        self.require_active(now)?;
        let token = Questions::token_of(id, rows);
        let state = token.map(|token| self.token_state(&token, rows, now)).transpose()?;
        let state = state.map_or(TokenState::Unknown, |found| found.answer);
        unchanged(FoundQuestion { owner: self.owner.clone(), state })
    }

    pub(in crate::store) fn report_expiry(
        &mut self,
        id: &str,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<ExpiryReport> {
        self.require_active(now)?;
        changed(self.questions.report_expiry(id, rows, now))
    }

    pub(in crate::store) fn close_question(
        &mut self,
        token: &str,
        closing: Closing,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<Option<Arc<Question>>> {
        self.require_active(now)?;
        changed(self.questions.close(token, closing, self.usage.turn(), rows, now))
    }

    pub(in crate::store) fn pending_questions(
        &mut self,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<Vec<Arc<Question>>> {
        self.require_active(now)?;
        unchanged(self.questions.list(rows, now))
    }
}
