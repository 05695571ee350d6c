//! Approvers of a question: each counts once, by a hash of its principal.

use std::sync::Arc;

use crate::store::question::{ApproverName, Question};
use crate::store::row_names::QuestionName;

/// What became of a yes.
#[derive(Debug)]
pub(in crate::store) enum Consumed {
    /// The question is confirmed; its name.
    Confirmed(QuestionName),
    /// It needs more approvers. `is_new`: whether this one had not confirmed it before.
    Counted { question: Arc<Question>, is_new: bool },
    /// It is not pending, or not for who confirms it.
    NotPending,
}

/// Counts an approver. False if that was done before.
pub(super) fn add_approver(question: &mut Question, approver: ApproverName) -> bool {
    let is_new = !question.confirmed_by.contains(&approver);
    if is_new {
        question.confirmed_by.push(approver);
    }
    is_new
}
