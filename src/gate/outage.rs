//! While the store does not answer, reads run on counters of this process, and say so; nothing that writes runs.

use std::sync::Arc;

use tokio::time::Instant;

use super::nested_calls::ParentAttempt;
use super::session::Session;
use crate::admit::{self, Admission, AdmissionContext, AdmissionResult, AdmittedCall, RecordLocation};
use crate::call::RawCall;
use crate::registry::{CompiledTool, ToolSet};
use crate::store::{AttachRequest, Store, StoreError};

use super::Gate;

impl Gate {
    /// Where a call's record is kept.
    pub(super) fn store_of(&self, call: &AdmittedCall) -> &dyn Store {
        match call.record_location {
            RecordLocation::Store => &*self.parts.store,
            RecordLocation::Process | RecordLocation::Nowhere => &self.outage,
        }
    }
}

impl Session {
    /// Takes a call to rung 10, on the counters of this process where the store fails and the call only reads.
    pub(super) async fn admit(
        &self,
        tools: &ToolSet,
        calling: Option<&ParentAttempt>,
        call: RawCall,
        received: Instant,
    ) -> AdmissionResult {
        // A store in this process' memory does not fail: nothing is copied for the case that it does.
        let spare = self.gate.parts.store.lease().map(|_| call.clone());
        let verdict = admit::admit(&self.admission_context(tools, calling), call, received).await;
        let reads = verdict.header.tool.as_deref().is_some_and(only_reads);
        match spare {
            Some(call) if reads && matches!(verdict.admission, Admission::StoreFailed(_)) => {
                // Boxed: every call would hold the room that this takes.
                Box::pin(self.admit_here(tools, calling, call, received)).await.unwrap_or(verdict)
            }
            _ => verdict,
        }
    }

    async fn admit_here(
        &self,
        tools: &ToolSet,
        calling: Option<&ParentAttempt>,
        call: RawCall,
        received: Instant,
    ) -> Result<AdmissionResult, StoreError> {
        let outage = &self.gate.outage;
        let state = self.open.live.state.lock().clone();
        let (session, now) = (self.id().clone(), self.gate.now());
        outage
            .attach(AttachRequest { session, principal: None, state, tools_version: Arc::clone(&tools.version), now })
            .await?;
        let tally = *self.open.turn_stats.lock();
        outage.count_at_least(self.id(), tally.turn, tally.calls, tally.retrievals);
        let context = AdmissionContext {
            store: outage,
            record_location: RecordLocation::Process,
            ..self.admission_context(tools, calling)
        };
        Ok(admit::admit(&context, call, received).await)
    }
}

fn only_reads(tool: &CompiledTool) -> bool {
    !tool.effect.may_leave_effects() && !tool.definition.requires_confirmation
}
