//! What events report of a call, and of a handler's run.

use serde::{Serialize, Serializer};

use crate::error::ErrorType;
use crate::schema::{Clamped, Repaired};

/// The call that an event is about.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFacts<'a> {
    /// The tool as called.
    pub tool_id: &'a str,
    /// The tool's version; `None` if the tool does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<&'a str>,
    /// The tool set.
    pub registry_version: &'a str,
    /// The mode.
    pub mode: &'a str,
    /// The turn.
    pub turn: u32,
    /// The provider's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<&'a str>,
    /// The provider's id of the call whose handler made this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_call_id: Option<&'a str>,
}

/// A handler's run with its end.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of the audit line")]
pub struct ExecutionFacts<'a> {
    /// The call.
    #[serde(flatten)]
    pub call: CallFacts<'a>,
    /// Success or failure.
    pub ok: bool,
    /// The error type of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_type: Option<ErrorType>,
    /// The tool's category.
    pub category: &'static str,
    /// Milliseconds from arrival to answer.
    pub duration: f64,
    /// The number of starts of the handler.
    pub attempts: u32,
    /// The idempotency key that the handler got.
    pub idempotency_key: &'a str,
    /// Keyed hash of the canonical arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args_hash: Option<&'a str>,
    /// The arguments lowered to the mode's largest value. Only their pointers are reported.
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "serialize_paths")]
    pub clamped: &'a [Clamped],
    /// The pointers of the arguments filled with their defaults.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub defaulted: &'a [String],
    /// The values that were read in another way than they were sent: their pointers and the rules.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub repaired: &'a [Repaired],
    /// The size of the answer, in bytes.
    pub result_bytes: usize,
    /// Whether it was abandoned at its deadline.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// Whether it ended after its callers had been answered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Whether the answer is a cached result: no handler ran.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
}

fn serialize_paths<S: Serializer>(clamped: &[Clamped], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(clamped.iter().map(|clamped| &clamped.path))
}
