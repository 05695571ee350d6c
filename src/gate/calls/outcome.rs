//! What became of a call, for watchers: pages, voice servers, a route that completes a history. A look confirms nothing, refuses
//! nothing, and leaves no line in the audit.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::admit::{self, CallHeader, store_refusal};
use crate::call::{RawArgs, RawCall};
use crate::error::ToolError;
use crate::gate::sessions::attachment::{PendingQuestion, Session};
use crate::response::ToolResponse;
use crate::session::key::RecordKey;
use crate::settle::answer;
use crate::store::outcome::{CallName, CallOutcome, OutcomeState};
use crate::store::{Question, Record, RecordState, StoreError, StoreRequests};

/// What became of a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenOutcome {
    status: OutcomeState,
    /// The call's answer, if it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Box<RawValue>>,
    /// The question about it that is open now, without its token.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation: Option<Value>,
}

impl Session {
    /// What became of a call of this session, also after the session's end of a call that had begun.
    ///
    /// # Errors
    /// If the attachment is detached or superseded, or the store fails.
    pub async fn outcome(&self, name: CallName) -> Result<SeenOutcome, ToolError> {
        self.check_open()?;
        let found = match self.gate.parts.store.outcome(self.id(), name, self.turn(), self.gate.now()).await {
            Ok(found) => found,
            Err(StoreError::SessionEnded) => CallOutcome::default(),
            Err(error) => return Err(store_refusal(&error)),
        };
        let answered = found.record.filter(|_| found.state == OutcomeState::Answered);
        Ok(SeenOutcome {
            status: found.state,
            response: answered
                .and_then(|(key, record)| RawValue::from_string(self.recorded(&key, &record)?.to_text()).ok()),
            confirmation: found.open.and_then(|open| self.shown_question(&open)),
        })
    }

    /// The recorded answer of a call that has ended.
    fn recorded(&self, key: &RecordKey, record: &Record) -> Option<Arc<ToolResponse>> {
        match &record.state {
            RecordState::Settled(response) => Some(Arc::clone(response)),
            RecordState::Forgotten { ok } => {
                let name = record.fingerprint.tool();
                let ran_as = admit::ran_as(self.id(), name, (key, record));
                let error = admit::forgotten(name, *ok, ran_as.as_deref());
                let args = RawArgs::Text(String::new());
                let call =
                    RawCall { id: record.call_id.clone(), name: name.to_owned(), args, message: None, waits: false };
                let tools = self.attachment.tools();
                let header = CallHeader::new(&self.admission_context(&tools, None), &call, Instant::now());
                Some(Arc::new(answer::refused(&header, error, self.gate.now())))
            }
            RecordState::Started | RecordState::Unknown => None,
        }
    }

    fn shown_question(&self, question: &Question) -> Option<Value> {
        let mut shown = serde_json::to_value(PendingQuestion::new(question, &self.attachment.tools())).ok()?;
        shown.as_object_mut()?.remove("token");
        Some(shown)
    }
}
