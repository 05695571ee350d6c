//! An attachment of a session, for `js/gate/session.js`.

use std::ffi::CStr;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Serialize;
use serde_json::{Value, json};

use super::allocator;
use super::gate_context::{GateContext, lost_answer, lost_answers, panicked};
use super::handlers::number_to_id;
use super::messages::{EncodedMessages, to_call_number};
use super::misuse;
use super::options::{JsCall, parse_json};
use super::raw_functions::{self, RawArguments, RawFunction};
use super::state;
use crate::call::{CallId, RawArgs, RawCall, UserMessage};
use crate::error::{ErrorType, ToolError};
use crate::gate::{HostCaller, Session};
use crate::response::ToolResponse;
use crate::run::execution::CallerNumber;
use crate::session::intent::Intent;

/// One attachment.
#[napi]
pub struct NativeSession {
    pub(super) shared: GateContext,
    pub(super) session: Arc<Session>,
}

impl NativeSession {
    pub(super) fn new(shared: GateContext, session: Session) -> Self {
        Self { shared, session: Arc::new(session) }
    }
}

impl Drop for NativeSession {
    fn drop(&mut self) {
        allocator::attachment_released();
    }
}

/// The result of a function that may refuse: `{ value }` or `{ error }`.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ResultEnvelope<T> {
    Value(T),
    Error { code: ErrorType, message: String },
}

pub(super) fn result_envelope<T: Serialize>(result: Result<T, ToolError>) -> String {
    let envelope = match result {
        Ok(value) => ResultEnvelope::Value(value),
        Err(error) => ResultEnvelope::Error { code: error.kind, message: error.message },
    };
    serde_json::to_string(&envelope).unwrap_or_else(|_| panicked())
}

pub(super) fn raw_call(id: Option<String>, name: String, args: String, unwritable: Option<String>) -> RawCall {
    let args = unwritable.map_or(RawArgs::Text(args), RawArgs::NotJson);
    RawCall { id: call_id(id), name, args, message: None, waits: false }
}

pub(super) fn user_message(id: Option<String>, is_by_content: bool) -> Option<UserMessage> {
    id.map(|id| UserMessage { id: id.into(), is_by_content })
}

fn call_id(id: Option<String>) -> Option<CallId> {
    id.filter(|id| !id.is_empty()).map(CallId::from)
}

/// The caller that waits under this number. `aborted` is the reason if its signal was aborted before the call.
pub(super) const fn host_caller(call_number: u32, aborted: Option<String>) -> HostCaller {
    HostCaller { number: Some(CallerNumber(call_number)), cancelled: aborted }
}

const EXECUTE_ARGUMENTS: &str = "`execute` takes a call number, an id, a name, arguments, why they are not JSON, why the call \
     is aborted, the id of the user's message, and 1 if that id is made of the message's content";

/// The function of [`NativeSession::execute_function`].
struct ExecuteFunction {
    pub(super) shared: GateContext,
    pub(super) session: Arc<Session>,
}

impl RawFunction for ExecuteFunction {
    const NAME: &'static CStr = c"execute";

    fn call(&self, arguments: &RawArguments) -> Result<EncodedMessages, &'static str> {
        let (Some(call_number), Some(name), Some(args)) = (arguments.number(0), arguments.text(2), arguments.text(3))
        else {
            return Err(EXECUTE_ARGUMENTS);
        };
        let call_number = to_call_number(call_number);
        let args = arguments.text(4).map_or(RawArgs::Text(args), RawArgs::NotJson);
        let caller = host_caller(call_number, arguments.text(5));
        let message = user_message(arguments.text(6), arguments.number(7) == Some(1.0));
        let call = RawCall { id: call_id(arguments.text(1)), name, args, message, waits: false };
        let responder = self.shared.responder(call_number, lost_answer);
        let reply = Box::new(move |response: Arc<ToolResponse>| responder.send(response.to_text()));
        Ok(self.shared.messages_after(|| self.session.execute_then(call, caller, reply)))
    }
}

