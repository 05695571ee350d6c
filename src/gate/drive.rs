//! One execution, from its slot to its record. Goes on by itself: callers come and go.

use std::sync::Arc;
use std::time::Duration;

use super::Gate;
use super::attempts::{Attempts, Ended};
use super::open::OpenSession;
use super::settling::Settling;
use crate::admit::AdmittedCall;
use crate::run::execution::Execution;
use crate::run::lanes::{Entry, Slot, Waiting};

/// An admitted call, with what it belongs to.
pub(super) struct Driven {
    pub(super) open: Arc<OpenSession>,
    pub(super) attachment: u64,
    /// The attachment, where its host listens.
    pub(super) ears: Option<u64>,
    pub(super) call: Box<AdmittedCall>,
    pub(super) execution: Arc<Execution>,
}

pub(super) async fn drive(gate: Arc<Gate>, driven: Driven, entry: Entry) {
    let Driven { open, attachment, ears, call, execution } = driven;
    let _held = gate.hold(&open.live.id, &call);
    let mut settling = Settling { gate: &gate, open: &open, ears, call: &call, execution: &execution, attempts: 0 };
    let slot = match entry {
        Entry::Now(slot) => slot,
        Entry::Later(waiting) => match Box::pin(wait(waiting, &execution, patience(&open, &call))).await {
            Ok(slot) => slot,
            Err(NoSlot::Stopped(reason)) => return Box::pin(settling.never_ran(&reason)).await,
            Err(NoSlot::TooLong(waited)) => return Box::pin(settling.waited_in_vain(waited)).await,
        },
    };
    let attempts = Attempts { gate: &gate, open: Some(&open), attachment, call: &call, execution: &execution };
    let (ended, attempts) = attempts.run().await;
    settling.attempts = attempts;
    // The slot is held until what came of the call is told, not until a handler that was given up ends: one that never
    // does must not stop every call of its tool.
    match ended {
        Ended::Finished(normalized) => {
            settling.finished(normalized).await;
            drop(slot);
        }
        Ended::TimedOut(unfinished, timeout) => {
            Box::pin(settling.timed_out(unfinished.id, timeout)).await;
            drop(slot);
            Box::pin(settling.late(unfinished.handler)).await;
        }
        Ended::Aborted(reason, unfinished) => {
            Box::pin(settling.aborted(unfinished.as_ref().map(|unfinished| unfinished.id), &reason)).await;
            drop(slot);
            match unfinished {
                Some(unfinished) if call.tool.effect.may_leave_effects() => {
                    Box::pin(settling.late(unfinished.handler)).await;
                }
                Some(unfinished) => Box::pin(settling.stopped(unfinished.handler)).await,
                None => {}
            }
        }
    }
}

/// Why a call that waited for a slot has none.
enum NoSlot {
    Stopped(String),
    TooLong(Duration),
}

async fn wait(waiting: Waiting, execution: &Execution, patience: Duration) -> Result<Slot, NoSlot> {
    tokio::select! {
        biased;
        reason = execution.aborted() => Err(NoSlot::Stopped(reason)),
        slot = waiting => if execution.begin() { Ok(slot) } else { Err(NoSlot::Stopped(execution.aborted().await)) },
        () = tokio::time::sleep(patience) => Err(NoSlot::TooLong(patience)),
    }
}

/// Not longer than the call waits that made it.
fn patience(open: &OpenSession, call: &AdmittedCall) -> Duration {
    let patience = open.lanes.patience();
    let deadline = call.header.parent.as_ref().and_then(|parent| parent.deadline);
    deadline.map_or(patience, |deadline| deadline.saturating_duration_since(tokio::time::Instant::now()).min(patience))
}
