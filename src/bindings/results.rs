//! Background calls: their results, and their completion from elsewhere.

use std::sync::Arc;

use napi_derive::napi;

use super::gate::NativeGate;
use super::gate_context::panicked;
use super::handlers::{HandlerEnd, id_to_number, number_to_id};
use super::messages::EncodedMessages;
use super::misuse;
use super::session::{NativeSession, result_envelope};
use crate::error::ToolError;
use crate::gate::TakenResult;
use crate::run::execution::{CallerNumber, CancellationEffect};

/// `{ value: { id, response } }`, `{ value: null }` without a result, or `{ error }`.
fn taken_envelope(taken: Result<Option<TakenResult>, ToolError>) -> String {
    match taken {
        Ok(Some(TakenResult { id, response })) => {
            format!("{{\"value\":{{\"id\":{},\"response\":{}}}}}", id_to_number(id), response.to_text())
        }
        other => result_envelope(other.map(|_| ())),
    }
}

#[napi]
impl NativeSession {
    /// The next result of a background call; from the first request on, the attachment's background calls are answered
    /// early. Waits for one if `waits`. The answer is `{ value: { id, response } }`, `{ value: null }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn next_result(&self, call_number: u32, waits: bool) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move {
            taken_envelope(session.next_result(CallerNumber(call_number), waits).await)
        })
    }

    /// Stops the wait for a result under a call number.
    #[napi(catch_unwind)]
    pub fn stop_waiting(&self, call_number: u32) {
        self.session.stop_waiting(CallerNumber(call_number));
    }

    /// Ends the delivery of a result. The answer is `{ value: boolean }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn end_delivery(&self, call_number: u32, id: f64, accepted: bool) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(session.end_delivery(number_to_id(id), accepted).await)
        })
    }

    /// Whether this attachment holds the result of the call with this id.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn holds_result(&self, call_id: String) -> bool {
        self.session.holds_result(&call_id)
    }

    /// Accepts what this attachment holds of the call with this id. The answer is `{ value: boolean }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn accept_result(&self, call_number: u32, call_id: String) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(session.accept_result(&call_id).await)
        })
    }

    /// The background calls of the session. The answer is `{ value: BackgroundCall[] }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn background_calls(&self, call_number: u32) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(session.background_calls().await)
        })
    }

    /// Cancels a call, also one whose callers have been answered. The answer is `{ value }` with the effect, `null` if no
    /// such call runs in this process, or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn cancel_background(&self, call_number: u32, call_id: String, reason: String) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move {
            let cancelled = session.cancel_background(&call_id, &reason).await;
            result_envelope(cancelled.map(|effect| effect.map(CancellationEffect::as_str)))
        })
    }

    /// The token that completes the call of a running handler. The answer is `{ value: string }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn completion_token(&self, call_number: u32, invocation: f64) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(session.completion_token(number_to_id(invocation)).await)
        })
    }
}

#[napi]
impl NativeGate {
    /// Completes the call that a token names, with the end that a handler would report. The answer is `{ value }` with
    /// `completed`, `ended` or `unknown`, or `{ error }`.
    #[napi(catch_unwind)]
    pub fn complete(
        &self,
        call_number: u32,
        token: String,
        ended: f64,
        text: String,
        note: Option<String>,
    ) -> napi::Result<EncodedMessages> {
        let ended = HandlerEnd::from_code(ended).ok_or_else(|| misuse("`complete` takes a known way of ending"))?;
        let gate = Arc::clone(&self.shared.gate);
        Ok(self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(gate.complete(&token, ended.into_outcome(text, note)).await)
        }))
    }
}
