//! What users say: to confirmations, wherever they are answered, and to the grants of their sessions.

pub(in crate::gate) mod confirming;
pub(in crate::gate) mod elsewhere;
pub(in crate::gate) mod grants;
pub(in crate::gate) mod schema_checks;
