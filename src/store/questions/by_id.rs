//! Questions by their ids: names that hosts may pass on. An id is made of the hash of the token, so nothing of the token is found
//! out from it.

use std::sync::Arc;

use super::{Questions, put_question};
use crate::clock::EpochMs;
use crate::store::question::Token;
use crate::store::question_requests::ExpiryReport;
use crate::store::questions::row::{QuestionRow, QuestionState};
use crate::store::row_names::name_in;
use crate::store::rows::Rows;

impl Questions {
    /// The token of the question with this id.
    pub(in crate::store) fn token_of(id: &str, rows: &mut dyn Rows) -> Option<Token> {
        Some(Arc::clone(&rows.question(&name_in(id)?)?.question.token))
    }

    /// Notes that it was reported that the question with this id has expired.
    pub(in crate::store) fn report_expiry(&mut self, id: &str, rows: &mut dyn Rows, now: EpochMs) -> ExpiryReport {
        self.expire(rows, now);
        let found = name_in(id).and_then(|name| Some((rows.question(&name)?, name)));
        let Some((row, name)) = found else { return ExpiryReport::Nothing };
        match row.state_at(rows, now) {
            QuestionState::Expired if !row.reported => {}
            QuestionState::Pending => return ExpiryReport::Pending,
            _ => return ExpiryReport::Nothing,
        }
        let question = Arc::clone(&row.question);
        put_question(rows, &name, QuestionRow { reported: true, ..row });
        ExpiryReport::First(question)
    }
}
