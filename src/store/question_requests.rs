//! The requests to a store about a session's questions to its user.

use std::sync::Arc;

use super::grants::GrantedCall;
use super::owner::Owner;
use super::question::{Closing, Question, TokenState};
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::store::acts::Act;

/// A request to add a question.
#[derive(Debug, Clone)]
pub struct AskRequest {
    pub(super) session: SessionId,
    pub(super) question: Box<Question>,
    /// What the call does, if another call may do the same.
    pub(super) act: Option<Act>,
    /// The call, if a grant makes the question needless.
    pub(super) call: Option<Arc<GrantedCall>>,
    /// Whether only what is known of the call is asked for: no question is added.
    pub(super) only_known: bool,
    pub(super) now: EpochMs,
}

/// A request for the state of a token's question.
#[derive(Debug, Clone)]
pub struct ReadToken {
    pub(super) session: SessionId,
    pub(super) token: String,
    pub(super) now: EpochMs,
}

/// A request for the questions that the calls with an id were given first.
#[derive(Debug, Clone)]
pub struct ReadGiven {
    pub(super) session: SessionId,
    pub(super) call_id: CallId,
    /// The turn of the attachment.
    pub(super) turn: u32,
    pub(super) now: EpochMs,
}

/// A request to close a question without running it.
#[derive(Debug, Clone)]
pub struct CloseQuestion {
    pub(super) session: SessionId,
    pub(super) token: String,
    pub(super) closing: Closing,
    pub(super) now: EpochMs,
}

/// A request for the pending questions.
#[derive(Debug, Clone)]
pub struct ListPending {
    pub(super) session: SessionId,
    pub(super) now: EpochMs,
}

/// A request for the question that an id names.
#[derive(Debug, Clone)]
pub struct FindQuestion {
    pub(super) session: SessionId,
    pub(super) id: String,
    pub(super) now: EpochMs,
}

/// The question that an id names, and whose session it is.
#[derive(Debug, Clone)]
pub struct FoundQuestion {
    /// The owner of the session.
    pub owner: Owner,
    /// The question, in its state.
    pub state: TokenState,
}

/// A request to note that it was reported that a question has expired.
#[derive(Debug, Clone)]
pub struct ReportExpiry {
    pub(super) session: SessionId,
    pub(super) id: String,
    pub(super) now: EpochMs,
}

/// Whether a question's expiry is to be reported.
#[derive(Debug, Clone)]
pub enum ExpiryReport {
    /// It has expired, and this is the first to note it.
    First(Arc<Question>),
    /// It is pending.
    Pending,
    /// It was answered, or its expiry was reported before, or it is not remembered.
    Nothing,
}
