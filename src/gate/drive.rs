//! One execution, from the handler's start to its record. Goes on by itself: callers come and go.

use std::sync::Arc;

use super::Gate;
use super::attempts::{Attempts, Ended};
use super::open::OpenSession;
use super::settling::Settling;
use crate::admit::AdmittedCall;
use crate::run::execution::Execution;

pub(super) async fn drive(
    gate: Arc<Gate>,
    open: Arc<OpenSession>,
    attachment: u64,
    call: AdmittedCall,
    execution: Arc<Execution>,
) {
    let session = Some(open.live.id.as_str());
    let attempts = Attempts { gate: &gate, session, attachment, call: &call, execution: &execution };
    let (ended, attempts) = attempts.run().await;
    let settling = Settling { gate: &gate, open: &open, call: &call, execution: &execution, attempts };
    match ended {
        Ended::Finished(normalized) => settling.finished(normalized).await,
        Ended::TimedOut(unfinished) => {
            settling.timed_out(unfinished.id, call.tool.definition.timeout_ms.0.unwrap_or_default()).await;
            settling.late(unfinished.handler.await).await;
        }
        Ended::Aborted(reason, unfinished) => {
            settling.aborted(unfinished.as_ref().map(|unfinished| unfinished.id), &reason).await;
            if let Some(unfinished) = unfinished.filter(|_| call.tool.effect.may_leave_effects()) {
                settling.late(unfinished.handler.await).await;
            }
        }
    }
}
