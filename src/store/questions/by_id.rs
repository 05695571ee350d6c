//! Questions by their ids: names that hosts may pass on. An id is made of the hash of the token, so nothing of the token is found
//! out from it.

use std::sync::Arc;

use super::{QuestionName, QuestionRow, Questions, put_question, question_name};
use crate::clock::EpochMs;
use crate::store::question::Token;
use crate::store::question_requests::ExpiryReport;
use crate::store::questions::QuestionState;
use crate::store::rows::{RowKey, Rows};

/// The beginning of an id; the question's name follows.
const PREFIX: &str = "tgq_";

/// The id of the question with this token.
#[must_use]
pub fn question_id(token: &str) -> String {
    [PREFIX, question_name(token).as_str()].concat()
}

/// The rows of the question with this token.
pub(in crate::store) fn question_rows(token: &str) -> [RowKey; 2] {
    let name = question_name(token);
    [RowKey::Question(name.clone()), RowKey::QuestionText(name)]
}

fn name_in(id: &str) -> Option<QuestionName> {
    QuestionName::parse(id.strip_prefix(PREFIX)?)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_one_question_and_is_no_token() {
        let id = question_id("tgc_0123456789abcdef0123456789abcdef");
        assert_eq!((id.len(), id.starts_with("tgq_")), (36, true));
        assert_eq!(name_in(&id), Some(question_name("tgc_0123456789abcdef0123456789abcdef")));
        let hash = id.trim_start_matches("tgq_");
        for none in ["", "tgq_", "tgc_0123456789abcdef0123456789abcdef", hash, &format!("{id}0"), &id.to_uppercase()] {
            assert_eq!(name_in(none), None, "{none}");
        }
    }
}
