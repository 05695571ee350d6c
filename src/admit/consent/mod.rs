//! What a user is asked, what the answer is, and which calls run without a question.

pub(in crate::admit) mod approvers;
pub(in crate::admit) mod asking;
pub(in crate::admit) mod confirm;
pub(in crate::admit) mod confirmed;
pub(in crate::admit) mod confirmed_call;
pub(in crate::admit) mod edit;
pub(in crate::admit) mod grant;
pub(in crate::admit) mod preview;
