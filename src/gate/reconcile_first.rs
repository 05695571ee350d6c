//! Calls that meet a record of uncertain outcome: they wait for its reconcile outside of the admission, so that other calls of
//! the session go on, and are admitted again after it.

use std::sync::Arc;

use tokio::time::Instant;

use super::caller::{Reader, ResponseSink};
use super::reconciling::Reconcile;
use super::running::HostCaller;
use super::session::Session;
use crate::admit::{Admission, AdmissionResult, Reconciling, UncertainRecord};
use crate::call::RawCall;

/// A call that waits for the reconcile of a record that it met.
pub(super) struct MetUncertain {
    call: RawCall,
    received: Instant,
    uncertain: Box<UncertainRecord>,
    caller: HostCaller,
    reply: ResponseSink,
}

impl MetUncertain {
    /// `None` if no reconcile is to come first.
    pub(super) fn new(
        result: AdmissionResult,
        call: RawCall,
        received: Instant,
        caller: HostCaller,
        reply: ResponseSink,
    ) -> Option<Self> {
        let Admission::Reconcile(uncertain) = result.admission else { return None };
        Some(Self { call, received, uncertain, caller, reply })
    }
}

impl Session {
    /// Reconciles the record that a call met, and admits the call again.
    pub(super) async fn reconcile_first(&self, met: MetUncertain) {
        let MetUncertain { call, received, uncertain, caller, reply } = met;
        let arriving = self.arrive(call.id.as_ref(), caller);
        let found = Reconcile::for_attachment(self).run(&uncertain).await;
        let _admission = self.open.live.admission.lock().await;
        self.open.running.stopped().await;
        let tools = self.attachment.tools();
        if let Some(reason) = arriving.cancel_reason()
            && let Some((header, response)) = self.cancelled_before_admission(&tools, &call, received, reason).await
        {
            return self.caller(header, None, Reader::Model, reply).respond(Arc::new(response));
        }
        let result = self.admit(&tools, None, call, received, Reconciling::Done(found)).await;
        self.dispatch(result, arriving.end(), None, Reader::Model, reply).await;
    }
}
