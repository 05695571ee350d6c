//! The arguments of a call: read, repaired, completed and checked. Whatever is refused here has run nothing.

pub(in crate::admit) mod argument_text;
pub(in crate::admit) mod complete;
pub(in crate::admit) mod offload;
pub(in crate::admit) mod parse;
pub(in crate::admit) mod schema_check;
pub(in crate::admit) mod time_rules;
pub(in crate::admit) mod validate;
