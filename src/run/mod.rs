//! Running a handler. The layers, from the outside in:
//!
//! 1. the **execution**: the callers that wait for one record, and the cancellation of each;
//! 2. the **concurrency limits**: how many calls run at once; waiting for a slot has its own bound and does not use up
//!    the deadline; a call that is stopped while it waits has not run;
//! 3. the **deadline** of the whole call, from the start of the first attempt: it bounds all attempts and the pauses
//!    between them together;
//! 4. the **retry**: after a transient failure, a pause and another attempt;
//! 5. the **attempt**: one start of the handler. It has no timeout of its own, only the rest of the deadline.
//!
//! The deadline must stay outside of the retry. Inside, each attempt would get the whole deadline, and a call could
//! take a multiple of its tool's timeout. An attempt that exceeds the deadline is not retried: there is no time left.
//!
//! A handler is asked to stop, never forced. Its result after the deadline is a late result.

pub mod concurrency;
pub mod deadline;
pub mod execution;
pub mod retry;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::call::CallId;
use crate::clock::EpochMs;
use crate::registry::CompiledTool;
use crate::schema::Clamped;

/// The number of one handler start, unique in this process.
pub type InvocationId = u64;

/// The input of a handler start.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The number of this start.
    pub id: InvocationId,
    /// The tool.
    pub tool: Arc<CompiledTool>,
    /// The attachment that made the call.
    pub attachment: u64,
    /// The final arguments, JSON text of an object.
    pub args: Arc<str>,
    /// The provider's id of the call.
    pub call_id: Option<CallId>,
    /// The mode whose policy admitted the call.
    pub mode: Arc<str>,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The key that the handler may pass to other services.
    pub idempotency_key: Arc<str>,
    /// The deadline of the call, epoch milliseconds.
    pub deadline: Option<EpochMs>,
    /// The clamped arguments.
    pub clamped: Vec<Clamped>,
    /// What is started.
    pub starts: Started,
}

/// What of a handler is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    /// The handler itself.
    Handler,
    /// Its function `reconcile`, about a call that was begun at this time.
    Reconcile(EpochMs),
    /// The code of its schema, before a question. It answers a list of what it adds, `[[pointer, value], …]`, or nothing.
    SchemaCode,
}

impl Started {
    /// When the call was begun that is to be reconciled.
    #[must_use]
    pub const fn begun_at(self) -> Option<EpochMs> {
        if let Self::Reconcile(at) = self { Some(at) } else { None }
    }
}

/// The outcome of a handler, unchecked.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerOutcome {
    /// The handler returned a value, as JSON text.
    Returned(String),
    /// The handler returned nothing, or a value that JSON does not have (`undefined`, a function).
    Nothing,
    /// The same with a warning: JSON text has lost a part of the value.
    ReturnedWithLoss {
        /// JSON text.
        text: String,
        /// What was lost, and where.
        warning: String,
    },
    /// The handler returned a value that cannot be written as JSON.
    NotJson {
        /// The reason.
        problem: String,
        /// The JSON Pointer of the part that is not JSON, if it is known.
        path: Option<String>,
    },
    /// The handler returned a value that is larger than the host reads. It is not there.
    TooLarge,
    /// The handler has left the call: it is completed from elsewhere.
    Left,
    /// The handler threw.
    Threw(Box<HandlerError>),
}

/// A thrown value: a `ToolError` if it has a type, else any other value.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HandlerError {
    /// The name of the error type, for a `ToolError`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The message. That of an untyped error is never shown to a model: it is only searched for words of transient
    /// failures.
    pub message: String,
    /// Whether a retry may succeed.
    pub retryable: Option<bool>,
    /// Whether the call may have changed something.
    pub partial_side_effects: Option<bool>,
    /// Whether a repetition needs the same idempotency key.
    pub idempotency_required: Option<bool>,
    /// Machine-readable details.
    pub details: Option<Value>,
    /// A suggestion for the model.
    pub suggestion: Option<String>,
    /// The delay before a retry. A JavaScript number: a fraction is rounded up to the next millisecond.
    pub retry_after_ms: Option<f64>,
    /// The same delay in seconds, as HTTP has it; `retry_after_ms` has precedence.
    pub retry_after: Option<f64>,
    /// Whether there were details, too large to be read.
    pub details_too_large: bool,
    /// A system error code, such as `ECONNRESET`.
    pub code: Option<String>,
    /// An HTTP status.
    pub status: Option<u16>,
}

/// Receives the outcome of one handler start, once. If it is dropped without one, the handler's thread is gone.
pub struct OutcomeSink(Option<Box<dyn FnOnce(HandlerOutcome) + Send>>);

impl OutcomeSink {
    /// Calls `receive` with the outcome.
    #[must_use]
    pub fn new(receive: impl FnOnce(HandlerOutcome) + Send + 'static) -> Self {
        Self(Some(Box::new(receive)))
    }

    /// Passes the outcome on.
    pub fn send(mut self, outcome: HandlerOutcome) {
        if let Some(receive) = self.0.take() {
            receive(outcome);
        }
    }
}

impl Drop for OutcomeSink {
    fn drop(&mut self) {
        if let Some(receive) = self.0.take() {
            let problem = "the handler's thread went away".to_owned();
            receive(HandlerOutcome::NotJson { problem, path: None });
        }
    }
}

/// The host of the handlers: JavaScript, or a test.
pub trait Handlers: Send + Sync + 'static {
    /// Starts a handler without waiting for it. Its outcome goes to `sink`, at once or later.
    fn start(&self, invocation: Invocation, sink: OutcomeSink);
    /// Asks a started handler to stop.
    fn abort(&self, id: InvocationId, reason: &str);
    /// Drops the sink of a started handler: its outcome is not needed any more. A handler may never end.
    fn forget(&self, id: InvocationId);
}

/// A started handler: resolves to its outcome. The handler is forgotten when this is dropped.
pub struct StartedHandler {
    id: InvocationId,
    outcome: oneshot::Receiver<HandlerOutcome>,
    handlers: Arc<dyn Handlers>,
}

impl StartedHandler {
    /// Starts a handler.
    #[must_use]
    pub fn start(handlers: &Arc<dyn Handlers>, invocation: Invocation) -> Self {
        let (ended, outcome) = oneshot::channel();
        let started = Self { id: invocation.id, outcome, handlers: Arc::clone(handlers) };
        let sink = OutcomeSink::new(move |outcome| {
            // No receiver: the outcome is not needed any more.
            let _ = ended.send(outcome);
        });
        handlers.start(invocation, sink);
        started
    }

    /// The number of this start.
    #[must_use]
    pub const fn id(&self) -> InvocationId {
        self.id
    }
}

impl Future for StartedHandler {
    type Output = HandlerOutcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<HandlerOutcome> {
        match Pin::new(&mut self.outcome).poll(context) {
            Poll::Ready(Ok(outcome)) => Poll::Ready(outcome),
            // Does not happen: an `OutcomeSink` always sends.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for StartedHandler {
    fn drop(&mut self) {
        self.handlers.forget(self.id);
    }
}
