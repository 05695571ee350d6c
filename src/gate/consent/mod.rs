//! What users say: to confirmations, wherever they are answered, and to the grants of their sessions.

mod schema_checks;

pub(in crate::gate) mod confirming;
pub(in crate::gate) mod elsewhere;
pub(in crate::gate) mod grants;
