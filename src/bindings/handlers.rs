//! Handlers in JavaScript: started and asked to stop through threadsafe functions, settled by a native call.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use napi::bindgen_prelude::FnArgs;
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::oneshot;

use super::executor::WeakCallback;
use crate::run::{HandlerFuture, HandlerOutcome, Handlers, Invocation, InvocationId, Thrown};
use crate::schema::Clamped;

/// `(id, attachment, toolId, args, meta)`.
pub(super) type StartArgs = FnArgs<(f64, f64, String, String, String)>;
/// `(id, reason)`.
pub(super) type AbortArgs = FnArgs<(f64, String)>;

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
    start: WeakCallback<StartArgs>,
    abort: WeakCallback<AbortArgs>,
    running: Arc<Mutex<Waiting>>,
}

impl JsHandlers {
    pub(super) fn new(start: WeakCallback<StartArgs>, abort: WeakCallback<AbortArgs>) -> Self {
        Self { start, abort, running: Arc::default() }
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
        let args = (
            as_number(invocation.id),
            as_number(invocation.attachment),
            invocation.tool.id.to_string(),
            invocation.args.to_string(),
            meta,
        );
        self.start.call(args.into(), ThreadsafeFunctionCallMode::NonBlocking);
        Box::pin(Settled { id: invocation.id, outcome, running: Arc::clone(&self.running) })
    }

    fn abort(&self, id: InvocationId, reason: &str) {
        self.abort.call((as_number(id), reason.to_owned()).into(), ThreadsafeFunctionCallMode::NonBlocking);
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
