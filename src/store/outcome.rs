//! What became of a call, for those who only look.

use std::sync::Arc;

use super::question::Question;
use super::record::{Record, RecordState};
use crate::call::CallId;
use crate::session::key::RecordKey;

/// How a call is named.
#[derive(Debug, Clone)]
pub enum CallName {
    /// By the token of its question.
    Token(String),
    /// By its id.
    Call(CallId),
}

/// The state of a call.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeState {
    /// Its question waits for an answer.
    Pending,
    /// It runs.
    Running,
    /// It has ended: its record has the answer.
    Answered,
    /// Its question was denied.
    Denied,
    /// Its question has expired, or another one took its place.
    Expired,
    /// It was begun, and its outcome is lost.
    Unknown,
    /// Nothing is known of it: that does not say that it has not run.
    #[default]
    NotFound,
}

impl OutcomeState {
    /// The state of a recorded call.
    #[must_use]
    pub const fn of_record(record: &Record) -> Self {
        match &record.state {
            RecordState::Started => Self::Running,
            RecordState::Settled(_) | RecordState::Forgotten { .. } => Self::Answered,
            RecordState::Unknown => Self::Unknown,
        }
    }
}

/// The outcome of a call.
#[derive(Debug, Default, Clone)]
pub struct CallOutcome {
    /// Its state.
    pub state: OutcomeState,
    /// Its record, if it has one.
    pub record: Option<(RecordKey, Arc<Record>)>,
    /// The question about it that is open now.
    pub open: Option<Arc<Question>>,
}
