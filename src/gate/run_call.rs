//! The task of one execution, from its slot to its record. Runs on its own, whether or not callers wait.

use std::sync::Arc;
use std::time::Duration;

use super::Gate;
use super::attempts::{self, Attempts, AttemptsEnd};
use super::open_session::OpenSession;
use super::settling::Settling;
use crate::admit::AdmittedCall;
use crate::run::PreparedArgs;
use crate::run::concurrency::{QueuedSlot, Slot, SlotGrant};
use crate::run::execution::Execution;

/// An admitted call with the input of its task.
pub(super) struct CallTask {
    pub(super) open: Arc<OpenSession>,
    pub(super) attachment: u64,
    /// The attachment's number, if its host listens.
    pub(super) listener_id: Option<u64>,
    pub(super) call: Box<AdmittedCall>,
    pub(super) execution: Arc<Execution>,
}

pub(super) async fn run_call(gate: Arc<Gate>, task: CallTask, entry: SlotGrant) {
    let CallTask { open, attachment, listener_id, call, execution } = task;
    let _held = gate.hold_claim(&open.live.id, &call);
    let mut settling =
        Settling { gate: &gate, open: &open, listener_id, call: &call, execution: &execution, attempts: 0 };
    let begins_at_once = entry.begins_at_once(gate.parts.handlers.prepares(&call.args));
    let slot = match entry {
        SlotGrant::Now(slot) => slot,
        SlotGrant::Queued(waiting) => {
            match Box::pin(wait_for_slot(waiting, &execution, queue_timeout(&open, &call))).await {
                Ok(slot) => slot,
                Err(NoSlotReason::Stopped(reason)) => return Box::pin(settling.never_ran(&reason)).await,
                Err(NoSlotReason::TooLong(waited)) => return Box::pin(settling.queue_timed_out(waited)).await,
            }
        }
    };
    let prepared = if begins_at_once {
        None
    } else {
        match Box::pin(prepare(&gate, &call, &execution)).await {
            Ok(prepared) => prepared,
            Err(reason) => return Box::pin(settling.never_ran(&reason)).await,
        }
    };
    let mut attempts =
        Attempts { gate: &gate, open: Some(&open), attachment, call: &call, execution: &execution, prepared };
    let (ended, attempts) = attempts.run().await;
    settling.attempts = attempts;
    // The slot is held until the call is answered, not until a handler that was given up ends: a handler that never
    // ends must not block every call of its tool.
    match ended {
        AttemptsEnd::Finished(normalized) => {
            settling.finished(normalized).await;
            drop(slot);
        }
        AttemptsEnd::TimedOut(unfinished, timeout) => {
            Box::pin(settling.timed_out(unfinished.id, timeout)).await;
            drop(slot);
            Box::pin(settling.observe_late_result(unfinished.handler)).await;
        }
        AttemptsEnd::Aborted(reason, unfinished) => {
            Box::pin(settling.aborted(unfinished.as_ref().map(|unfinished| unfinished.id), &reason)).await;
            drop(slot);
            match unfinished {
                Some(unfinished) if call.tool.effect.may_leave_effects() => {
                    Box::pin(settling.observe_late_result(unfinished.handler)).await;
                }
                Some(unfinished) => Box::pin(settling.observe_aborted(unfinished.handler)).await,
                None => {}
            }
        }
    }
}

/// Why a waiting call got no slot.
enum NoSlotReason {
    Stopped(String),
    TooLong(Duration),
}

async fn wait_for_slot(waiting: QueuedSlot, execution: &Execution, timeout: Duration) -> Result<Slot, NoSlotReason> {
    tokio::select! {
        biased;
        reason = execution.aborted() => Err(NoSlotReason::Stopped(reason)),
        slot = waiting => Ok(slot),
        () = tokio::time::sleep(timeout) => Err(NoSlotReason::TooLong(timeout)),
    }
}

/// Prepares the arguments, and begins the execution. Returns the reason if it was stopped before.
async fn prepare(gate: &Gate, call: &AdmittedCall, execution: &Execution) -> Result<Option<Arc<PreparedArgs>>, String> {
    let prepared = attempts::prepare_args(gate, call, execution).await?;
    if execution.begin() { Ok(prepared) } else { Err(execution.aborted().await) }
}

/// The longest wait for a slot; never past the parent call's deadline.
fn queue_timeout(open: &OpenSession, call: &AdmittedCall) -> Duration {
    let timeout = open.concurrency.queue_timeout();
    let deadline = call.header.parent.as_ref().and_then(|parent| parent.deadline);
    deadline.map_or(timeout, |deadline| deadline.saturating_duration_since(tokio::time::Instant::now()).min(timeout))
}
