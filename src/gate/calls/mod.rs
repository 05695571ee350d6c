//! A call, from its arrival to its answer: its callers, and equal calls that wait for it.

mod batch;
mod cancelling;
mod joining;
mod one_call;
mod outage;
mod readmission;
mod shown_answer;

pub(in crate::gate) mod arguments;
pub(in crate::gate) mod call_facts;
pub(in crate::gate) mod caller;
pub(in crate::gate) mod outcome;
pub(in crate::gate) mod remote_join;
pub(in crate::gate) mod responses;
