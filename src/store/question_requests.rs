//! What is asked of a store about a session's questions to its user, and what it answers.

use std::sync::Arc;

use super::grants::GrantedCall;
use super::owner::Owner;
use super::question::{Question, TokenState};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::store::acts::Act;

/// A request to add a question.
#[derive(Debug, Clone)]
pub struct AskRequest {
    /// The session.
    pub session: SessionId,
    /// The question. An equal one may be pending.
    pub question: Box<Question>,
    /// What the call does, if another call may have done the same: the question must say so.
    pub act: Option<Act>,
    /// The call, if a grant makes the question needless.
    pub call: Option<Arc<GrantedCall>>,
    /// Whether only what is known of the call is asked for. Where the question would be added, nothing is, and the answer is
    /// [`AskResult::New`](crate::store::AskResult::New).
    pub only_known: bool,
    /// The current time.
    pub now: EpochMs,
}

impl AskRequest {
    /// A request for a call that no grant covers, and whose act no other call does.
    #[must_use]
    pub fn new(session: &SessionId, question: Question, now: EpochMs) -> Self {
        Self { session: session.clone(), question: Box::new(question), act: None, call: None, only_known: false, now }
    }
}

/// The question that an id names, and whose session it is.
#[derive(Debug, Clone)]
pub struct FoundQuestion {
    /// The owner of the session.
    pub owner: Owner,
    /// The question, in its state.
    pub state: TokenState,
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
