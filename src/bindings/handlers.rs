//! Handlers in JavaScript: started and stopped by messages, settled by a native call.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::messages::{MessageQueue, NativeMessage};
use crate::run::{HandlerError, HandlerOutcome, Handlers, Invocation, InvocationId, OutcomeSink};

/// How a handler ended, as reported by JavaScript.
#[derive(Debug, Clone, Copy)]
pub(super) enum HandlerEnd {
    Returned,
    Nothing,
    NotJson,
    Threw,
    TooLarge,
    Left,
}

impl HandlerEnd {
    pub(super) fn from_code(code: f64) -> Option<Self> {
        let ways = [
            (0.0, Self::Returned),
            (1.0, Self::Nothing),
            (2.0, Self::NotJson),
            (3.0, Self::Threw),
            (4.0, Self::TooLarge),
            (5.0, Self::Left),
        ];
        ways.into_iter().find(|(known, _)| code.total_cmp(known).is_eq()).map(|(_, way)| way)
    }

    /// `note`: the warning of a result that has lost a part, or the JSON Pointer of what is not JSON.
    pub(super) fn into_outcome(self, text: String, note: Option<String>) -> HandlerOutcome {
        match (self, note) {
            (Self::Returned, None) => HandlerOutcome::Returned(text),
            (Self::Returned, Some(warning)) => HandlerOutcome::ReturnedWithLoss { text, warning },
            (Self::Nothing, _) => HandlerOutcome::Nothing,
            (Self::NotJson, path) => HandlerOutcome::NotJson { problem: text, path },
            (Self::TooLarge, _) => HandlerOutcome::TooLarge,
            (Self::Left, _) => HandlerOutcome::Left,
            // A thrown value that can't be read is still a throw.
            (Self::Threw, _) => {
                HandlerOutcome::Threw(Box::new(serde_json::from_str::<HandlerError>(&text).unwrap_or_default()))
            }
        }
    }
}

/// Where the outcome of each running handler goes.
type RunningHandlers = HashMap<InvocationId, OutcomeSink>;

/// The handlers of one JavaScript thread.
pub(super) struct JsHandlers {
    messages: Arc<MessageQueue>,
    running: Mutex<RunningHandlers>,
}

impl JsHandlers {
    pub(super) fn new(messages: Arc<MessageQueue>) -> Self {
        Self { messages, running: Mutex::default() }
    }

    /// Reports a handler's end. Ignored if it was reported before, or if its outcome is not needed any more.
    pub(super) fn settle(&self, id: InvocationId, outcome: HandlerOutcome) {
        // The lock is released first: what the outcome leads to may start another handler.
        let sink = self.running.lock().remove(&id);
        if let Some(sink) = sink {
            sink.send(outcome);
        }
    }
}

impl Handlers for JsHandlers {
    fn start(&self, invocation: Invocation, sink: OutcomeSink) {
        self.running.lock().insert(invocation.id, sink);
        self.messages.push(NativeMessage::Start(Box::new(invocation)));
    }

    fn abort(&self, id: InvocationId, reason: &str) {
        self.messages.push(NativeMessage::Stop { id, reason: reason.to_owned() });
    }

    fn forget(&self, id: InvocationId) {
        let forgotten = self.running.lock().remove(&id);
        drop(forgotten);
    }
}

/// Converts an id to a JavaScript number. Ids count up from 1, so they stay exact in a double for 285 years at a
/// million calls a second.
#[expect(clippy::cast_precision_loss, reason = "ids stay far below 2^53")]
pub(super) const fn id_to_number(id: u64) -> f64 {
    id as f64
}

/// Converts a number back to the id that [`as_number`] converted.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number was converted from an id")]
pub(super) const fn number_to_id(number: f64) -> InvocationId {
    number as InvocationId
}
