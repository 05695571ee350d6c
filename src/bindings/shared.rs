//! What every native object of one gate shares, and how a call that may wait is answered.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;

use super::executor::Executor;
use super::handlers::JsHandlers;
use super::outbox::{Letters, Outbox, Owed, Ticket};
use crate::error::{ErrorType, ToolError};
use crate::gate::{Gate, Session};

/// What every native object of one gate shares.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) gate: Arc<Gate>,
    pub(super) executor: Arc<Executor>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) handlers: Arc<JsHandlers>,
    pub(super) created: Arc<Mutex<HashMap<Ticket, Session>>>,
}

impl Shared {
    /// Runs a future that answers a ticket. Returns the letters that are ready, its answer among them where it is. What
    /// makes the future is handed over, and not the future: one that is moved into another takes its room there twice.
    pub(super) fn ticketed<F: Future<Output = String> + Send>(
        &self,
        ticket: Ticket,
        otherwise: fn() -> String,
        answering: impl FnOnce() -> F + Send + 'static,
    ) -> Letters {
        let owed = Owed::new(Arc::clone(&self.outbox), ticket, otherwise);
        self.letters_after(|| self.executor.spawn(async move { owed.pay(answering().await) }))
    }

    /// Does something that makes futures ready, and polls them. Returns the letters that are ready then.
    pub(super) fn letters_after(&self, first: impl FnOnce()) -> Letters {
        self.executor.drain_after(first);
        self.outbox.take()
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
