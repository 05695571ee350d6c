//! The shared state of the native objects of one gate, and the answering of calls that may wait.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;

use super::executor::Executor;
use super::handlers::JsHandlers;
use super::messages::{CallNumber, EncodedMessages, MessageQueue, Responder};
use crate::error::{ErrorType, ToolError};
use crate::gate::{Gate, Session};

/// The shared state of the native objects of one gate.
#[derive(Clone)]
pub(super) struct GateContext {
    pub(super) gate: Arc<Gate>,
    pub(super) executor: Arc<Executor>,
    pub(super) messages: Arc<MessageQueue>,
    pub(super) handlers: Arc<JsHandlers>,
    pub(super) created_sessions: Arc<Mutex<HashMap<CallNumber, Session>>>,
}

impl GateContext {
    /// Runs a future that answers a call. Returns the messages that are ready, with the answer if it is. Takes a
    /// closure and not the future: a future that is moved into another future occupies its space there twice.
    pub(super) fn answer_call<F: Future<Output = String> + Send>(
        &self,
        call_number: CallNumber,
        fallback: fn() -> String,
        answering: impl FnOnce() -> F + Send + 'static,
    ) -> EncodedMessages {
        let responder = self.responder(call_number, fallback);
        self.messages_after(|| self.executor.spawn(async move { responder.send(answering().await) }))
    }

    /// The sender of the answer to a call.
    pub(super) fn responder(&self, call_number: CallNumber, fallback: fn() -> String) -> Responder {
        Responder::new(Arc::clone(&self.messages), call_number, fallback)
    }

    /// Runs `first`, which may make futures ready, and polls them. Returns the messages that are ready then.
    pub(super) fn messages_after(&self, first: impl FnOnce()) -> EncodedMessages {
        self.executor.drain_after(first);
        self.messages.drain()
    }
}

/// The answer for a future that panicked.
pub(super) fn panicked() -> String {
    json!({ "error": { "code": "INTERNAL", "message": "the gate failed unexpectedly" } }).to_string()
}

/// The answer to a call whose future was lost by a defect of the gate.
pub(super) fn lost_answer() -> String {
    let error = ToolError::new(ErrorType::Internal, "the gate failed unexpectedly").with_side_effects();
    json!({ "ok": false, "error": error, "intents": [], "meta": {} }).to_string()
}

/// As [`lost_answer`], for a batch; JavaScript repeats it for each call.
pub(super) fn lost_answers() -> String {
    format!("{{\"each\":{}}}", lost_answer())
}
