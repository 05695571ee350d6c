//! Handlers in JavaScript: started and stopped by messages, settled by a native call.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::messages::{MessageQueue, NativeMessage};
use super::prepared_args::{self, Preparations};
use crate::call::KeptArgs;
use crate::run::{HandlerError, HandlerFuture, HandlerOutcome, Handlers, Invocation, InvocationId, PreparationFuture};

/// How a handler ended, as reported by JavaScript.
#[derive(Debug, Clone, Copy)]
pub(super) enum HandlerEnd {
    Returned,
    Nothing,
    NotJson,
    Threw,
    TooLarge,
}

impl HandlerEnd {
    pub(super) fn from_code(code: f64) -> Option<Self> {
        let ways = [
            (0.0, Self::Returned),
            (1.0, Self::Nothing),
            (2.0, Self::NotJson),
            (3.0, Self::Threw),
            (4.0, Self::TooLarge),
        ];
        ways.into_iter().find(|(known, _)| code.total_cmp(known).is_eq()).map(|(_, way)| way)
    }

    pub(super) fn into_outcome(self, text: String) -> HandlerOutcome {
        match self {
            Self::Returned => HandlerOutcome::Returned(text),
            Self::Nothing => HandlerOutcome::Nothing,
            Self::NotJson => HandlerOutcome::NotJson(text),
            Self::TooLarge => HandlerOutcome::TooLarge,
            // A thrown value that can't be read is still a throw.
            Self::Threw => {
                HandlerOutcome::Threw(Box::new(serde_json::from_str::<HandlerError>(&text).unwrap_or_default()))
            }
        }
    }
}

/// The waiting execution of each running handler.
type RunningHandlers = HashMap<InvocationId, oneshot::Sender<HandlerOutcome>>;

/// The handlers of one JavaScript thread.
pub(super) struct JsHandlers {
    messages: Arc<MessageQueue>,
    running: Arc<Mutex<RunningHandlers>>,
    pub(super) preparations: Arc<Preparations>,
}

impl JsHandlers {
    pub(super) fn new(messages: Arc<MessageQueue>) -> Self {
        let preparations = Arc::new(Preparations::new(Arc::clone(&messages)));
        Self { messages, running: Arc::default(), preparations }
    }

    /// Reports a handler's end. Ignored if it was reported before, or if its execution no longer waits.
    pub(super) fn settle(&self, id: InvocationId, outcome: HandlerOutcome) {
        let waiting = self.running.lock().remove(&id);
        if let Some(waiting) = waiting {
            // The execution may have been dropped meanwhile.
            let _ = waiting.send(outcome);
        }
    }
}

impl Handlers for JsHandlers {
    fn start(&self, invocation: Invocation) -> HandlerFuture {
        let (ended, outcome) = oneshot::channel();
        let id = invocation.id;
        self.running.lock().insert(id, ended);
        self.messages.push(NativeMessage::Start(Box::new(invocation)));
        Box::pin(PendingHandler { id, outcome, running: Arc::clone(&self.running) })
    }

    fn abort(&self, id: InvocationId, reason: &str) {
        self.messages.push(NativeMessage::Stop { id, reason: reason.to_owned() });
    }

    fn prepares(&self, args: &str) -> bool {
        prepared_args::is_sliced(args)
    }

    fn prepare(&self, args: &Arc<str>, kept: Option<&KeptArgs>) -> Option<PreparationFuture> {
        self.preparations.prepare(args, kept)
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

/// Waits for a handler's end. Dropping it removes its entry, since a handler may never end.
struct PendingHandler {
    id: InvocationId,
    outcome: oneshot::Receiver<HandlerOutcome>,
    running: Arc<Mutex<RunningHandlers>>,
}

impl Future for PendingHandler {
    type Output = HandlerOutcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<HandlerOutcome> {
        Pin::new(&mut self.outcome).poll(context).map(|settled| {
            settled.unwrap_or_else(|_| HandlerOutcome::NotJson("the handler's thread went away".to_owned()))
        })
    }
}

impl Drop for PendingHandler {
    fn drop(&mut self) {
        self.running.lock().remove(&self.id);
    }
}
