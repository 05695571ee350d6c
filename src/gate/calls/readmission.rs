//! Calls that leave their admission for something that comes first: the reconcile of a record of uncertain outcome that they meet,
//! or the code of their tool's schema, before a question. Other calls of the session go on meanwhile, and the call is admitted again
//! after it.

use std::sync::Arc;

use tokio::time::Instant;

use crate::admit::{
    Admission, AdmissionResult, Reconciling, SchemaCheck, SchemaFindings, UncertainRecord, UncheckedCall,
};
use crate::call::RawCall;
use crate::gate::calls::caller::{Reader, ResponseSink};
use crate::gate::nested::nested_calls::ParentAttempt;
use crate::gate::reconcile::reconciling::Reconcile;
use crate::gate::run::running::{ArrivingCall, HostCaller};
use crate::gate::sessions::attachment::Session;
use crate::registry::MayLeave;

/// What comes first.
enum First {
    Reconcile(Box<UncertainRecord>),
    Check(Box<UncheckedCall>),
}

/// A call that has left its admission.
pub(in crate::gate) struct LeftCall {
    call: RawCall,
    received: Instant,
    first: First,
    came_before: CameBefore,
    caller: HostCaller,
    reply: ResponseSink,
}

/// What came before a call's admission.
#[derive(Debug)]
pub(in crate::gate) struct CameBefore {
    pub(in crate::gate) reconciling: Reconciling,
    /// Whether the code of a schema may come first.
    checks: bool,
    checked: Option<SchemaFindings>,
}

impl CameBefore {
    /// Nothing yet.
    pub(in crate::gate) const fn nothing(may: MayLeave) -> Self {
        let reconciling = if may.reconciles { Reconciling::First } else { Reconciling::Never };
        Self { reconciling, checks: may.checks, checked: None }
    }

    pub(in crate::gate) fn schema_check(&self) -> SchemaCheck<'_> {
        match &self.checked {
            Some(checked) => SchemaCheck::Done(checked),
            None if self.checks => SchemaCheck::First,
            None => SchemaCheck::Never,
        }
    }
}

impl LeftCall {
    /// The result itself if nothing is to come first.
    pub(in crate::gate) fn new(
        result: AdmissionResult,
        (call, received): (RawCall, Instant),
        came_before: CameBefore,
        arriving: ArrivingCall<'_>,
        reply: ResponseSink,
    ) -> Result<Self, (AdmissionResult, ArrivingCall<'_>, ResponseSink)> {
        let (header, counted) = (result.header, result.counted);
        let first = match result.admission {
            Admission::Reconcile(uncertain) => First::Reconcile(uncertain),
            Admission::Check(unchecked) => First::Check(unchecked),
            admission => return Err((AdmissionResult { header, counted, admission }, arriving, reply)),
        };
        Ok(Self { call, received, first, came_before, caller: arriving.end(), reply })
    }
}

impl Session {
    /// Does what comes first for a call, and admits the call again; as often as something else comes first.
    pub(in crate::gate) async fn admit_after(&self, mut left: LeftCall, parent_attempt: Option<&ParentAttempt>) {
        loop {
            let LeftCall { call, received, first, mut came_before, caller, reply } = left;
            let arriving = self.arrive(call.id.as_ref(), caller);
            match first {
                First::Reconcile(uncertain) => {
                    let found = Reconcile::for_attachment(self).run(&uncertain).await;
                    came_before.reconciling = Reconciling::Done(found);
                }
                First::Check(unchecked) => {
                    let checked = self.check_by_schema(unchecked, Some(&arriving), parent_attempt).await;
                    came_before.checked = Some(checked);
                }
            }
            let _admission = self.open.live.admission.lock().await;
            self.open.running.stopped().await;
            let reader = if parent_attempt.is_none() { Reader::Model } else { Reader::Host };
            let tools = self.attachment.tools();
            if parent_attempt.is_some_and(|attempt| !self.is_running(attempt)) {
                return reply(Arc::new(self.parent_ended(&call, received, parent_attempt)));
            }
            if let Some(reason) = arriving.cancel_reason()
                && let Some((header, response)) = self.cancelled_before_admission(&tools, &call, received, reason).await
            {
                return self.caller(header, None, reader, reply).respond(Arc::new(response));
            }
            let result = self.admit(&tools, parent_attempt, call.clone(), received, &came_before).await;
            left = match LeftCall::new(result, (call, received), came_before, arriving, reply) {
                Ok(left) => left,
                Err((result, arriving, reply)) => {
                    return self.dispatch(result, arriving.end(), parent_attempt, reader, reply).await;
                }
            };
        }
    }
}
