//! One running record and everyone who waits for it. Each caller gets exactly one answer: whoever takes a caller out of
//! the list, settle or cancel, answers it.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use crate::call::CallId;
use crate::definition::CancellationPolicy;
use crate::error::ToolError;
use crate::response::ToolResponse;

/// What a caller is told.
#[derive(Debug, Clone)]
pub enum CallerAnswer {
    /// The execution settled, or its deadline passed.
    Settled {
        /// What came of it, as it is told to the call that started it.
        response: Arc<ToolResponse>,
        /// True for one caller: the call that started it or, where that was cancelled, the one that waits longest.
        first: bool,
    },
    /// The caller was cancelled.
    Cancelled(CancelledCall),
    /// There is no answer, and why.
    Refused(Arc<ToolError>),
}

/// What a cancelled caller is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelledCall {
    /// Why, as the canceller said it.
    pub reason: String,
    /// What becomes of the execution.
    pub effect: CancellationEffect,
}

/// What a cancellation leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancellationEffect {
    /// It has not run, or was aborted and changes nothing.
    Aborted,
    /// It runs on: for others, or for a cache.
    Continues,
    /// A started write: nobody knows until it ends.
    Unknown,
}

impl CancellationEffect {
    /// The word in `details.outcome`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aborted => "aborted",
            Self::Continues => "continues",
            Self::Unknown => "unknown",
        }
    }
}

#[derive(Debug)]
struct Caller {
    id: Option<CallId>,
    answer: oneshot::Sender<CallerAnswer>,
}

/// A record that is running.
#[derive(Debug)]
pub struct Execution {
    when_cancelled: CancellationPolicy,
    /// `None` once the execution has answered.
    callers: Mutex<Option<Vec<Caller>>>,
    phase: Mutex<ExecutionPhase>,
    /// Wakes whoever waits for another phase.
    moved: Notify,
}

/// How far an execution has come.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ExecutionPhase {
    /// It has no slot yet: nothing has run.
    Waiting,
    Running,
    /// The handler is to be stopped.
    Stopping(String),
    /// It has answered, and its record says so.
    Closed,
}

impl Execution {
    /// An execution that runs at once, and that nobody waits for yet.
    #[must_use]
    pub fn running(when_cancelled: CancellationPolicy) -> Self {
        Self::at(ExecutionPhase::Running, when_cancelled)
    }

    /// An execution that waits for a slot: until it begins, to cancel its last caller is to cancel it, whatever it does.
    #[must_use]
    pub fn waiting(when_cancelled: CancellationPolicy) -> Self {
        Self::at(ExecutionPhase::Waiting, when_cancelled)
    }

    fn at(phase: ExecutionPhase, when_cancelled: CancellationPolicy) -> Self {
        let callers = Mutex::new(Some(Vec::with_capacity(1)));
        Self { when_cancelled, callers, phase: Mutex::new(phase), moved: Notify::new() }
    }

    /// Goes on to another phase, where `next` names one. True where it did.
    fn advance(&self, next: impl FnOnce(&ExecutionPhase) -> Option<ExecutionPhase>) -> bool {
        let moved = {
            let mut phase = self.phase.lock();
            next(&phase).map(|next| *phase = next).is_some()
        };
        // The lock is let go first: whoever is woken looks at once.
        if moved {
            self.moved.notify_waiters();
        }
        moved
    }

    /// Waits for a phase that `look` finds something in.
    async fn wait_for<T>(&self, look: impl Fn(&ExecutionPhase) -> Option<T>) -> T {
        loop {
            // Listened for before the look: what moves after it is heard.
            let moved = self.moved.notified();
            if let Some(found) = look(&self.phase.lock()) {
                return found;
            }
            moved.await;
        }
    }

    /// It has its slot. False where it was cancelled before: nothing is to run.
    pub fn begin(&self) -> bool {
        // With the callers held: a cancellation comes before this or after it, never in between.
        let _callers = self.callers.lock();
        self.advance(|phase| (*phase == ExecutionPhase::Waiting).then_some(ExecutionPhase::Running))
    }

    /// Waits for the answer with the others. `None` once it has answered: its record has the result then.
    pub fn join(&self, id: Option<CallId>) -> Option<oneshot::Receiver<CallerAnswer>> {
        let (answer, receiver) = oneshot::channel();
        self.callers.lock().as_mut()?.push(Caller { id, answer });
        Some(receiver)
    }

    /// Answers everyone; nobody can join any more.
    pub fn publish(&self, response: &Arc<ToolResponse>) {
        let callers = self.callers.lock().take().unwrap_or_default();
        for (place, caller) in callers.into_iter().enumerate() {
            // A caller that went away needs no answer.
            let _ = caller.answer.send(CallerAnswer::Settled { response: Arc::clone(response), first: place == 0 });
        }
        self.advance(|_| Some(ExecutionPhase::Closed));
    }

    /// Tells everyone that there is no answer; nobody can join any more.
    pub fn refuse(&self, error: &ToolError) {
        let error = Arc::new(error.clone());
        for caller in self.callers.lock().take().unwrap_or_default() {
            let _ = caller.answer.send(CallerAnswer::Refused(Arc::clone(&error)));
        }
        self.advance(|_| Some(ExecutionPhase::Closed));
    }

