//! Records of uncertain outcome: their tools find out what the calls have done.

mod reconcile_answer;

pub(in crate::gate) mod reconcile_all;
pub(in crate::gate) mod reconciling;
