//! One running record and the callers that wait for it. Each caller gets exactly one answer: the operation that takes a
//! caller out of the list, settling or cancellation, answers it.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::call::CallId;
use crate::definition::CancellationPolicy;
use crate::error::ToolError;
use crate::response::ToolResponse;

/// The answer to one caller.
#[derive(Debug, Clone)]
pub enum CallerAnswer {
    /// The execution settled, or its deadline passed.
    Settled {
        /// The response, as the call that started the execution gets it.
        response: Arc<ToolResponse>,
        /// True for one caller: the call that started the execution, or the longest waiting one if that was cancelled.
        first: bool,
    },
    /// The caller was cancelled.
    Cancelled(CancelledCall),
    /// The call is refused for this reason.
    Refused(Arc<ToolError>),
}

/// The answer to a cancelled caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelledCall {
    /// The reason that the cancellation gave.
    pub reason: String,
    /// The effect on the execution.
    pub effect: CancellationEffect,
}

/// The effect of a cancellation on the execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancellationEffect {
    /// The execution has not run, or was aborted and changes nothing.
    Aborted,
    /// The execution runs on, for other callers or for a cache.
    Continues,
    /// A started write: its outcome is unknown until it ends.
    Unknown,
}

impl CancellationEffect {
    /// The value of `details.outcome`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aborted => "aborted",
            Self::Continues => "continues",
            Self::Unknown => "unknown",
        }
    }
}

/// The host's number of one caller: unique among the callers that wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallerNumber(pub u32);

/// Receives the answer of one caller.
pub type AnswerReceiver = Box<dyn FnOnce(CallerAnswer) + Send>;

struct Caller {
    id: Option<CallId>,
    number: Option<CallerNumber>,
    receive: AnswerReceiver,
}

/// The execution of one record.
pub struct Execution {
    when_cancelled: CancellationPolicy,
    /// `None` once the execution has answered.
    callers: Mutex<Option<Vec<Caller>>>,
    /// The ids of the callers that were answered early; `None` if none was.
    answered_early: Mutex<Option<Vec<CallId>>>,
    /// The token that completes the call from elsewhere, once its handler has asked for it, and what the store keeps of it.
    pub completion_token: OnceLock<(Box<str>, Arc<str>)>,
    phase: Mutex<ExecutionPhase>,
    /// Notifies of a new phase.
    phase_changed: Notify,
}

/// The phase of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ExecutionPhase {
    /// Without a slot or prepared arguments: nothing has run.
    Waiting,
    Running,
    /// The handler is to stop; the reason.
    Stopping(String),
    /// The callers are answered, and the record is settled or gone.
    Closed,
}

impl Execution {
    /// An execution that runs at once, without callers.
    #[must_use]
    pub fn running(when_cancelled: CancellationPolicy) -> Self {
        Self::in_phase(ExecutionPhase::Running, when_cancelled)
    }

    /// An execution that waits for a slot, or for its arguments. Until it begins, cancelling its last caller aborts it, also a write.
    #[must_use]
    pub fn waiting(when_cancelled: CancellationPolicy) -> Self {
        Self::in_phase(ExecutionPhase::Waiting, when_cancelled)
    }

    fn in_phase(phase: ExecutionPhase, when_cancelled: CancellationPolicy) -> Self {
        let callers = Mutex::new(Some(Vec::with_capacity(1)));
        Self {
            when_cancelled,
            callers,
            answered_early: Mutex::default(),
            completion_token: OnceLock::new(),
            phase: Mutex::new(phase),
            phase_changed: Notify::new(),
        }
    }

    /// Changes the phase if `next` returns one. Returns whether it did.
    fn advance(&self, next: impl FnOnce(&ExecutionPhase) -> Option<ExecutionPhase>) -> bool {
        let changed = {
            let mut phase = self.phase.lock();
            next(&phase).map(|next| *phase = next).is_some()
        };
        // Outside of the lock: a woken task locks the phase at once.
        if changed {
            self.phase_changed.notify_waiters();
        }
        changed
    }

    /// Waits for a phase for which `look` returns a value.
    async fn wait_for<T>(&self, look: impl Fn(&ExecutionPhase) -> Option<T>) -> T {
        loop {
            // Created before the phase is read, so that no later change is missed.
            let changed = self.phase_changed.notified();
            if let Some(found) = look(&self.phase.lock()) {
                return found;
            }
            changed.await;
        }
    }

    /// Starts the execution once it has a slot. False if it was cancelled before: the handler must not run.
    pub fn begin(&self) -> bool {
        // With the callers locked: a cancellation comes before or after this, never in between.
        let _callers = self.callers.lock();
        self.advance(|phase| (*phase == ExecutionPhase::Waiting).then_some(ExecutionPhase::Running))
    }

    /// Adds a caller. Gives its receiver back once the execution has answered: its record has the result then.
    ///
    /// # Errors
    /// The receiver.
    pub fn join(
        &self,
        id: Option<CallId>,
        number: Option<CallerNumber>,
        receive: AnswerReceiver,
    ) -> Result<(), AnswerReceiver> {
        match self.callers.lock().as_mut() {
            Some(callers) => callers.push(Caller { id, number, receive }),
            None => return Err(receive),
        }
        Ok(())
    }

