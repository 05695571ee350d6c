//! Cancellations of calls that wait for their admission, or that have not arrived yet.

use std::sync::Arc;

use tokio::time::Instant;

use crate::admit::CallHeader;
use crate::call::{CallId, RawCall};
use crate::gate::run::running::{ArrivingCall, HostCaller};
use crate::gate::sessions::attachment::Session;
use crate::registry::ToolSet;
use crate::response::ToolResponse;
use crate::run::execution::{CallerNumber, CancellationEffect, CancelledCall};
use crate::session::key::{RecordKey, kept_call_id};
use crate::store::{CallLookup, StoreRequests};

impl Session {
    /// Cancels the callers of an id. False if none waits: its call has settled, or has not arrived. A cancellation
    /// that comes before its call is remembered for a minute, and the call then does not run.
    #[must_use]
    pub fn cancel(&self, call_id: &str, reason: &str) -> bool {
        let id = kept_call_id(&call_id.into());
        if self.open.running.cancel(id.as_str(), reason) {
            return true;
        }
        let remembered = self.attachment.early_cancellations.lock().remember(&id, reason, self.gate.now());
        // A call that arrived since the first look is among the running ones now.
        !remembered && self.open.running.cancel(id.as_str(), reason)
    }

    /// Cancels one caller, or the callers of one batch, by the host's number; other callers of the same call, and other
    /// calls under the same id, go on. False if none waits.
    #[must_use]
    pub fn cancel_caller(&self, number: CallerNumber, reason: &str) -> bool {
        self.open.running.cancel_caller(number, reason)
    }

    /// Cancels every caller. Returns how many there were.
    #[must_use]
    pub fn cancel_all(&self, reason: &str) -> usize {
        self.open.running.cancel_all(reason)
    }

    /// Lists a call as arriving, and cancels it if its cancellation came first.
    pub(in crate::gate) fn arrive(&self, id: Option<&CallId>, caller: HostCaller) -> ArrivingCall<'_> {
        let id = id.map(kept_call_id);
        let arriving = self.open.running.arrive(id.clone(), caller);
        if let Some(id) = &id
            && let Some(reason) = self.attachment.early_cancellations.lock().note_arrival(id, self.gate.now())
        {
            arriving.cancel(&reason);
        }
        arriving
    }

    /// The answer to a call that was cancelled before its admission began: nothing is recorded or debited. `None` if it has
    /// a record: then the record says what was done.
    pub(in crate::gate) async fn cancelled_before_admission(
        &self,
        tools: &ToolSet,
        call: &RawCall,
        received: Instant,
        reason: String,
    ) -> Option<(Arc<CallHeader>, ToolResponse)> {
        if self.may_have_record(call).await {
            return None;
        }
        let mut header = CallHeader::new(&self.admission_context(tools, None), call, received);
        header.tool = tools.get(&call.name).cloned();
        let response =
            self.answers().cancelled_response(&header, &CancelledCall { reason, effect: CancellationEffect::Aborted });
        Some((Arc::new(header), response))
    }

    /// Whether the store has a record under the call's stable id. True if the store fails.
    async fn may_have_record(&self, call: &RawCall) -> bool {
        let Some(id) = call.id.as_ref().filter(|id| id.is_stable(&call.name)) else { return false };
        let lookup = CallLookup {
            session: self.open.live.id.clone(),
            key: RecordKey::from_provider_id(id),
            turn: self.turn(),
            limits: Vec::new(),
            known_revision: self.open.live.state_revision(),
            act: None,
            content: None,
            now: self.gate.now(),
        };
        let Ok(seen) = self.gate.parts.store.look_up(lookup).await else { return true };
        self.open.live.update_from_store(seen.state);
        seen.record.is_some()
    }
}
