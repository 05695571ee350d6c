//! Sessions: created, resumed and dropped; their attachments, their turns, and what their answers cost the model.

mod turn_stats;
mod turns;

pub(in crate::gate) mod attachment;
pub(in crate::gate) mod open_session;
pub(in crate::gate) mod open_sessions;
pub(in crate::gate) mod opening;
pub(in crate::gate) mod session_monitor;
