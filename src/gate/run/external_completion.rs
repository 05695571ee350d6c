//! Completing a call from elsewhere: a worker, a webhook or a workflow engine ends a call whose handler has left it.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::admit::store_refusal;
use crate::call::{CallId, SessionId};
use crate::clock::to_iso8601;
use crate::error::{ErrorType, ToolError};
use crate::gate::Gate;
use crate::gate::run::settling::record_of;
use crate::observe::event::Event;
use crate::registry::CompiledTool;
use crate::response::{Meta, ToolResponse};
use crate::run::HandlerOutcome;
use crate::session::key::{hex, idempotency_key};
use crate::settle::{self, NormalizedOutcome};
use crate::store::owed::OwedCall;
use crate::store::{Settlement, StoreError, StoreRequests};

/// The beginning of each token.
const PREFIX: &str = "tgr_";

/// The right to complete one call. Whoever has it can end the call: it is as secret as a password.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::gate) struct CompletionToken {
    session: SessionId,
    epoch: u64,
    secret: [u8; 16],
}

impl CompletionToken {
    pub(in crate::gate) fn new(session: SessionId, epoch: u64) -> Result<Self, ToolError> {
        let mut secret = [0_u8; 16];
        getrandom::fill(&mut secret).map_err(|error| {
            tracing::error!(%error, "no random bytes for a completion token");
            ToolError::new(ErrorType::Transient, "no completion token can be made just now; try again")
                .retryable_after(None)
        })?;
        Ok(Self { session, epoch, secret })
    }

    /// Reads a token; `None` if it is none.
    fn parse(text: &str) -> Option<Self> {
        let (secret, rest) = text.strip_prefix(PREFIX)?.split_once('.')?;
        let (epoch, session) = rest.split_once('.')?;
        let is_hex = secret.len() == 32 && secret.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let secret = is_hex.then(|| u128::from_str_radix(secret, 16).ok())??.to_be_bytes();
        let epoch = epoch.parse().ok().filter(|number: &u64| number.to_string() == epoch)?;
        Some(Self { session: session.into(), epoch, secret })
    }

    /// What the store keeps of it: without the secret, which could complete the call.
    pub(in crate::gate) fn digest(&self) -> Arc<str> {
        use sha2::{Digest, Sha256};
        hex(&Sha256::digest(self.secret)).into()
    }
}

impl fmt::Display for CompletionToken {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, epoch, secret } = self;
        write!(to, "{PREFIX}{}.{epoch}.{session}", hex(secret))
    }
}

/// What became of a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExternalCompletion {
    /// The call has this result.
    Completed,
    /// The call had ended before: by an earlier completion, a cancellation, its deadline, or with its session.
    Ended,
    /// No call has this token.
    Unknown,
}

impl Gate {
    /// Ends the call that a token names with an outcome, as if its handler had it. Its intents are dropped.
    ///
    /// # Errors
    /// If the store fails, or the tool set does not have the call's tool.
    pub async fn complete(&self, token: &str, outcome: HandlerOutcome) -> Result<ExternalCompletion, ToolError> {
        let Some(token) = CompletionToken::parse(token) else { return Ok(ExternalCompletion::Unknown) };
        let owed = match self.parts.store.list_owed(&token.session, self.now()).await {
            Ok(owed) => owed,
            Err(StoreError::SessionEnded) => return Ok(ExternalCompletion::Ended),
            Err(error) => return Err(store_refusal(&error)),
        };
        let Some(call) = owed.into_iter().find(|call| call.epoch == token.epoch) else {
            return Ok(ExternalCompletion::Ended);
        };
        if call.secret != Some(token.digest()) {
            return Ok(ExternalCompletion::Unknown);
        }
        if !call.may_be_completed {
            return Ok(ExternalCompletion::Ended);
        }
        let tool = self.tool_of(&token.session, &call)?;
        let response = Arc::new(self.completed(&token.session, &call, &tool, outcome));
        self.settle_owed(&token.session, &call, response).await
    }

    fn tool_of(&self, session: &SessionId, call: &OwedCall) -> Result<Arc<CompiledTool>, ToolError> {
        let name = &call.response.meta.tool_id;
        self.tools_of_session(session).get(name).cloned().ok_or_else(|| {
            ToolError::new(ErrorType::NotFound, format!("the call's tool `{name}` is not in this registry's tool set"))
        })
    }

    fn completed(
        &self,
        session: &SessionId,
        call: &OwedCall,
        tool: &CompiledTool,
        outcome: HandlerOutcome,
    ) -> ToolResponse {
        let now = self.now();
        let mode = self.mode(call.response.meta.mode.as_deref().unwrap_or("text"));
        let normalized = settle::normalize_outcome(tool, &mode, self.parts.limits.max_result_bytes, outcome);
        let NormalizedOutcome { outcome, truncated, warnings, intents, .. } = normalized;
        for intent in &intents {
            let reason = "the call was completed from elsewhere";
            let event = Event::IntentDropped { tool_id: &tool.id, intent: intent.name(), reason };
            self.emit(Some(session.as_str()), &event);
        }
        #[expect(clippy::cast_precision_loss, reason = "exact for 285,000 years")]
        let duration = now.saturating_sub(call.claimed_at) as f64;
        let key = idempotency_key(session, &tool.id, &call.key);
        let meta = call.response.meta.clone();
        let meta = Meta {
            pending: false,
            duration,
            timestamp: to_iso8601(now),
            idempotency_key: Some(key),
            truncated,
            warnings,
            ..meta
        };
        ToolResponse { outcome, meta }
    }

    /// Settles a call that no process runs.
    pub(in crate::gate) async fn settle_owed(
        &self,
        session: &SessionId,
        call: &OwedCall,
        response: Arc<ToolResponse>,
    ) -> Result<ExternalCompletion, ToolError> {
        let settlement = Settlement {
            session: session.clone(),
            key: call.key.clone(),
            epoch: call.epoch,
            state: record_of(&response),
            is_heard: false,
            owed: Some(Arc::clone(&response)),
            changes: Vec::new(),
            now: self.now(),
        };
        let settled = self.parts.store.settle(settlement).await.map_err(|error| store_refusal(&error))?;
        if !settled {
            return Ok(ExternalCompletion::Ended);
        }
        let call_id = response.meta.call_id.as_ref().map(CallId::as_str);
        let (tool_id, error_type) = (&*response.meta.tool_id, response.outcome.error_type());
        self.emit(Some(session.as_str()), &Event::ToolCompleted { tool_id, call_id, error_type });
        if let Some(open) = self.sessions.peek(session) {
            open.results_changed();
        }
        Ok(ExternalCompletion::Completed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_it_was_written() {
        for session in ["s", "a.b", "tgr_.1.", "ü 🙂"] {
            let token = CompletionToken::new(session.into(), 7).unwrap();
            assert_eq!(CompletionToken::parse(&token.to_string()), Some(token));
        }
        let secret = "0123456789abcdef0123456789abcdef";
        for text in ["", "tgr_", &format!("tgr_{secret}"), &format!("tgr_{secret}.x.s"), &format!("tgr_{secret}.+1.s")]
        {
            assert_eq!(CompletionToken::parse(text), None, "{text}");
        }
        assert_eq!(CompletionToken::parse(&format!("tgr_{}.1.s", secret.to_uppercase())), None);
    }
}
