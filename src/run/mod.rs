//! Running a handler. What goes inside what, from the outside in:
//!
//! 1. the **execution**: everyone who waits for one record, and who of them has been cancelled;
//! 2. the **lanes**: how many calls run at once; waiting for a slot has a bound of its own and costs nothing of the
//!    deadline;
//! 3. the **deadline**: of the whole call, from the first attempt's start, so that it bounds every attempt and every pause
//!    between two of them together;
//! 4. the **retry**: after a failure that may pass, a pause and another attempt;
//! 5. the **attempt**: one start of the handler. It has no timeout of its own: what is left of the deadline is its.
//!
//! The deadline must stay outside of the retry. Inside, each attempt would get all of it, and a call would take as many
//! times as long as its tool says. An attempt that passes the deadline is not tried again: there is no time left.
//!
//! A handler is asked to stop, never forced: what it still does after its deadline is a late result.

pub mod concurrency;
pub mod deadline;
pub mod execution;
pub mod retry;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use crate::call::{CallId, KeptTextId};
use crate::clock::EpochMs;
use crate::registry::CompiledTool;
use crate::schema::Clamped;

/// Names one start of a handler in this process.
pub type InvocationId = u64;

/// What a handler is started with.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Names this start.
    pub id: InvocationId,
    /// The tool.
    pub tool: Arc<CompiledTool>,
    /// Whose call it is.
    pub attachment: u64,
    /// The final arguments, JSON text of an object.
    pub args: Arc<str>,
    /// The host's number for that same text, where it may still keep it.
    pub kept_text: Option<KeptTextId>,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The mode that was judged.
    pub mode: Arc<str>,
    /// From 1.
    pub attempt: u32,
    /// For the handler to pass downstream.
    pub idempotency_key: Arc<str>,
    /// When it is given up, epoch milliseconds.
    pub deadline: Option<EpochMs>,
    /// Arguments lowered to the mode's largest value.
    pub clamped: Vec<Clamped>,
}

/// What came of a handler, before anything of it is believed.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerOutcome {
    /// It returned a value, as JSON text.
    Returned(String),
    /// It returned nothing, or something JSON has no word for.
    Nothing,
    /// It returned what JSON can't carry, and why.
    NotJson(String),
    /// It threw.
    Threw(Box<HandlerError>),
}

/// What a handler threw: a `ToolError` where it has a type, anything else where it has none.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HandlerError {
    /// The error type's name, of a `ToolError`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Its message. Of an untyped error it is never shown to a model.
    pub message: String,
    /// Whether trying again may help.
    pub retryable: Option<bool>,
    /// Whether something may have been changed.
    pub partial_side_effects: Option<bool>,
    /// Whether a repeat needs the same key.
    pub idempotency_required: Option<bool>,
    /// Machine-readable detail.
    pub details: Option<Value>,
    /// What to do instead.
    pub suggestion: Option<String>,
    /// When to try again. JavaScript's number: a fraction is taken to the next whole millisecond.
    pub retry_after_ms: Option<f64>,
    /// A system's error code, such as `ECONNRESET`.
    pub code: Option<String>,
    /// An HTTP status.
    pub status: Option<u16>,
}

/// Resolves when the handler has settled.
pub type HandlerFuture = Pin<Box<dyn Future<Output = HandlerOutcome> + Send>>;

/// Where handlers live: in JavaScript, or in a test's hands.
pub trait Handlers: Send + Sync + 'static {
    /// Starts a handler. Does not wait for it.
    fn start(&self, invocation: Invocation) -> HandlerFuture;
    /// Asks a started handler to stop.
    fn abort(&self, id: InvocationId, reason: &str);
}
