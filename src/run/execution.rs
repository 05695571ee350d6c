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
pub enum Answer {
    /// The execution settled, or its deadline passed.
    Settled {
        /// What came of it, as it is told to the call that started it.
        response: Arc<ToolResponse>,
        /// True for one caller: the call that started it or, where that was cancelled, the one that waits longest.
        first: bool,
    },
    /// The caller was cancelled.
    Cancelled(Cancelled),
    /// There is no answer, and why.
    Refused(Arc<ToolError>),
}

/// What a cancelled caller is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancelled {
    /// Why, as the canceller said it.
    pub reason: String,
    /// What becomes of the execution.
    pub left: Left,
}

/// What a cancellation leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It has not run, or was aborted and changes nothing.
    Aborted,
    /// It runs on: for others, or for a cache.
    Continues,
    /// A started write: nobody knows until it ends.
    Unknown,
}

impl Left {
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
    answer: oneshot::Sender<Answer>,
}

/// A record that is running.
#[derive(Debug)]
pub struct Execution {
    when_cancelled: CancellationPolicy,
    /// `None` once the execution has answered.
    callers: Mutex<Option<Vec<Caller>>>,
    phase: Mutex<Phase>,
    /// Wakes whoever waits for another phase.
    moved: Notify,
}

/// How far an execution has come.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
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
        Self::at(Phase::Running, when_cancelled)
    }

    /// An execution that waits for a slot: until it begins, to cancel its last caller is to cancel it, whatever it does.
    #[must_use]
    pub fn waiting(when_cancelled: CancellationPolicy) -> Self {
        Self::at(Phase::Waiting, when_cancelled)
    }

    fn at(phase: Phase, when_cancelled: CancellationPolicy) -> Self {
        let callers = Mutex::new(Some(Vec::with_capacity(1)));
        Self { when_cancelled, callers, phase: Mutex::new(phase), moved: Notify::new() }
    }

    /// Goes on to another phase, where `next` names one. True where it did.
    fn go_on(&self, next: impl FnOnce(&Phase) -> Option<Phase>) -> bool {
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
    async fn until<T>(&self, look: impl Fn(&Phase) -> Option<T>) -> T {
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
        self.go_on(|phase| (*phase == Phase::Waiting).then_some(Phase::Running))
    }

    /// Waits for the answer with the others. `None` once it has answered: its record has the result then.
    pub fn join(&self, id: Option<CallId>) -> Option<oneshot::Receiver<Answer>> {
        let (answer, receiver) = oneshot::channel();
        self.callers.lock().as_mut()?.push(Caller { id, answer });
        Some(receiver)
    }

    /// Answers everyone; nobody can join any more.
    pub fn publish(&self, response: &Arc<ToolResponse>) {
        let callers = self.callers.lock().take().unwrap_or_default();
        for (place, caller) in callers.into_iter().enumerate() {
            // A caller that went away needs no answer.
            let _ = caller.answer.send(Answer::Settled { response: Arc::clone(response), first: place == 0 });
        }
        self.go_on(|_| Some(Phase::Closed));
    }

    /// Tells everyone that there is no answer; nobody can join any more.
    pub fn refuse(&self, error: &ToolError) {
        let error = Arc::new(error.clone());
        for caller in self.callers.lock().take().unwrap_or_default() {
            let _ = caller.answer.send(Answer::Refused(Arc::clone(&error)));
        }
        self.go_on(|_| Some(Phase::Closed));
    }

    /// Nobody can join any more; whoever still waits is told that it was stopped.
    pub fn close(&self, reason: &str) {
        self.cancel_all(reason);
        self.callers.lock().take();
        self.go_on(|_| Some(Phase::Closed));
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
        self.go_on(|phase| {
            matches!(phase, Phase::Waiting | Phase::Running).then(|| Phase::Stopping(reason.to_owned()))
        });
    }

    /// Whether it was asked to stop, and has not closed yet.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        matches!(*self.phase.lock(), Phase::Stopping(_))
    }

    /// Resolves when the handler is to be stopped.
    pub async fn aborted(&self) -> String {
        self.until(|phase| match phase {
            Phase::Waiting | Phase::Running => None,
            Phase::Stopping(reason) => Some(reason.clone()),
            Phase::Closed => Some(String::new()),
        })
        .await
    }

    /// Resolves when it has closed: its record is settled, or gone.
    pub async fn closed(&self) {
        self.until(|phase| (*phase == Phase::Closed).then_some(())).await;
    }

    fn cancel_where(&self, reason: &str, is_meant: impl Fn(&Caller) -> bool) -> usize {
        let mut slot = self.callers.lock();
        let Some(callers) = slot.as_mut() else { return 0 };
        let (cancelled, kept): (Vec<Caller>, Vec<Caller>) = std::mem::take(callers).into_iter().partition(is_meant);
        let left = self.left(kept.len());
        *callers = kept;
        let count = cancelled.len();
        if count > 0 && left == Left::Aborted {
            self.stop(reason);
        }
        drop(slot);
        for caller in cancelled {
            let _ = caller.answer.send(Answer::Cancelled(Cancelled { reason: reason.to_owned(), left }));
        }
        count
    }

    /// What a cancellation leaves behind, with so many others who wait on.
    fn left(&self, others: usize) -> Left {
        let has_begun = *self.phase.lock() != Phase::Waiting;
        match (self.when_cancelled, has_begun, others == 0) {
            (CancellationPolicy::Shield, true, _) => Left::Unknown,
            (CancellationPolicy::LetFinish, true, _) | (_, _, false) => Left::Continues,
            (CancellationPolicy::Abort, true, true) | (_, false, true) => Left::Aborted,
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
        let Ok(Answer::Cancelled(cancelled)) = first.await else { panic!("not cancelled") };
        assert_eq!(cancelled.left, Left::Continues);
        assert!(execution.cancel("b", "barge-in"));
        let Ok(Answer::Cancelled(cancelled)) = second.await else { panic!("not cancelled") };
        assert_eq!(cancelled.left, Left::Aborted);
        assert_eq!(execution.aborted().await, "barge-in");
    }

    #[tokio::test]
    async fn a_write_that_has_not_begun_is_cancelled_like_any_call() {
        let execution = Execution::waiting(CancellationPolicy::Shield);
        let caller = execution.join(None).unwrap();
        assert_eq!(execution.cancel_all("user"), 1);
        let Ok(Answer::Cancelled(cancelled)) = caller.await else { panic!("not cancelled") };
        assert_eq!(cancelled.left, Left::Aborted);
        assert!(!execution.begin(), "it never begins");
        assert!(Execution::waiting(CancellationPolicy::Shield).begin());
    }

    #[tokio::test]
    async fn a_started_write_is_shielded() {
        let execution = Execution::running(CancellationPolicy::Shield);
        let caller = execution.join(None).unwrap();
        assert_eq!(execution.cancel_all("user"), 1);
        let Ok(Answer::Cancelled(cancelled)) = caller.await else { panic!("not cancelled") };
        assert_eq!(cancelled.left, Left::Unknown);
        let stopped = tokio::time::timeout(std::time::Duration::from_millis(1), execution.aborted()).await;
        assert!(stopped.is_err(), "a write runs on");
    }
}