#[napi]
impl NativeSession {
    /// The session's id.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn session_id(&self) -> String {
        self.session.id().to_string()
    }

    /// This attachment's number.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn attachment_id(&self) -> f64 {
        super::handlers::id_to_number(self.session.attachment_id())
    }

    /// What the session has used in this process, as JSON text of a `SessionUsage`.
    ///
    /// # Errors
    /// Never: the members are numbers.
    #[napi(catch_unwind)]
    pub fn usage(&self) -> napi::Result<String> {
        serde_json::to_string(&self.session.usage()).map_err(|error| super::misuse(error.to_string()))
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

    /// The function that executes a call. The answer is a `ToolResponse`. `unwritable` is the reason if the arguments
    /// can't be expressed as JSON, `aborted` the reason if the caller has gone already: then nothing runs.
    #[napi(
        catch_unwind,
        ts_return_type = "(callNumber: number, id: string | null, name: string, args: string, unwritable?: string | null, aborted?: string | null, messageId?: string | null, byContent?: number) => string | null"
    )]
    pub fn execute_function(&self, env: Env) -> napi::Result<Unknown<'static>> {
        raw_functions::create_function(
            &env,
            ExecuteFunction { shared: self.shared.clone(), session: Arc::clone(&self.session) },
        )
    }

    /// Executes a batch of calls, given as JSON text of a list of `{ id, name, args, unwritable }`. The answer is a
    /// list of `ToolResponse`s in the calls' order.
    #[napi(catch_unwind)]
    pub fn execute_all(
        &self,
        call_number: u32,
        calls: String,
        aborted: Option<String>,
    ) -> napi::Result<EncodedMessages> {
        let calls: Vec<JsCall> = parse_json(&calls, "calls")?;
        let session = Arc::clone(&self.session);
        Ok(self.shared.answer_call(call_number, lost_answers, move || async move {
            let calls = calls.into_iter().map(RawCall::from).collect();
            let answers = session.execute_all(calls, host_caller(call_number, aborted)).await;
            let answers: Vec<String> = answers.iter().map(|answer| answer.to_text()).collect();
            format!("[{}]", answers.join(","))
        }))
    }

    /// Executes a call that a running handler makes. The answer is a `ToolResponse`, which has a confirmation's token only if the
    /// caller `waits` for what the user says.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn call_within(
        &self,
        call_number: u32,
        invocation: f64,
        name: String,
        args: String,
        unwritable: Option<String>,
        waits: bool,
    ) -> EncodedMessages {
        let args = unwritable.map_or(RawArgs::Text(args), RawArgs::NotJson);
        let session = Arc::clone(&self.session);
        let invocation = number_to_id(invocation);
        self.shared.answer_call(call_number, lost_answer, move || async move {
            session.call_nested(invocation, name, args, waits).await.to_text()
        })
    }

    /// Waits for the user of a call that a running handler has made, and for the call's end. The answer is a `ToolResponse`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn when_confirmed(&self, call_number: u32, invocation: f64, name: String, token: String) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        let invocation = number_to_id(invocation);
        self.shared.answer_call(call_number, lost_answer, move || async move {
            session.when_confirmed(invocation, name, &token.into()).await.to_text()
        })
    }

    /// Begins a turn. The answer is `{ value: { turn, pendingMessage } }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn begin_turn(&self, call_number: u32, turn_id: Option<String>) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(session.begin_turn(turn_id.as_deref()).await)
        })
    }

    /// Cancels the callers of a call id.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn cancel(&self, call_id: String, reason: String) -> bool {
        self.session.cancel(&call_id, &reason)
    }

    /// Cancels the caller that waits under this number.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn cancel_caller(&self, call_number: u32, reason: String) -> bool {
        self.session.cancel_caller(CallerNumber(call_number), &reason)
    }

    /// Cancels every caller.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn cancel_all(&self, reason: String) -> u32 {
        u32::try_from(self.session.cancel_all(&reason)).unwrap_or(u32::MAX)
    }

    /// Detaches from the session.
    #[napi(catch_unwind)]
    pub fn detach(&self) {
        self.session.detach();
    }

    /// Ends the session. The answer is `{ value: null }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn end(&self, call_number: u32, reason: String) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move {
            session.end(&reason).await;
            result_envelope(Ok(Value::Null))
        })
    }

    /// A field of the state as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn get_state(&self, field: String) -> Option<String> {
        self.session.with_state(|state| state.get(&field).map(Value::to_string))
    }

    /// Sets a field of the state from JSON text. The answer is `{ value: null }` or `{ error }`.
    #[napi(catch_unwind)]
    pub fn set_state(&self, call_number: u32, field: String, value: String) -> napi::Result<EncodedMessages> {
        let value: Value = parse_json(&value, "state value")?;
        let session = Arc::clone(&self.session);
        Ok(self.shared.answer_call(call_number, panicked, move || async move {
            match session.set_state(&field, value).await {
                Ok(()) => result_envelope(Ok(Value::Null)),
                Err(error) => json!({ "error": { "code": "INVALID_STATE", "message": error.to_string() } }).to_string(),
            }
        }))
    }

    /// Applies an intent given as JSON text. The answer is `{ value: boolean }`.
    #[napi(catch_unwind)]
    pub fn apply_intent(&self, call_number: u32, intent: String) -> napi::Result<EncodedMessages> {
        let intent: Value = parse_json(&intent, "intent")?;
        let intent = Intent::parse(&intent).map_err(misuse)?;
        let session = Arc::clone(&self.session);
        Ok(self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(Ok(session.apply_intent(&intent).await))
        }))
    }

    /// All fields of the state, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn state_snapshot(&self) -> String {
        self.session.with_state(state::snapshot)
    }

    /// The history of the state's changes, oldest first, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn state_history(&self) -> String {
        self.session.with_state(state::history)
    }
}
