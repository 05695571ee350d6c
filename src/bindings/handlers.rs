//! Handlers in JavaScript: started and asked to stop by a letter, settled by a native call.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::oneshot;

use super::outbox::{Letter, Outbox};
use crate::run::{HandlerFuture, HandlerOutcome, Handlers, Invocation, InvocationId, Thrown};
use crate::schema::Clamped;

/// How a handler ended, as JavaScript saw it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ended {
    Returned,
    Nothing,
    NotJson,
    Threw,
}

impl Ended {
    pub(super) const fn from_code(code: u32) -> Option<Self> {
        match code {
            0 => Some(Self::Returned),
            1 => Some(Self::Nothing),
            2 => Some(Self::NotJson),
            3 => Some(Self::Threw),
            _ => None,
        }
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

/// What a handler's context says about its call beside the arguments.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InvocationMeta<'a> {
    call_id: Option<&'a str>,
    mode: &'a str,
    attempt: u32,
    idempotency_key: &'a str,
    deadline: Option<u64>,
    clamped: &'a [Clamped],
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
        let meta = InvocationMeta {
            call_id: invocation.call_id.as_ref().map(crate::call::CallId::as_str),
            mode: &invocation.mode,
            attempt: invocation.attempt,
            idempotency_key: &invocation.idempotency_key,
            deadline: invocation.deadline,
            clamped: &invocation.clamped,
        };
        let meta = serde_json::to_string(&meta).unwrap_or_else(|_| "{}".to_owned());
        let (ended, outcome) = oneshot::channel();
        self.running.lock().insert(invocation.id, ended);
        self.outbox.post(Letter::Start {
            id: invocation.id,
            attachment: invocation.attachment,
            tool: invocation.tool.id.to_string(),
            args: invocation.args.to_string(),
            meta,
        });
        Box::pin(Settled { id: invocation.id, outcome, running: Arc::clone(&self.running) })
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
