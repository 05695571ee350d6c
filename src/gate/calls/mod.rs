//! A call, from its arrival to its answer: its callers, and equal calls that wait for it.

pub(in crate::gate) mod arguments;
pub(in crate::gate) mod batch;
pub(in crate::gate) mod call_facts;
pub(in crate::gate) mod caller;
pub(in crate::gate) mod cancelling;
pub(in crate::gate) mod joining;
pub(in crate::gate) mod one_call;
pub(in crate::gate) mod outage;
pub(in crate::gate) mod outcome;
pub(in crate::gate) mod readmission;
pub(in crate::gate) mod remote_join;
pub(in crate::gate) mod responses;
