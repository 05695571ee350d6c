//! The task of one execution, from its slot to its record. Runs on its own, whether or not callers wait.

use std::sync::Arc;
use std::time::Duration;

use crate::admit::AdmittedCall;
use crate::gate::Gate;
use crate::gate::run::aside::CLOSING;
use crate::gate::run::attempts::{Attempts, AttemptsEnd};
use crate::gate::run::deferring::Deferring;
use crate::gate::run::leases::LeaseGuard;
use crate::gate::run::settling::Settling;
use crate::gate::sessions::open_session::OpenSession;
use crate::run::StartedHandler;
use crate::run::concurrency::{QueuedSlot, Slot, SlotGrant};
use crate::run::execution::Execution;
use crate::session::attachment::Attachment;

/// An admitted call with the input of its task.
pub(in crate::gate) struct CallTask {
    pub(in crate::gate) open: Arc<OpenSession>,
    pub(in crate::gate) attachment: u64,
    /// The attachment's number, if its host listens.
    pub(in crate::gate) listener_id: Option<u64>,
    pub(in crate::gate) call: Box<AdmittedCall>,
    pub(in crate::gate) execution: Arc<Execution>,
    /// Whether its result may be delivered after its callers were answered.
    pub(in crate::gate) is_delivered: bool,
    /// The attachment that holds its result.
    pub(in crate::gate) holder: Option<Arc<Attachment>>,
    /// Holds the claim until the run has ended.
    #[expect(dead_code, reason = "held until it is dropped")]
    pub(in crate::gate) lease: Option<LeaseGuard>,
}

impl CallTask {
    fn attempts<'a>(&'a self, gate: &'a Gate) -> Attempts<'a> {
        let Self { open, attachment, call, execution, .. } = self;
        Attempts { gate, open, attachment: *attachment, call, execution }
    }

    /// How long the callers wait before they are answered early; `None` if they wait for its result.
    fn answers_callers_after(&self) -> Option<Duration> {
        if self.call.answers_at_once {
            return Some(Duration::ZERO);
        }
        let background = self.call.tool.definition.background.filter(|_| self.is_delivered)?;
        Some(Duration::from_millis(background.after_ms))
    }

    fn deferring<'a>(&'a self, gate: &'a Arc<Gate>) -> Deferring<'a> {
        let Self { open, call, execution, holder, .. } = self;
        Deferring { gate, open, call, execution, holder: holder.as_deref() }
    }

    fn settling<'a>(&'a self, gate: &'a Gate, attempts: u32) -> Settling<'a> {
        let Self { open, listener_id, call, execution, holder, .. } = self;
        Settling { gate, open, listener_id: *listener_id, call, execution, holder: holder.as_deref(), attempts }
    }
}

/// Runs a call that has a slot, or waits for one. Callers that do not wait for its end are answered early.
pub(in crate::gate) async fn run_call(gate: Arc<Gate>, task: CallTask, entry: SlotGrant) {
    match task.answers_callers_after() {
        None => take_slot_and_run(&gate, &task, entry).await,
        // Boxed: few tools run in the background, and the future of the others stays small.
        Some(after) => Box::pin(run_in_background(&gate, &task, entry, after)).await,
    }
}

async fn run_in_background(gate: &Arc<Gate>, task: &CallTask, entry: SlotGrant, after: Duration) {
    let mut run = std::pin::pin!(take_slot_and_run(gate, task, entry));
    // A tool that answers at once does so however fast its handler is.
    if !after.is_zero() {
        tokio::select! {
            biased;
            () = &mut run => return,
            () = tokio::time::sleep(after) => {}
        }
    }
    // The run is not looked at meanwhile: its end is settled after this step, never before it.
    task.deferring(gate).answer_callers().await;
    run.await;
}

async fn take_slot_and_run(gate: &Arc<Gate>, task: &CallTask, entry: SlotGrant) {
    let slot = match entry {
        SlotGrant::Now(slot) => slot,
        SlotGrant::Queued(waiting) => {
            let timeout = queue_timeout(&task.open, &task.call);
            // What a running handler calls is a part of what the gate waits for as it closes.
            let may_begin = || task.call.header.parent.is_some() || !gate.is_closing();
            match Box::pin(wait_for_slot(waiting, &task.execution, timeout, may_begin)).await {
                Ok(slot) => slot,
                Err(NoSlotReason::Stopped(reason)) => {
                    return Box::pin(task.settling(gate, 0).never_ran(&reason)).await;
                }
                Err(NoSlotReason::TooLong(waited)) => {
                    return Box::pin(task.settling(gate, 0).queue_timed_out(waited)).await;
                }
            }
        }
    };
    run_with_slot(gate, task, slot).await;
}

async fn run_with_slot(gate: &Arc<Gate>, task: &CallTask, slot: Slot) {
    let (ended, attempts) = task.attempts(gate).run().await;
    let settling = task.settling(gate, attempts);
    // The slot is held until the call is answered, not until a handler that was given up ends: a handler that never
    // ends must not block every call of its tool.
    match ended {
        AttemptsEnd::Finished(normalized) => {
            settling.finished(normalized).await;
            drop(slot);
        }
        AttemptsEnd::Left(until) => {
            drop(slot);
            Box::pin(task.deferring(gate).leave(until, task.is_delivered)).await;
        }
        AttemptsEnd::TimedOut(handler, timeout) => {
            Box::pin(settling.timed_out(handler.id(), timeout)).await;
            drop(slot);
            Box::pin(settling.observe_late_result(handler)).await;
        }
        AttemptsEnd::Aborted(reason, handler) => {
            Box::pin(settling.aborted(handler.as_ref().map(StartedHandler::id), &reason)).await;
            drop(slot);
            match handler {
                Some(handler) if task.call.tool.effect.may_leave_effects() => {
                    Box::pin(settling.observe_late_result(handler)).await;
                }
                Some(handler) => Box::pin(settling.observe_aborted(handler)).await,
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

/// Waits for a slot, and begins the execution, unless it may not begin any more.
async fn wait_for_slot(
    waiting: QueuedSlot,
    execution: &Execution,
    timeout: Duration,
    may_begin: impl Fn() -> bool,
) -> Result<Slot, NoSlotReason> {
    tokio::select! {
        biased;
        reason = execution.aborted() => Err(NoSlotReason::Stopped(reason)),
        slot = waiting => {
            if !may_begin() {
                return Err(NoSlotReason::Stopped(CLOSING.to_owned()));
            }
            if execution.begin() { Ok(slot) } else { Err(NoSlotReason::Stopped(execution.aborted().await)) }
        }
        () = tokio::time::sleep(timeout) => Err(NoSlotReason::TooLong(timeout)),
    }
}

/// The longest wait for a slot; never past the parent call's deadline.
fn queue_timeout(open: &OpenSession, call: &AdmittedCall) -> Duration {
    let timeout = open.concurrency.queue_timeout();
    let deadline = call.header.parent.as_ref().and_then(|parent| parent.deadline.as_deref());
    deadline.map_or(timeout, |deadline| deadline.left().min(timeout))
}
