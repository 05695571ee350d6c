//! Results that are owed, until an attachment has accepted them.

mod holding;

pub(in crate::gate) mod result_waits;
pub(in crate::gate) mod results;
