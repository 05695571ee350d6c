//! Calls that handlers make: through the same gate as a model's, named after the call that makes them, counted in its
//! turn, in its slot, in what is left of its time, and over when it is over.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::time::Instant;

use super::session::Session;
use crate::admit::CallHeader;
use crate::call::{RawArgs, RawCall};
use crate::response::ToolResponse;
use crate::run::InvocationId;
use crate::run::execution::{CancellationEffect, CancelledCall, Execution};
use crate::session::parent_call::ParentCall;

const PARENT_ENDED: &str = "the call that made it is over";

/// One attempt whose handler may make calls.
#[derive(Debug)]
pub(super) struct ParentAttempt {
    pub(super) parent: Arc<ParentCall>,
    /// What it has made; `None` once it is over.
    executions: Mutex<Option<Vec<Weak<Execution>>>>,
}

impl ParentAttempt {
    /// One more call of its handler runs.
    pub(super) fn register(&self, execution: &Arc<Execution>) {
        match self.executions.lock().as_mut() {
            Some(made) => made.push(Arc::downgrade(execution)),
            None => drop(execution.cancel_all(PARENT_ENDED)),
        }
    }

    /// Its handler is not waited for any more: neither is what it made.
    fn end(&self) {
        let made = self.executions.lock().take().unwrap_or_default();
        for execution in made.iter().filter_map(Weak::upgrade) {
            execution.cancel_all(PARENT_ENDED);
        }
    }
}

/// The attempts of one session, by the starts of their handlers. Few run at once: a list is quicker than a map.
#[derive(Debug, Default)]
pub(super) struct ParentAttempts(Mutex<Vec<(InvocationId, Arc<ParentAttempt>)>>);

/// One attempt, until it is dropped.
pub(super) struct ParentAttemptGuard<'a> {
    callings: &'a ParentAttempts,
    id: InvocationId,
}

impl ParentAttempts {
    pub(super) fn begin(&self, id: InvocationId, parent: ParentCall) -> ParentAttemptGuard<'_> {
        let calling = ParentAttempt { parent: Arc::new(parent), executions: Mutex::new(Some(Vec::new())) };
        self.0.lock().push((id, Arc::new(calling)));
        ParentAttemptGuard { callings: self, id }
    }

    fn get(&self, id: InvocationId) -> Option<Arc<ParentAttempt>> {
        self.0.lock().iter().find(|(known, _)| *known == id).map(|(_, calling)| Arc::clone(calling))
    }
}

impl Drop for ParentAttemptGuard<'_> {
    fn drop(&mut self) {
        // The list is let go first: a cancelled caller's own task may come back here.
        let calling = {
            let mut callings = self.callings.0.lock();
            let place = callings.iter().position(|(id, _)| *id == self.id);
            place.map(|place| callings.swap_remove(place).1)
        };
        if let Some(calling) = calling {
            calling.end();
        }
    }
}

impl Session {
    /// Takes a call that a handler makes through the gate. Always exactly one answer, and never a confirmation's token:
    /// the host finds it among the questions that wait.
    pub async fn call_nested(&self, invocation: InvocationId, name: String, args: RawArgs) -> ToolResponse {
        let received = Instant::now();
        let call = RawCall { id: None, name, args };
        let Some(calling) = self.open.parent_attempts.get(invocation) else {
            return self.parent_ended(&call, received, None);
        };
        let ToolResponse { outcome, meta } =
            Arc::unwrap_or_clone(self.execute_call(call, received, Some(&calling)).await);
        ToolResponse { outcome: outcome.without_token(), meta }
    }

    /// Whether the attempt goes on that a call was made in.
    pub(super) fn is_running(&self, calling: &ParentAttempt) -> bool {
        calling.executions.lock().is_some() && !self.gate.is_closing()
    }

    /// A call of a handler that has been given up, or had ended: nothing is looked at, recorded or debited.
    pub(super) fn parent_ended(
        &self,
        call: &RawCall,
        received: Instant,
        calling: Option<&ParentAttempt>,
    ) -> ToolResponse {
        let tools = self.attachment.tools();
        let mut header = CallHeader::new(&self.admission_context(&tools, calling), call, received);
        header.tool = tools.get(&call.name).cloned();
        self.cancelled_response(
            &header,
            &CancelledCall { reason: PARENT_ENDED.to_owned(), effect: CancellationEffect::Aborted },
        )
    }
}
