//! Store outages: while the store fails, reads run on counters of this process, with a warning; writes are refused.

use std::sync::Arc;

use tokio::time::Instant;

use crate::admit::{self, Admission, AdmissionContext, AdmissionResult, AdmittedCall, RecordLocation};
use crate::call::RawCall;
use crate::gate::calls::readmission::CameBefore;
use crate::gate::nested::nested_calls::ParentAttempt;
use crate::gate::sessions::attachment::Session;
use crate::registry::{CompiledTool, ToolSet};
use crate::store::{AnyStore, AttachRequest, Owner, StoreError, StoreRequests};

use crate::gate::Gate;

impl Gate {
    /// The store of a call's record.
    pub(in crate::gate) fn store_of(&self, call: &AdmittedCall) -> &AnyStore {
        self.store_at(call.record_location)
    }

    /// The store of the records at a location.
    pub(in crate::gate) fn store_at(&self, location: RecordLocation) -> &AnyStore {
        match location {
            RecordLocation::Store => &self.parts.store,
            RecordLocation::Process => &self.outage_store,
        }
    }
}

impl Session {
    /// Admits a call; on the counters of this process if the store fails and the call only reads.
    pub(in crate::gate) async fn admit(
        &self,
        tools: &ToolSet,
        parent_attempt: Option<&ParentAttempt>,
        call: RawCall,
        received: Instant,
        came_before: &CameBefore,
    ) -> AdmissionResult {
        // A store in this process' memory does not fail: no copy of the call is needed.
        let spare = self.gate.parts.store.lease().map(|_| call.clone());
        let mut context = self.admission_context(tools, parent_attempt);
        context.reconciling = came_before.reconciling;
        context.schema_check = came_before.schema_check();
        let result = admit::admit(&context, call, received).await;
        let reads = result.header.tool.as_deref().is_some_and(only_reads);
        match spare {
            Some(call) if reads && matches!(result.admission, Admission::StoreFailed(_)) => {
                // Boxed, so that this rare case does not enlarge the future of every call.
                Box::pin(self.admit_in_process(tools, parent_attempt, call, received)).await.unwrap_or(result)
            }
            _ => result,
        }
    }

    async fn admit_in_process(
        &self,
        tools: &ToolSet,
        parent_attempt: Option<&ParentAttempt>,
        call: RawCall,
        received: Instant,
    ) -> Result<AdmissionResult, StoreError> {
        let outage = &self.gate.outage_store;
        let state = self.open.live.state.lock().clone();
        let (session, now) = (self.id().clone(), self.gate.now());
        outage
            .attach(AttachRequest {
                session,
                owner: Owner::default(),
                state,
                tools_version: Arc::clone(&tools.version),
                resume_only: false,
                now,
            })
            .await?;
        let turn_stats = *self.open.turn_stats.lock();
        if let AnyStore::Memory(outage) = outage {
            outage.count_at_least(self.id(), turn_stats.turn, turn_stats.calls, turn_stats.retrievals);
        }
        let context = AdmissionContext {
            store: outage,
            record_location: RecordLocation::Process,
            ..self.admission_context(tools, parent_attempt)
        };
        Ok(admit::admit(&context, call, received).await)
    }
}

fn only_reads(tool: &CompiledTool) -> bool {
    !tool.effect.may_leave_effects() && !tool.definition.requires_confirmation
}
