//! The questions of a session to its user, and the answers; and the same by their ids, for those who have a link.

use std::sync::Arc;

use napi_derive::napi;
use serde_json::json;

use super::gate::NativeGate;
use super::gate_context::{lost_answer, panicked};
use super::messages::EncodedMessages;
use super::session::{NativeSession, host_caller, raw_call, result_envelope, user_message};
use crate::call::{RawArgs, RawCall};
use crate::gate::{Approver, ConfirmedAnswer, UserConfirmation, UserDenial};
use crate::store::outcome::CallName;

/// How a user confirms.
#[napi(object)]
pub struct NativeConfirmation {
    /// The way in which the answer came.
    pub via: Option<String>,
    /// The arguments that the user wants instead, JSON text.
    pub edited: Option<String>,
    /// Why these are no JSON, a sentence.
    pub unwritable: Option<String>,
    /// What the user wants to grant for later calls, JSON text.
    pub grant: Option<String>,
    /// Who confirms, if it is not the session's user.
    pub approver: Option<NativeApprover>,
    /// The token of the question that was shown, if the answer names the call that asked.
    pub shown: Option<String>,
}

/// Who answers in place of who asks.
#[napi(object)]
pub struct NativeApprover {
    /// The principal.
    pub principal: String,
    /// The roles that it holds.
    pub roles: Vec<String>,
}

impl From<NativeApprover> for Approver {
    fn from(NativeApprover { principal, roles }: NativeApprover) -> Self {
        Self { principal, roles: roles.into_iter().collect() }
    }
}

impl From<NativeConfirmation> for UserConfirmation {
    fn from(NativeConfirmation { via, edited, unwritable, grant, approver, shown }: NativeConfirmation) -> Self {
        let edited = unwritable.map(RawArgs::NotJson).or_else(|| edited.map(RawArgs::Text));
        Self { via, edited, grant, approver: approver.map(Into::into), shown: shown.map(Into::into) }
    }
}

#[napi]
impl NativeGate {
    /// The confirmation that an id names. The answer is `{ value }`, `null` if there is none any more, or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn find_confirmation(&self, call_number: u32, session: String, id: String) -> EncodedMessages {
        let gate = Arc::clone(&self.shared.gate);
        self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(gate.find_confirmation(&session, &id).await)
        })
    }

    /// Reports that a confirmation has expired, unless that was reported before. The answer is `{ value }`: `reported`,
    /// `pending` or `nothing`; or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn report_expiry(
        &self,
        call_number: u32,
        session: String,
        principal: Option<String>,
        id: String,
    ) -> EncodedMessages {
        let gate = Arc::clone(&self.shared.gate);
        self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(gate.report_expiry(&session, principal.as_deref(), &id).await)
        })
    }

    /// The key that signs links to confirmations, 64 hex digits. The answer is `{ value }`, `null` if the store is private to
    /// this process, or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn link_key(&self, call_number: u32) -> EncodedMessages {
        let gate = Arc::clone(&self.shared.gate);
        self.shared.answer_call(call_number, panicked, move || async move { result_envelope(gate.link_key().await) })
    }
}

/// What a confirmation answers: `{ answer, args }`, the texts of a `ToolResponse` and of the arguments that ran.
fn confirmed_envelope(ConfirmedAnswer { response, args }: &ConfirmedAnswer) -> String {
    json!({ "answer": response.to_text(), "args": args }).to_string()
}

fn lost_confirmation() -> String {
    json!({ "answer": lost_answer(), "args": null }).to_string()
}

fn no_question() -> String {
    "null".to_owned()
}

#[napi]
impl NativeSession {
    /// Asks the confirmation question of a call without running it. The answer is a `ToolResponse`, or `null` if the
    /// call needs no confirmation.
    #[napi(catch_unwind)]
    #[must_use]
    #[allow(
        clippy::too_many_arguments,
        reason = "an object would cost a call more than its members; napi repeats an `expect` where nothing is expected"
    )]
    pub fn ask(
        &self,
        call_number: u32,
        id: Option<String>,
        name: String,
        args: String,
        unwritable: Option<String>,
        message_id: Option<String>,
        is_by_content: Option<bool>,
    ) -> EncodedMessages {
        let message = user_message(message_id, is_by_content == Some(true));
        let call = RawCall { message, ..raw_call(id, name, args, unwritable) };
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, no_question, move || async move {
            session.ask(call).await.map_or_else(no_question, |response| response.to_text())
        })
    }

    /// Confirms the question that a call asked. The answer is `{ answer, args }`: the text of a `ToolResponse`, and of the arguments
    /// that the call ran with, `null` if it did not run.
    #[napi(catch_unwind)]
    #[must_use]
    #[allow(clippy::too_many_arguments, reason = "as of `ask`; napi repeats an `expect` where nothing is expected")]
    pub fn confirm_call(
        &self,
        call_number: u32,
        id: Option<String>,
        name: String,
        args: String,
        unwritable: Option<String>,
        message_id: Option<String>,
        is_by_content: Option<bool>,
        aborted: Option<String>,
        answer: NativeConfirmation,
    ) -> EncodedMessages {
        let message = user_message(message_id, is_by_content == Some(true));
        let call = RawCall { message, ..raw_call(id, name, args, unwritable) };
        let session = Arc::clone(&self.session);
        let caller = host_caller(call_number, aborted);
        self.shared.answer_call(call_number, lost_confirmation, move || async move {
            confirmed_envelope(&session.confirm_call(call, caller, answer.into()).await)
        })
    }

    /// Confirms a question by its token. The answer is that of `confirmCall`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn confirm(
        &self,
        call_number: u32,
        token: String,
        aborted: Option<String>,
        answer: NativeConfirmation,
    ) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        let caller = host_caller(call_number, aborted);
        self.shared.answer_call(call_number, lost_confirmation, move || async move {
            confirmed_envelope(&session.confirm(&token, caller, answer.into()).await)
        })
    }

    /// Denies a question, named by its token or by the id of the call that asked. The answer is `{ value: boolean }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn deny(
        &self,
        call_number: u32,
        named: String,
        reason: Option<String>,
        via: Option<String>,
        approver: Option<NativeApprover>,
    ) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        let denial = UserDenial { reason, via, approver: approver.map(Into::into) };
        self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(session.deny(&named, denial).await)
        })
    }

    /// What became of a call, which is named by its id or by the token of its question. The answer is `{ value }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn outcome(&self, call_number: u32, named: String, is_token: bool) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        let name = if is_token { CallName::Token(named) } else { CallName::Call(named.into()) };
        self.shared.answer_call(
            call_number,
            panicked,
            move || async move { result_envelope(session.outcome(name).await) },
        )
    }

    /// Lists the grants. The answer is `{ value: [...] }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn grants(&self, call_number: u32) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move { result_envelope(session.grants().await) })
    }

    /// Ends a grant. The answer is `{ value: boolean }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn revoke(&self, call_number: u32, id: String, via: Option<String>) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared
            .answer_call(call_number, panicked, move || async move { result_envelope(session.revoke(&id, via).await) })
    }

    /// Lists the pending questions. The answer is `{ value: [...] }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn list_pending(&self, call_number: u32) -> EncodedMessages {
        let session = Arc::clone(&self.session);
        self.shared.answer_call(call_number, panicked, move || async move { result_envelope(session.pending().await) })
    }
}
