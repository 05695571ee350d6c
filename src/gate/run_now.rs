//! The synchronous driver of a run: for a call that has a slot, on a store that never waits. The handler is started when
//! the call is admitted, and the call is settled when the handler ends, without a task in between.
//!
//! What has to wait is handed over to the asynchronous driver, [`run_call`]: the pause before another attempt, and a
//! handler that is to stop, because of its deadline or of a cancellation. Both drivers take the same steps, those of
//! [`Attempts`](super::attempts::Attempts) and [`Settling`](super::settling::Settling).

use std::mem;
use std::sync::Arc;

use futures_util::FutureExt;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::Gate;
use super::attempts::{AttemptTimes, AttemptsStart, FailedAttempt, RunningAttempt};
use super::deadlines::DeadlineKey;
use super::nested_calls::ParentAttemptGuard;
use super::run_call::{self, CallTask};
use crate::run::concurrency::Slot;
use crate::run::retry::RetryDecision;
use crate::run::{HandlerOutcome, InvocationId, OutcomeSink, StartedHandler};

/// The only attempt of this driver.
const FIRST: u32 = 1;

/// A run whose handler has been started.
pub(super) struct RunWithoutTask(Mutex<Progress>);

/// What happens when the handler ends.
enum Progress {
    /// The call is settled.
    Settle(Box<StartedRun>),
    /// A task gets the outcome.
    Pass(oneshot::Sender<HandlerOutcome>),
    /// Nothing: the outcome was here before.
    Ended,
}

struct StartedRun {
    gate: Arc<Gate>,
    task: CallTask,
    slot: Slot,
    times: AttemptTimes,
    handler: InvocationId,
    parent_attempt: Option<ParentAttemptGuard>,
}

/// Starts the handler of a call that has a slot.
pub(super) fn start(gate: &Arc<Gate>, task: CallTask, slot: Slot) {
    let execution = Arc::clone(&task.execution);
    let attempts = task.attempts(gate);
    let times = attempts.times();
    let (invocation, parent_attempt) = attempts.begin(FIRST, times, None);
    let started = StartedRun { gate: Arc::clone(gate), task, slot, times, handler: invocation.id, parent_attempt };
    let deadline = started.deadline();
    let run = Arc::new(RunWithoutTask(Mutex::new(Progress::Settle(Box::new(started)))));
    let stopped = Arc::clone(&run);
    execution.set_stop_hook(Some(Box::new(move || stopped.hand_over())));
    if let Some(deadline) = deadline {
        gate.deadlines.add(deadline, &run, &gate.parts.spawner);
    }
    let ended = Arc::clone(&run);
    gate.parts.handlers.start(invocation, OutcomeSink::new(move |outcome| ended.handler_ended(outcome)));
    // Stopped before the hook was set: the call of a handler whose own call ended while the arguments were read.
    if execution.is_stopping() {
        run.hand_over();
    }
}

impl RunWithoutTask {
    fn handler_ended(&self, outcome: HandlerOutcome) {
        // The lock is released first: settling answers the callers, who may make further calls.
        let progress = mem::replace(&mut *self.0.lock(), Progress::Ended);
        match progress {
            Progress::Settle(run) => (*run).settle(outcome),
            // No receiver: the outcome is not needed any more.
            Progress::Pass(task) => drop(task.send(outcome)),
            Progress::Ended => {}
        }
    }

    /// Hands the run over to a task, which finds that its handler is to stop.
    pub(super) fn hand_over(&self) {
        let mut progress = self.0.lock();
        match mem::replace(&mut *progress, Progress::Ended) {
            Progress::Settle(run) => {
                let (handler, task) = StartedHandler::new(&run.gate.parts.handlers, run.handler);
                *progress = Progress::Pass(task);
                drop(progress);
                (*run).continue_in_task(handler);
            }
            other => *progress = other,
        }
    }
}

impl StartedRun {
    fn deadline(&self) -> Option<DeadlineKey> {
        self.times.deadline.map(|deadline| (deadline, self.handler))
    }

    fn settle(self, outcome: HandlerOutcome) {
        self.release();
        let Self { gate, task, slot, times, parent_attempt, .. } = self;
        let outcome = gate.normalize(&task.call, outcome);
        match task.attempts(&gate).next_step(FIRST, outcome.transient_failure, times) {
            RetryDecision::GiveUp => {
                drop(parent_attempt);
                // Nothing in it waits, so one poll takes it to its end.
                if task.settling(&gate, FIRST).finished(outcome).now_or_never().is_none() {
                    tracing::error!("a settlement waited on a store that never waits; its call is lost");
                }
                drop(slot);
            }
            RetryDecision::Retry { after } => {
                drop(parent_attempt);
                let failed = FailedAttempt { number: FIRST, times, outcome, pause: after };
                continue_run(gate, task, slot, AttemptsStart::After(Box::new(failed)));
            }
        }
    }

    fn continue_in_task(self, handler: StartedHandler) {
        self.release();
        let Self { gate, task, slot, times, parent_attempt, .. } = self;
        let attempt = RunningAttempt { number: FIRST, times, handler, parent_attempt };
        continue_run(gate, task, slot, AttemptsStart::Running(attempt));
    }

    /// Removes what could hand the run over.
    fn release(&self) {
        self.task.execution.set_stop_hook(None);
        if let Some(deadline) = self.deadline() {
            self.gate.deadlines.remove(&deadline);
        }
    }
}

fn continue_run(gate: Arc<Gate>, task: CallTask, slot: Slot, start: AttemptsStart) {
    let spawner = Arc::clone(&gate.parts.spawner);
    spawner(Box::pin(run_call::continue_run(gate, task, slot, start)));
}
