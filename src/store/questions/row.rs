//! The row of a question, and its state.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::CallId;
use crate::session::fingerprint::Fingerprint;
use crate::store::question::{ConfirmedBy, Question};
use crate::store::row_names::QuestionName;

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

/// The row of a call id.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::store) struct GivenRow(pub(super) Vec<Given>);

/// The first question of a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Given {
    /// The call as it was sent.
    #[serde(rename = "call")]
    pub(super) fingerprint: Fingerprint,
    /// The turn, if the id can't be trusted; otherwise 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) turn: u32,
    pub(super) question: QuestionName,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(turn: &u32) -> bool {
    *turn == 0
}