    /// Nobody can join any more; whoever still waits is told that it was stopped.
    pub fn close(&self, reason: &str) {
        self.cancel_all(reason);
        self.callers.lock().take();
        self.advance(|_| Some(ExecutionPhase::Closed));
    }

    /// Cancels the callers of an id. False where none waits.
    pub fn cancel(&self, id: &str, reason: &str) -> bool {
        self.cancel_where(reason, |caller| caller.id.as_ref().is_some_and(|known| known.as_str() == id)) > 0
    }

    /// Cancels every caller. Returns how many there were.
    pub fn cancel_all(&self, reason: &str) -> usize {
        self.cancel_where(reason, |_| true)
    }

    /// Asks the handler to stop, whatever it does: a deadline or the gate's end.
    pub fn stop(&self, reason: &str) {
        self.advance(|phase| {
            matches!(phase, ExecutionPhase::Waiting | ExecutionPhase::Running)
                .then(|| ExecutionPhase::Stopping(reason.to_owned()))
        });
    }

    /// Whether it was asked to stop, and has not closed yet.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        matches!(*self.phase.lock(), ExecutionPhase::Stopping(_))
    }

    /// Resolves when the handler is to be stopped.
    pub async fn aborted(&self) -> String {
        self.wait_for(|phase| match phase {
            ExecutionPhase::Waiting | ExecutionPhase::Running => None,
            ExecutionPhase::Stopping(reason) => Some(reason.clone()),
            ExecutionPhase::Closed => Some(String::new()),
        })
        .await
    }

    /// Resolves when it has closed: its record is settled, or gone.
    pub async fn closed(&self) {
        self.wait_for(|phase| (*phase == ExecutionPhase::Closed).then_some(())).await;
    }

    fn cancel_where(&self, reason: &str, is_meant: impl Fn(&Caller) -> bool) -> usize {
        let mut slot = self.callers.lock();
        let Some(callers) = slot.as_mut() else { return 0 };
        let (cancelled, kept): (Vec<Caller>, Vec<Caller>) = std::mem::take(callers).into_iter().partition(is_meant);
        let left = self.cancellation_effect(kept.len());
        *callers = kept;
        let count = cancelled.len();
        if count > 0 && left == CancellationEffect::Aborted {
            self.stop(reason);
        }
        drop(slot);
        for caller in cancelled {
            let _ =
                caller.answer.send(CallerAnswer::Cancelled(CancelledCall { reason: reason.to_owned(), effect: left }));
        }
        count
    }

    /// What a cancellation leaves behind, with so many others who wait on.
    fn cancellation_effect(&self, others: usize) -> CancellationEffect {
        let has_begun = *self.phase.lock() != ExecutionPhase::Waiting;
        match (self.when_cancelled, has_begun, others == 0) {
            (CancellationPolicy::Shield, true, _) => CancellationEffect::Unknown,
            (CancellationPolicy::LetFinish, true, _) | (_, _, false) => CancellationEffect::Continues,
            (CancellationPolicy::Abort, true, true) | (_, false, true) => CancellationEffect::Aborted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_cancelled_reader_stops_the_handler() {
        let execution = Execution::running(CancellationPolicy::Abort);
        let first = execution.join(Some("a".into())).unwrap();
        let second = execution.join(Some("b".into())).unwrap();
        assert!(execution.cancel("a", "barge-in"));
        assert!(!execution.cancel("a", "again"));
        let Ok(CallerAnswer::Cancelled(cancelled)) = first.await else { panic!("not cancelled") };
        assert_eq!(cancelled.effect, CancellationEffect::Continues);
        assert!(execution.cancel("b", "barge-in"));
        let Ok(CallerAnswer::Cancelled(cancelled)) = second.await else { panic!("not cancelled") };
        assert_eq!(cancelled.effect, CancellationEffect::Aborted);
        assert_eq!(execution.aborted().await, "barge-in");
    }

    #[tokio::test]
    async fn a_write_that_has_not_begun_is_cancelled_like_any_call() {
        let execution = Execution::waiting(CancellationPolicy::Shield);
        let caller = execution.join(None).unwrap();
        assert_eq!(execution.cancel_all("user"), 1);
        let Ok(CallerAnswer::Cancelled(cancelled)) = caller.await else { panic!("not cancelled") };
        assert_eq!(cancelled.effect, CancellationEffect::Aborted);
        assert!(!execution.begin(), "it never begins");
        assert!(Execution::waiting(CancellationPolicy::Shield).begin());
    }

    #[tokio::test]
    async fn a_started_write_is_shielded() {
        let execution = Execution::running(CancellationPolicy::Shield);
        let caller = execution.join(None).unwrap();
        assert_eq!(execution.cancel_all("user"), 1);
        let Ok(CallerAnswer::Cancelled(cancelled)) = caller.await else { panic!("not cancelled") };
        assert_eq!(cancelled.effect, CancellationEffect::Unknown);
        let stopped = tokio::time::timeout(std::time::Duration::from_millis(1), execution.aborted()).await;
        assert!(stopped.is_err(), "a write runs on");
    }
}
