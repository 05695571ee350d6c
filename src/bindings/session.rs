//! An attachment to a session, for `js/session.js`.

use std::ffi::CStr;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Serialize;
use serde_json::{Value, json};

use super::handlers::as_id;
use super::hot::{self, Given, Hot};
use super::misuse;
use super::options::{JsCall, read};
use super::outbox::{Letters, as_ticket};
use super::shared::{Shared, lost_answer, lost_answers, panicked};
use super::state;
use crate::call::{CallId, RawArgs, RawCall};
use crate::error::{ErrorType, ToolError};
use crate::gate::{CreateError, Session};
use crate::session::intent::Intent;

/// One attachment.
#[napi]
pub struct NativeSession {
    shared: Shared,
    session: Arc<Session>,
}

impl NativeSession {
    pub(super) fn new(shared: Shared, session: Session) -> Self {
        Self { shared, session: Arc::new(session) }
    }
}

/// What a function that may refuse tells.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Told<T> {
    Value(T),
    Error { code: ErrorType, message: String },
}

fn told<T: Serialize>(result: Result<T, ToolError>) -> String {
    let told = match result {
        Ok(value) => Told::Value(value),
        Err(error) => Told::Error { code: error.kind, message: error.message },
    };
    serde_json::to_string(&told).unwrap_or_else(|_| panicked())
}

fn raw_call(id: Option<String>, name: String, args: String, unwritable: Option<String>) -> RawCall {
    let args = unwritable.map_or(RawArgs::Text(args), RawArgs::NotJson);
    RawCall { id: call_id(id), name, args }
}

fn call_id(id: Option<String>) -> Option<CallId> {
    id.filter(|id| !id.is_empty()).map(CallId::from)
}

fn nothing_asked() -> String {
    "null".to_owned()
}

/// [`NativeSession::executing`].
struct Execute {
    shared: Shared,
    session: Arc<Session>,
}

impl Hot for Execute {
    const NAME: &'static CStr = c"execute";

    fn call(&self, given: &Given) -> Result<Letters, &'static str> {
        let (Some(ticket), Some(name), Some(args)) = (given.number(0), given.text(2), given.text(3)) else {
            return Err("a call is a ticket, an id, a name, arguments and what is wrong with them");
        };
        let ticket = as_ticket(ticket);
        let args = given.text(4).map_or_else(|| self.shared.outbox.args(ticket, args), RawArgs::NotJson);
        let call = RawCall { id: call_id(given.text(1)), name, args };
        let session = Arc::clone(&self.session);
        Ok(self.shared.ticketed(ticket, lost_answer, move || async move { session.execute(call).await.to_text() }))
    }
}

