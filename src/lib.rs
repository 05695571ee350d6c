//! Toolgate: the gate that every tool call of an LLM agent passes through.

pub mod definition;
