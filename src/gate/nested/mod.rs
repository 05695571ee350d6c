//! Calls that handlers make.

pub(in crate::gate) mod awaited_confirmation;
pub(in crate::gate) mod nested_calls;
pub(in crate::gate) mod nested_execution;
