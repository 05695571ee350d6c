//! The run of an admitted call: its attempts, its leases and its end, also where it outlasts its callers.

pub(in crate::gate) mod aside;
pub(in crate::gate) mod attempts;
pub(in crate::gate) mod deferring;
pub(in crate::gate) mod external_completion;
pub(in crate::gate) mod full_results;
pub(in crate::gate) mod handler_log;
pub(in crate::gate) mod late_results;
pub(in crate::gate) mod leases;
pub(in crate::gate) mod run_call;
pub(in crate::gate) mod running;
pub(in crate::gate) mod settling;
