//! What every native object of one gate shares, and how a call that may wait is answered.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;

use super::answers::{Answers, Owed, Ticket};
use super::executor::Executor;
use super::handlers::JsHandlers;
use super::heard::Heard;
use crate::error::{ErrorType, ToolError};
use crate::gate::{Gate, Session};

/// What every native object of one gate shares.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) gate: Arc<Gate>,
    pub(super) executor: Arc<Executor>,
    pub(super) answers: Arc<Answers>,
    pub(super) handlers: Arc<JsHandlers>,
    pub(super) heard: Arc<Heard>,
    pub(super) created: Arc<Mutex<HashMap<Ticket, Session>>>,
}

impl Shared {
    /// Runs a future that answers a ticket. Returns the answer where it is ready.
    pub(super) fn ticketed(
        &self,
        ticket: Ticket,
        otherwise: fn() -> String,
        future: impl Future<Output = String> + Send + 'static,
    ) -> Option<String> {
        let owed = Owed::new(Arc::clone(&self.answers), ticket, otherwise);
        self.executor.drain_after(|| self.executor.spawn(async move { owed.pay(future.await) }));
        let answer = self.answers.take(ticket);
        if !self.answers.is_empty() {
            self.executor.wake();
        }
        answer
    }

    /// Every answer that is ready, as `ticket, answer, ticket, answer, …`.
    pub(super) fn ready(&self) -> Vec<String> {
        let ready = self.answers.take_all();
        ready.into_iter().flat_map(|(ticket, answer)| [ticket.to_string(), answer]).collect()
    }
}

/// What is answered for a future that panicked.
pub(super) fn panicked() -> String {
    json!({ "error": { "code": "INTERNAL", "message": "the gate failed unexpectedly" } }).to_string()
}

/// The answer to a call whose own future was lost: a defect of ours, told as data.
pub(super) fn lost_answer() -> String {
    let error = ToolError::new(ErrorType::Internal, "the gate failed unexpectedly").with_side_effects();
    json!({ "ok": false, "error": error, "intents": [], "meta": {} }).to_string()
}

/// As [`lost_answer`], of calls that were made together: JavaScript knows how many.
pub(super) fn lost_answers() -> String {
    format!("{{\"each\":{}}}", lost_answer())
}
