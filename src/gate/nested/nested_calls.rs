//! Nested calls: calls that handlers make. They pass the same gate as a model's calls, but belong to the parent call:
//! to its turn, its slot and the rest of its deadline. They are cancelled when it ends.

use std::sync::{Arc, Weak};

use crate::admit::{AdmittedCall, CallHeader, args_for_another_run};
use crate::run::InvocationId;
use crate::run::execution::{AnswerReceiver, Execution};
use crate::session::parent_call::ParentCall;
use crate::store::Token;
use parking_lot::Mutex;

pub(in crate::gate) const PARENT_ENDED: &str = "the call that made it is over";

/// One attempt whose handler may make calls.
pub(in crate::gate) struct ParentAttempt {
    pub(in crate::gate) parent: Arc<ParentCall>,
    pub(in crate::gate) header: Arc<CallHeader>,
    /// The execution that the attempt is of.
    pub(in crate::gate) execution: Arc<Execution>,
    /// The arguments, if the call may run again once its claim is lost.
    pub(in crate::gate) args: Option<Arc<str>>,
    /// The executions of its calls; `None` once the attempt has ended.
    executions: Mutex<Option<Vec<Weak<Execution>>>>,
}

impl ParentAttempt {
    /// Registers a running call of the handler.
    pub(in crate::gate) fn register(&self, execution: &Arc<Execution>) {
        match self.executions.lock().as_mut() {
            Some(executions) => executions.push(Arc::downgrade(execution)),
            None => drop(execution.cancel_all(PARENT_ENDED)),
        }
    }

    /// Whether its handler still runs.
    pub(in crate::gate) fn is_running(&self) -> bool {
        self.executions.lock().is_some()
    }

    /// Ends the attempt: cancels the callers of its handler's calls.
    fn end(&self) {
        let executions = self.executions.lock().take().unwrap_or_default();
        for execution in executions.iter().filter_map(Weak::upgrade) {
            execution.cancel_all(PARENT_ENDED);
        }
    }
}

/// The running attempts of one session. Few run at once: a list is faster than a map.
#[derive(Default)]
pub(in crate::gate) struct ParentAttempts {
    running: Mutex<Vec<(InvocationId, Arc<ParentAttempt>)>>,
    /// The calls that wait for their users.
    waiting: Mutex<Vec<Arc<WaitingEntry>>>,
}

struct WaitingEntry {
    /// Of the question. Equal calls have one question.
    token: Token,
    attempt: Arc<ParentAttempt>,
    /// Of its caller; `None` once the caller waits for the confirmed call itself.
    receiver: Mutex<Option<AnswerReceiver>>,
}

/// A call that waits for its user, until this is dropped.
pub(in crate::gate) struct WaitingCall<'a> {
    attempts: &'a ParentAttempts,
    entry: Arc<WaitingEntry>,
}

impl WaitingCall<'_> {
    /// The receiver of its answer. `None` if its caller waits for the confirmed call already.
    pub(in crate::gate) fn take_receiver(&self) -> Option<AnswerReceiver> {
        self.entry.receiver.lock().take()
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        self.attempts.waiting.lock().retain(|other| !Arc::ptr_eq(other, &self.entry));
    }
}

/// A registered attempt; ends when it is dropped.
pub(in crate::gate) struct ParentAttemptGuard {
    attempts: Arc<ParentAttempts>,
    id: InvocationId,
}

impl ParentAttempts {
    pub(in crate::gate) fn begin(
        self: &Arc<Self>,
        id: InvocationId,
        call: &AdmittedCall,
        execution: &Arc<Execution>,
        parent: ParentCall,
    ) -> ParentAttemptGuard {
        let parent_attempt = ParentAttempt {
            parent: Arc::new(parent),
            header: Arc::clone(&call.header),
            execution: Arc::clone(execution),
            args: args_for_another_run(call),
            executions: Mutex::new(Some(Vec::new())),
        };
        self.running.lock().push((id, Arc::new(parent_attempt)));
        ParentAttemptGuard { attempts: Arc::clone(self), id }
    }

    pub(in crate::gate) fn get(&self, id: InvocationId) -> Option<Arc<ParentAttempt>> {
        self.running.lock().iter().find(|(known, _)| *known == id).map(|(_, parent_attempt)| Arc::clone(parent_attempt))
    }

    /// Notes that a call of the attempt waits for its user.
    pub(in crate::gate) fn wait(
        &self,
        token: &Token,
        attempt: &Arc<ParentAttempt>,
        receiver: AnswerReceiver,
    ) -> WaitingCall<'_> {
        let (token, attempt) = (Token::clone(token), Arc::clone(attempt));
        let entry = Arc::new(WaitingEntry { token, attempt, receiver: Mutex::new(Some(receiver)) });
        self.waiting.lock().push(Arc::clone(&entry));
        WaitingCall { attempts: self, entry }
    }

    fn waiting_for(&self, token: &str) -> Vec<Arc<WaitingEntry>> {
        self.waiting.lock().iter().filter(|entry| *entry.token == *token).cloned().collect()
    }

    /// The attempt whose call the confirmed call of this question is. `None` if none waits for it, or several do.
    pub(in crate::gate) fn parent_of(&self, token: &str) -> Option<Arc<ParentAttempt>> {
        let entries = self.waiting_for(token);
        let mut attempts = entries.iter().map(|entry| &entry.attempt).filter(|attempt| attempt.is_running());
        let first = attempts.next()?;
        attempts.all(|other| Arc::ptr_eq(first, other)).then(|| Arc::clone(first))
    }

    /// Has the callers that wait for this question's answer wait for the confirmed call itself.
    pub(in crate::gate) fn join(&self, token: &str, execution: &Execution) {
        for entry in self.waiting_for(token) {
            let mut receiver = entry.receiver.lock();
            *receiver = receiver.take().and_then(|receive| execution.join(None, None, receive).err());
        }
    }

    /// The questions that only ended attempts wait for.
    pub(in crate::gate) fn left_questions(&self) -> Vec<Token> {
        let waiting = self.waiting.lock();
        let is_awaited =
            |token: &Token| waiting.iter().any(|entry| entry.token == *token && entry.attempt.is_running());
        waiting.iter().map(|entry| &entry.token).filter(|token| !is_awaited(token)).cloned().collect()
    }
}

impl Drop for ParentAttemptGuard {
    fn drop(&mut self) {
        // The lock is released first: a cancelled caller's own task may come back here.
        let parent_attempt = {
            let mut attempts = self.attempts.running.lock();
            let place = attempts.iter().position(|(id, _)| *id == self.id);
            place.map(|place| attempts.swap_remove(place).1)
        };
        if let Some(parent_attempt) = parent_attempt {
            parent_attempt.end();
        }
    }
}
