//! Handlers in JavaScript: started and asked to stop by a letter, settled by a native call.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::outbox::{Letter, Outbox};
use crate::run::{HandlerFuture, HandlerOutcome, Handlers, Invocation, InvocationId, Thrown};

/// How a handler ended, as JavaScript saw it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ended {
    Returned,
    Nothing,
    NotJson,
    Threw,
}

impl Ended {
    pub(super) fn from_code(code: f64) -> Option<Self> {
        let ways = [(0.0, Self::Returned), (1.0, Self::Nothing), (2.0, Self::NotJson), (3.0, Self::Threw)];
        ways.into_iter().find(|(known, _)| code.total_cmp(known).is_eq()).map(|(_, way)| way)
    }

    pub(super) fn outcome(self, text: String) -> HandlerOutcome {
        match self {
            Self::Returned => HandlerOutcome::Returned(text),
            Self::Nothing => HandlerOutcome::Nothing,
            Self::NotJson => HandlerOutcome::NotJson(text),
            // What can't be read was thrown all the same.
            Self::Threw => HandlerOutcome::Threw(Box::new(serde_json::from_str::<Thrown>(&text).unwrap_or_default())),
        }
    }
}

/// Who waits for which handler.
type Waiting = HashMap<InvocationId, oneshot::Sender<HandlerOutcome>>;

/// Handlers of one JavaScript thread.
pub(super) struct JsHandlers {
    outbox: Arc<Outbox>,
    running: Arc<Mutex<Waiting>>,
}

impl JsHandlers {
    pub(super) fn new(outbox: Arc<Outbox>) -> Self {
        Self { outbox, running: Arc::default() }
    }

    /// A handler has ended. One that ended before, or that nobody waits for any more, is nobody's.
    pub(super) fn settle(&self, id: InvocationId, outcome: HandlerOutcome) {
        let waiting = self.running.lock().remove(&id);
        if let Some(waiting) = waiting {
            // Its execution may have been dropped meanwhile.
            let _ = waiting.send(outcome);
        }
    }
}

impl Handlers for JsHandlers {
    fn start(&self, invocation: Invocation) -> HandlerFuture {
        let (ended, outcome) = oneshot::channel();
        let id = invocation.id;
        self.running.lock().insert(id, ended);
        self.outbox.post(Letter::Start(Box::new(invocation)));
        Box::pin(Settled { id, outcome, running: Arc::clone(&self.running) })
    }

    fn abort(&self, id: InvocationId, reason: &str) {
        self.outbox.post(Letter::Stop { id, reason: reason.to_owned() });
    }
}

/// Ids count up from 1: they stay exact in a double for 285 years of a million calls a second.
#[expect(clippy::cast_precision_loss, reason = "ids stay far below 2^53")]
pub(super) const fn as_number(id: u64) -> f64 {
    id as f64
}

/// The id that [`as_number`] wrote.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an id that this side made")]
pub(super) const fn as_id(number: f64) -> InvocationId {
    number as InvocationId
}

/// Waits for a handler's end. Given up, it leaves nothing behind: a handler may never end.
struct Settled {
    id: InvocationId,
    outcome: oneshot::Receiver<HandlerOutcome>,
    running: Arc<Mutex<Waiting>>,
}

impl Future for Settled {
    type Output = HandlerOutcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<HandlerOutcome> {
        Pin::new(&mut self.outcome).poll(context).map(|settled| {
            settled.unwrap_or_else(|_| HandlerOutcome::NotJson("the handler's thread went away".to_owned()))
        })
    }
}

impl Drop for Settled {
    fn drop(&mut self) {
        self.running.lock().remove(&self.id);
    }
}
