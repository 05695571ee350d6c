//! The calls of handlers, through the gate of their session.

use std::sync::Arc;

use tokio::time::Instant;

use super::nested_calls::{PARENT_ENDED, ParentAttempt};
use super::session::Session;
use crate::admit::CallHeader;
use crate::call::{RawArgs, RawCall};
use crate::response::ToolResponse;
use crate::run::InvocationId;
use crate::run::execution::{CancellationEffect, CancelledCall};

impl Session {
    /// Takes a handler's call through the gate. Returns exactly one answer, always, and never with a confirmation's
    /// token: the host finds the token among the pending questions.
    pub async fn call_nested(&self, invocation: InvocationId, name: String, args: RawArgs) -> ToolResponse {
        let received = Instant::now();
        let call = RawCall { id: None, name, args, message: None };
        let Some(parent_attempt) = self.open.parent_attempts.get(invocation) else {
            return self.parent_ended(&call, received, None);
        };
        let ToolResponse { outcome, meta } =
            Arc::unwrap_or_clone(self.execute_call(call, received, Some(&parent_attempt)).await);
        ToolResponse { outcome: outcome.without_token(), meta }
    }

    /// Whether an attempt is still running.
    pub(super) fn is_running(&self, parent_attempt: &ParentAttempt) -> bool {
        parent_attempt.is_running() && !self.gate.is_closing()
    }

    /// Answers a call of a handler that was given up or has ended: nothing is looked up, recorded or debited.
    pub(super) fn parent_ended(
        &self,
        call: &RawCall,
        received: Instant,
        parent_attempt: Option<&ParentAttempt>,
    ) -> ToolResponse {
        let tools = self.attachment.tools();
        let mut header = CallHeader::new(&self.admission_context(&tools, parent_attempt), call, received);
        header.tool = tools.get(&call.name).cloned();
        self.answers().cancelled_response(
            &header,
            &CancelledCall { reason: PARENT_ENDED.to_owned(), effect: CancellationEffect::Aborted },
        )
    }
}
