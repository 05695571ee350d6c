//! The calls of handlers, through the gate of their session.

use std::sync::Arc;

use tokio::time::Instant;

use crate::admit::CallHeader;
use crate::call::{RawArgs, RawCall};
use crate::gate::nested::nested_calls::{PARENT_ENDED, ParentAttempt};
use crate::gate::sessions::attachment::Session;
use crate::response::ToolResponse;
use crate::run::InvocationId;
use crate::run::execution::{CancellationEffect, CancelledCall};
use crate::store::Token;

impl Session {
    /// Takes a handler's call through the gate. Returns exactly one answer, always. A handler never gets a confirmation's token:
    /// `keeps_token` is for a host that can ask its user, and then waits with [`when_confirmed`](Self::when_confirmed).
    pub async fn call_nested(
        &self,
        invocation: InvocationId,
        name: String,
        args: RawArgs,
        keeps_token: bool,
    ) -> ToolResponse {
        let received = Instant::now();
        let waits = keeps_token && self.attachment.can_ask;
        let call = RawCall { id: None, name, args, message: None, waits };
        let Some(parent_attempt) = self.open.parent_attempts.get(invocation) else {
            return self.parent_ended(&call, received, None);
        };
        let answer = Arc::unwrap_or_clone(self.execute_call(call, received, Some(&parent_attempt)).await);
        if waits { answer } else { answer.without_token() }
    }

    /// Waits until the question of a handler's call is answered, and then for the call's end. Returns exactly one answer, always.
    pub async fn when_confirmed(&self, invocation: InvocationId, name: String, token: &Token) -> ToolResponse {
        let received = Instant::now();
        let call = RawCall { id: None, name, args: RawArgs::Text(String::new()), message: None, waits: false };
        let Some(parent_attempt) = self.open.parent_attempts.get(invocation) else {
            return self.parent_ended(&call, received, None);
        };
        let header = Arc::new(self.nested_header(&call, received, Some(&parent_attempt)));
        Arc::unwrap_or_clone(self.await_confirmation(header, token, &parent_attempt).await).without_token()
    }

    /// Whether an attempt is still running.
    pub(in crate::gate) fn is_running(&self, parent_attempt: &ParentAttempt) -> bool {
        parent_attempt.is_running() && !self.gate.is_closing()
    }

    /// Answers a call of a handler that was given up or has ended: nothing is looked up, recorded or debited.
    pub(in crate::gate) fn parent_ended(
        &self,
        call: &RawCall,
        received: Instant,
        parent_attempt: Option<&ParentAttempt>,
    ) -> ToolResponse {
        let header = self.nested_header(call, received, parent_attempt);
        self.answers().cancelled_response(
            &header,
            &CancelledCall { reason: PARENT_ENDED.to_owned(), effect: CancellationEffect::Aborted },
        )
    }

    /// The header of a handler's call that no stage has seen.
    fn nested_header(&self, call: &RawCall, received: Instant, parent_attempt: Option<&ParentAttempt>) -> CallHeader {
        let tools = self.attachment.tools();
        let mut header = CallHeader::new(&self.admission_context(&tools, parent_attempt), call, received);
        header.tool = tools.get(&call.name).cloned();
        header
    }
}
