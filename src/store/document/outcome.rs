//! What became of a call, for those who only look.

use std::sync::Arc;

use super::{OperationResult, SessionDocument, unchanged};
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::session::key::RecordKey;
use crate::store::ledger::Ledger;
use crate::store::outcome::{CallName, CallOutcome, OutcomeState};
use crate::store::question::Question;
use crate::store::questions::{QuestionRow, QuestionState, Questions};
use crate::store::rows::Rows;

impl SessionDocument {
    /// Looks for a call's outcome. Changes nothing, not even the order in which records are evicted.
    pub(in crate::store) fn read_outcome(
        &self,
        name: &CallName,
        turn: u32,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<CallOutcome> {
        let (asked, mut keys, call_id) = match name {
            CallName::Token(token) => match Questions::find(token, rows, now) {
                Some(row) => {
                    let (keys, id) = (vec![row.question.key.clone()], row.question.call_id.clone());
                    (vec![row], keys, id)
                }
                None => return unchanged(CallOutcome::default()),
            },
            CallName::Call(id) => {
                let given = Questions::given_to(id, u32::MAX, rows, now);
                let asked: Vec<_> = given.into_iter().map(|(_, row)| row).collect();
                let mut keys: Vec<_> = asked.iter().map(|row| row.question.key.clone()).collect();
                keys.push(RecordKey::from_provider_id_in_turn(id, turn));
                keys.push(RecordKey::from_provider_id(id));
                (asked, keys, Some(id.clone()))
            }
        };
        keys.dedup();
        let open = self.open_question(&asked, call_id.as_ref(), rows, now);
        let of_call = keys.iter().filter_map(|key| Some((key, Ledger::record_at(key, rows, now)?)));
        let record = of_call.max_by_key(|(_, record)| record.claimed_at);
        let record = record.map(|(key, record)| (key.clone(), record));
        let state = match (&record, &open, asked.first().map(|row| row.state)) {
            (_, Some(_), Some(QuestionState::Pending)) => OutcomeState::Pending,
            (Some((_, record)), ..) => OutcomeState::of_record(record),
            (None, Some(_), _) if matches!(name, CallName::Call(_)) => OutcomeState::Pending,
            (None, _, Some(QuestionState::Denied)) => OutcomeState::Denied,
            (None, _, Some(QuestionState::Expired)) => OutcomeState::Expired,
            // A confirmed call without a record has failed without effects, and that answer is not kept.
            (None, ..) => OutcomeState::NotFound,
        };
        unchanged(CallOutcome { state, record, open })
    }

    /// The question about the call that is open now, whichever was asked first.
    fn open_question(
        &self,
        asked: &[QuestionRow],
        call_id: Option<&CallId>,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> Option<Arc<Question>> {
        let is_same = |open: &Question| {
            asked.iter().any(|row| row.question.token == open.token)
                || call_id.is_some_and(|id| open.was_asked_by(id.as_str()))
        };
        self.questions.list(rows, now).into_iter().find(|open| is_same(open))
    }
}