    /// Answers every caller with the response, and closes.
    pub fn publish(&self, response: &Arc<ToolResponse>) {
        let callers = self.callers.lock().take().unwrap_or_default();
        for (place, caller) in callers.into_iter().enumerate() {
            (caller.receive)(CallerAnswer::Settled { response: Arc::clone(response), first: place == 0 });
        }
        self.advance(|_| Some(ExecutionPhase::Closed));
    }

    /// Answers every caller that waits with what is known, and runs on.
    pub fn answer_early(&self, running: &Arc<ToolResponse>) {
        let callers = self.callers.lock().as_mut().map(std::mem::take).unwrap_or_default();
        let ids = callers.iter().filter_map(|caller| caller.id.clone());
        self.answered_early.lock().get_or_insert_default().extend(ids);
        for (place, caller) in callers.into_iter().enumerate() {
            (caller.receive)(CallerAnswer::Settled { response: Arc::clone(running), first: place == 0 });
        }
    }

    /// Whether a caller waits for the answer.
    #[must_use]
    pub fn has_callers(&self) -> bool {
        self.callers.lock().as_ref().is_some_and(|callers| !callers.is_empty())
    }

    /// Whether callers were answered early.
    #[must_use]
    pub fn has_answered_early(&self) -> bool {
        self.answered_early.lock().is_some()
    }

    /// Cancels the callers of an id, or the call itself if they have been answered. `None` if the id is unknown.
    pub fn cancel_with_effect(&self, id: &str, reason: &str) -> Option<CancellationEffect> {
        let knows = |ids: &Vec<CallId>| ids.iter().any(|known| known.as_str() == id);
        let was_answered = self.answered_early.lock().as_ref().is_some_and(knows);
        let waiting = self.callers.lock().as_ref().map_or(0, Vec::len);
        if was_answered {
            let effect = self.cancellation_effect(waiting);
            if effect == CancellationEffect::Aborted {
                self.stop(reason);
            }
            return Some(effect);
        }
        let effect = self.cancellation_effect(waiting.saturating_sub(1));
        self.cancel(id, reason).then_some(effect)
    }

    /// Stops the handler if its callers have been answered and it may be stopped.
    pub fn stop_if_answered(&self, reason: &str) {
        if self.has_answered_early() && self.cancellation_effect(0) == CancellationEffect::Aborted {
            self.stop(reason);
        }
    }

    /// Answers every caller with an error, because there is no response, and closes.
    pub fn refuse(&self, error: &ToolError) {
        let error = Arc::new(error.clone());
        for caller in self.callers.lock().take().unwrap_or_default() {
            (caller.receive)(CallerAnswer::Refused(Arc::clone(&error)));
        }
        self.advance(|_| Some(ExecutionPhase::Closed));
    }

    /// Cancels every caller that still waits, and closes.
    pub fn close(&self, reason: &str) {
        self.cancel_all(reason);
        self.callers.lock().take();
        self.advance(|_| Some(ExecutionPhase::Closed));
    }

    /// Cancels the callers of an id. False if none waits.
    pub fn cancel(&self, id: &str, reason: &str) -> bool {
        self.cancel_where(reason, |caller| caller.id.as_ref().is_some_and(|known| known.as_str() == id)) > 0
    }

    /// Cancels one caller. False if it does not wait here.
    pub fn cancel_caller(&self, number: CallerNumber, reason: &str) -> bool {
        self.cancel_where(reason, |caller| caller.number == Some(number)) > 0
    }

    /// Cancels every caller. Returns how many there were.
    pub fn cancel_all(&self, reason: &str) -> usize {
        self.cancel_where(reason, |_| true)
    }

    /// Asks the handler to stop, also a write: for a deadline, or at the end of the gate.
    pub fn stop(&self, reason: &str) {
        self.advance(|phase| {
            matches!(phase, ExecutionPhase::Waiting | ExecutionPhase::Running)
                .then(|| ExecutionPhase::Stopping(reason.to_owned()))
        });
    }

    /// Whether the execution was asked to stop and is not closed yet.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        matches!(*self.phase.lock(), ExecutionPhase::Stopping(_))
    }

    /// Resolves with the reason when the handler is to stop.
    pub async fn aborted(&self) -> String {
        self.wait_for(|phase| match phase {
            ExecutionPhase::Waiting | ExecutionPhase::Running => None,
            ExecutionPhase::Stopping(reason) => Some(reason.clone()),
            ExecutionPhase::Closed => Some(String::new()),
        })
        .await
    }

    /// Resolves when the execution is closed: its record is settled or gone.
    pub async fn closed(&self) {
        self.wait_for(|phase| (*phase == ExecutionPhase::Closed).then_some(())).await;
    }

    fn cancel_where(&self, reason: &str, is_meant: impl Fn(&Caller) -> bool) -> usize {
        let mut guard = self.callers.lock();
        let Some(callers) = guard.as_mut() else { return 0 };
        let (cancelled, remaining): (Vec<Caller>, Vec<Caller>) =
            std::mem::take(callers).into_iter().partition(is_meant);
        let effect = self.cancellation_effect(remaining.len());
        *callers = remaining;
        let count = cancelled.len();
        if count > 0 && effect == CancellationEffect::Aborted {
            self.stop(reason);
        }
        drop(guard);
        for caller in cancelled {
            (caller.receive)(CallerAnswer::Cancelled(CancelledCall { reason: reason.to_owned(), effect }));
        }
        count
    }

    /// The effect of a cancellation after which `others` callers still wait.
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
mod tests;
