//! Sessions: created, resumed and dropped; their attachments, their turns, and what their answers cost the model.

pub(in crate::gate) mod attachment;
pub(in crate::gate) mod open_session;
pub(in crate::gate) mod opening;
pub(in crate::gate) mod session_monitor;
pub(in crate::gate) mod turn_stats;
pub(in crate::gate) mod turns;
