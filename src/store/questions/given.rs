//! The questions that a call id was given: for each call with it, the first one.
//!
//! A host whose framework knows calls by ids of its own approves a call, and its card showed the first question of that call. No card
//! showed a question that the call got later: after an edit, for an equal act, about another definition. An id that servers
//! number anew is another call in each turn.

use super::Questions;
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::kept_call_id;
use crate::store::question::Question;
use crate::store::questions::row::{Given, GivenRow};
use crate::store::row_names::{HashName, QuestionName, RowKey};
use crate::store::rows::{Row, Rows};

/// The number of calls with one id whose questions are kept.
const MAX_CALLS: usize = 8;

/// The row of a call id.
pub(in crate::store) fn given_row(call_id: &CallId) -> RowKey {
    RowKey::Given(row_name(call_id))
}

fn row_name(call_id: &CallId) -> HashName {
    HashName::from_content(kept_call_id(call_id).as_str().as_bytes())
}

/// Notes that the call that asks was given the question, unless it was given one before.
pub(super) fn note(asking: &Question, question: &QuestionName, rows: &mut dyn Rows) {
    let Some(call_id) = &asking.call_id else { return };
    let name = row_name(call_id);
    let mut calls = rows.given(&name).unwrap_or_default().0;
    let turn = if asking.key.is_of_content() { asking.turn } else { 0 };
    if calls.iter().any(|call| call.turn == turn && call.fingerprint.matches(&asking.fingerprint)) {
        return;
    }
    if calls.len() == MAX_CALLS {
        // Of an id that can be trusted the first calls stay: no later one takes their place.
        if turn == 0 {
            return;
        }
        calls.remove(0);
    }
    calls.push(Given { fingerprint: asking.fingerprint.clone(), turn, question: question.clone() });
    rows.put(RowKey::Given(name), Row::Given(GivenRow(calls)), None);
}

/// Forgets that the call id was given the question.
pub(super) fn forget(call_id: &CallId, question: &QuestionName, rows: &mut dyn Rows) {
    let name = row_name(call_id);
    let Some(GivenRow(mut calls)) = rows.given(&name) else { return };
    calls.retain(|call| call.question != *question);
    if calls.is_empty() {
        rows.remove(&RowKey::Given(name));
    } else {
        rows.put(RowKey::Given(name), Row::Given(GivenRow(calls)), None);
    }
}

impl Questions {
    /// The first question of each call with this id, as of `turn`: with the call's fingerprint, and the question's token.
    pub(in crate::store) fn given_to(
        call_id: &CallId,
        turn: u32,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> Vec<(Fingerprint, super::QuestionRow)> {
        let calls = rows.given(&row_name(call_id)).unwrap_or_default().0;
        // The latest turn first: of an id that servers number anew, it has the call that is meant.
        let mut found: Vec<(Fingerprint, super::QuestionRow)> = Vec::new();
        for call in calls.into_iter().rev().filter(|call| call.turn <= turn) {
            if found.iter().any(|(known, _)| known.matches(&call.fingerprint)) {
                continue;
            }
            let Some(row) = rows.question(&call.question) else { continue };
            let state = row.state_at(rows, now);
            found.push((call.fingerprint, super::QuestionRow { state, ..row }));
        }
        found
    }
}
