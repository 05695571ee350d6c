//! The stages that look at a call, a file for each, and their order.

pub(in crate::admit) mod backpressure;
pub(in crate::admit) mod budget;
pub(in crate::admit) mod call_limits;
pub(in crate::admit) mod claim;
pub(in crate::admit) mod loop_guard;
pub(in crate::admit) mod mode;
pub(in crate::admit) mod nested_calls;
pub(in crate::admit) mod order;
pub(in crate::admit) mod replay;
pub(in crate::admit) mod resolve_tool;
pub(in crate::admit) mod session_active;
pub(in crate::admit) mod tool_name;
pub(in crate::admit) mod uncertain;
pub(in crate::admit) mod unusable;