#[napi]
impl NativeSession {
    /// The session's name.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn session_id(&self) -> String {
        self.session.id().to_string()
    }

    /// This attachment's number.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn attachment_id(&self) -> f64 {
        super::handlers::as_number(self.session.attachment_id())
    }

    /// The mode's name.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn mode(&self) -> String {
        self.session.mode().name.to_string()
    }

    /// The attachment's turn.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.session.turn()
    }

    /// The tool set that the session runs.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn tools_version(&self) -> String {
        self.session.tools_version().to_string()
    }

    /// `[expected, actual]` where the session outlived a reload, in development.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn version_mismatch(&self) -> Option<Vec<String>> {
        match self.session.check_version() {
            Err(CreateError::Version { session, registry }) => Some(vec![session.to_string(), registry.to_string()]),
            _ => None,
        }
    }

    /// The function that takes a call through the gate. Ticketed; the answer is a `ToolResponse`. `unwritable` says why the
    /// arguments are no JSON, where they are none.
    #[napi(
        catch_unwind,
        ts_return_type = "(ticket: number, id: string | null, name: string, args: string, unwritable: string | null) => string | null"
    )]
    pub fn executing(&self, env: Env) -> napi::Result<Unknown<'static>> {
        hot::function(&env, Execute { shared: self.shared.clone(), session: Arc::clone(&self.session) })
    }

    /// Takes calls that a model made together through the gate, given as JSON text of a list of
    /// `{ id, name, args, unwritable }`. Ticketed; the answer is a list of `ToolResponse`s in the calls' order.
    #[napi(catch_unwind)]
    pub fn execute_all(&self, ticket: u32, calls: String) -> napi::Result<Letters> {
        let calls: Vec<JsCall> = read(&calls, "calls")?;
        let session = Arc::clone(&self.session);
        Ok(self.shared.ticketed(ticket, lost_answers, move || async move {
            let answers = session.execute_all(calls.into_iter().map(RawCall::from).collect()).await;
            let answers: Vec<String> = answers.iter().map(|answer| answer.to_text()).collect();
            format!("[{}]", answers.join(","))
        }))
    }

    /// Takes a call that a started handler makes through the gate. Ticketed; the answer is a `ToolResponse`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn call_within(
        &self,
        ticket: u32,
        invocation: f64,
        name: String,
        args: String,
        unwritable: Option<String>,
    ) -> Letters {
        let args = unwritable.map_or(RawArgs::Text(args), RawArgs::NotJson);
        let session = Arc::clone(&self.session);
        let invocation = as_id(invocation);
        self.shared.ticketed(ticket, lost_answer, move || async move {
            session.call_within(invocation, name, args).await.to_text()
        })
    }

    /// Asks what a call would ask, and runs nothing. Ticketed; the answer is a `ToolResponse`, or `null` where it asks
    /// nothing.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn ask(
        &self,
        ticket: u32,
        id: Option<String>,
        name: String,
        args: String,
        unwritable: Option<String>,
    ) -> Letters {
        let call = raw_call(id, name, args, unwritable);
        let session = Arc::clone(&self.session);
        self.shared.ticketed(ticket, nothing_asked, move || async move {
            session.ask(call).await.map_or_else(nothing_asked, |response| response.to_text())
        })
    }

    /// A user's yes to the question that a call asked. Ticketed; the answer is a `ToolResponse`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn approve(
        &self,
        ticket: u32,
        id: Option<String>,
        name: String,
        args: String,
        unwritable: Option<String>,
    ) -> Letters {
        let call = raw_call(id, name, args, unwritable);
        let session = Arc::clone(&self.session);
        self.shared.ticketed(ticket, lost_answer, move || async move { session.approve(call).await.to_text() })
    }

    /// A user's no to the question that a call asked. Ticketed: `{ value: boolean }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn decline(&self, ticket: u32, call_id: String, reason: Option<String>) -> Letters {
        let session = Arc::clone(&self.session);
        self.shared.ticketed(ticket, panicked, move || async move { told(session.decline(&call_id, reason).await) })
    }

    /// A user's yes. Ticketed; the answer is a `ToolResponse`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn confirm(&self, ticket: u32, token: String) -> Letters {
        let session = Arc::clone(&self.session);
        self.shared.ticketed(ticket, lost_answer, move || async move { session.confirm(&token).await.to_text() })
    }

    /// A user's no. Ticketed: `{ value: boolean }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn deny(&self, ticket: u32, token: String, reason: Option<String>) -> Letters {
        let session = Arc::clone(&self.session);
        self.shared.ticketed(ticket, panicked, move || async move { told(session.deny(&token, reason).await) })
    }

    /// The questions that wait. Ticketed: `{ value: [...] }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn list_pending(&self, ticket: u32) -> Letters {
        let session = Arc::clone(&self.session);
        self.shared.ticketed(ticket, panicked, move || async move { told(session.pending().await) })
    }

    /// Counts the turn up. Ticketed: `{ value: { turn, pendingMessage } }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn begin_turn(&self, ticket: u32, turn_id: Option<String>) -> Letters {
        let session = Arc::clone(&self.session);
        self.shared.ticketed(
            ticket,
            panicked,
            move || async move { told(session.begin_turn(turn_id.as_deref()).await) },
        )
    }

    /// Cancels the callers of an id.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn cancel(&self, call_id: String, reason: String) -> bool {
        self.session.cancel(&call_id, &reason)
    }

    /// Cancels every caller.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn cancel_all(&self, reason: String) -> u32 {
        u32::try_from(self.session.cancel_all(&reason)).unwrap_or(u32::MAX)
    }

    /// Leaves the session.
    #[napi(catch_unwind)]
    pub fn detach(&self) {
        self.session.detach();
    }

    /// Ends the session. Ticketed: `{ value: null }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn end(&self, ticket: u32, reason: String) -> Letters {
        let session = Arc::clone(&self.session);
        self.shared.ticketed(ticket, panicked, move || async move {
            session.end(&reason).await;
            told(Ok(Value::Null))
        })
    }

    /// A field of the state as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn get_state(&self, field: String) -> Option<String> {
        self.session.with_state(|state| state.get(&field).map(Value::to_string))
    }

    /// Sets a field of the state from JSON text. Ticketed: `{ value: null }` or `{ error }`.
    #[napi(catch_unwind)]
    pub fn set_state(&self, ticket: u32, field: String, value: String) -> napi::Result<Letters> {
        let value: Value = read(&value, "state value")?;
        let session = Arc::clone(&self.session);
        Ok(self.shared.ticketed(ticket, panicked, move || async move {
            match session.set_state(&field, value).await {
                Ok(()) => told(Ok(Value::Null)),
                Err(error) => json!({ "error": { "code": "INVALID_STATE", "message": error.to_string() } }).to_string(),
            }
        }))
    }

    /// Applies an intent given as JSON text. Ticketed: `{ value: boolean }`.
    #[napi(catch_unwind)]
    pub fn apply_intent(&self, ticket: u32, intent: String) -> napi::Result<Letters> {
        let intent: Value = read(&intent, "intent")?;
        let intent = Intent::parse(&intent).map_err(misuse)?;
        let session = Arc::clone(&self.session);
        Ok(self.shared.ticketed(ticket, panicked, move || async move { told(Ok(session.apply_intent(&intent).await)) }))
    }

    /// Every field of the state, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn state_snapshot(&self) -> String {
        self.session.with_state(state::snapshot)
    }

    /// The state's changes, oldest first, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn state_history(&self) -> String {
        self.session.with_state(state::history)
    }
}
