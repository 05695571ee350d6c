//! Calls that handlers make.

mod awaited_confirmation;
mod nested_execution;

pub(in crate::gate) mod nested_calls;
