//! Jobs: store operations on a session's document, with the reply to the caller.

use tokio::sync::oneshot;

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::store::document::{OperationOutput, SessionDocument};
use crate::store::error::StoreError;
use crate::store::operation::Request;
use crate::store::operation::{Answer, Operation};
use crate::store::rows::Rows;

/// The reply to a caller.
pub(super) struct Reply<T> {
    sender: oneshot::Sender<Result<T, StoreError>>,
    is_probe: bool,
}

impl<T> Reply<T> {
    /// `is_probe` marks an operation that only tests whether the store works again.
    pub(super) fn new(is_probe: bool) -> (Self, oneshot::Receiver<Result<T, StoreError>>) {
        let (to, answer) = oneshot::channel();
        (Self { sender: to, is_probe }, answer)
    }

    /// Sends the answer. Returns it if the caller no longer waits.
    pub(super) fn send(self, answer: Result<T, StoreError>) -> Result<(), Result<T, StoreError>> {
        self.sender.send(answer)
    }
}

/// The context of a job: the store's time and key.
#[derive(Debug, Clone, Copy)]
pub(super) struct JobContext {
    /// The store's own time; `None` if the callers' time is used.
    pub(super) now: Option<EpochMs>,
    /// The installation's fingerprint key.
    pub(super) fingerprint_key: HashKey,
}

/// Applies jobs to a session. Returns true if there is something to commit.
pub(super) fn apply_all<'a>(
    jobs: impl Iterator<Item = &'a mut Box<StoreJob>>,
    slot: &mut Option<SessionDocument>,
    rows: &mut dyn Rows,
    context: JobContext,
) -> bool {
    let mut changed = false;
    for job in jobs {
        changed |= job.apply(slot, rows, context);
    }
    changed
}

/// An operation with the reply to its caller.
pub(super) struct StoreJob {
    operation: Operation,
    /// The result of the last application.
    result: Result<Answer, StoreError>,
    revoked: Option<StoreError>,
    reply: Reply<Answer>,
}

impl StoreJob {
    pub(super) fn new(operation: Operation, reply: Reply<Answer>) -> Self {
        let result = Err(StoreError::Failed("it was not done".to_owned()));
        Self { operation, result, revoked: None, reply }
    }

    pub(super) const fn operation(&self) -> &Operation {
        &self.operation
    }

    pub(super) fn session(&self) -> &SessionId {
        self.operation.session()
    }

    /// Whether the caller no longer waits, so that the job must not start.
    pub(super) fn is_abandoned(&self) -> bool {
        !self.operation.outlives_its_caller() && self.reply.sender.is_closed()
    }

    /// Whether the job is a probe of a store that has failed repeatedly: it is tried only once.
    pub(super) const fn is_probe(&self) -> bool {
        self.reply.is_probe
    }

    /// Applies the operation. Returns true if there is something to commit. It may be applied again, on another
    /// document, until the commit succeeds.
    pub(super) fn apply(
        &mut self,
        slot: &mut Option<SessionDocument>,
        rows: &mut dyn Rows,
        context: JobContext,
    ) -> bool {
        let now = context.now.unwrap_or_else(|| self.operation.asked_at());
        match self.operation.clone().apply_in(slot, rows, context.fingerprint_key, now) {
            Ok(OperationOutput { answer, changed }) => {
                self.result = Ok(answer);
                changed
            }
            Err(error) => {
                self.result = Err(error);
                false
            }
        }
    }

    /// Fails this job alone after it was committed: it is undone.
    pub(super) fn revoke(&mut self, error: StoreError) {
        self.revoked = Some(error);
    }

    /// Sets a failure of this job alone as its result.
    pub(super) fn reject(&mut self, error: StoreError) {
        self.result = Err(error);
    }

    /// The result of the committed job, without a reply.
    pub(super) fn into_result(self) -> Result<Answer, StoreError> {
        self.revoked.map_or(self.result, Err)
    }

    /// Replies with the result of the last application, or with the store's failure. Returns the job that undoes it if
    /// it was committed and its caller no longer waits, or if it was revoked.
    pub(super) fn finish(self, committed: Result<(), StoreError>) -> Option<Box<Self>> {
        let Self { operation, result, revoked, reply } = self;
        let unheard = match (revoked, committed.and(result)) {
            (Some(error), Ok(answer)) => {
                // The caller may be gone; the job is undone either way.
                let _ = reply.send(Err(error));
                answer
            }
            (_, done) => reply.send(done).err()?.ok()?,
        };
        let undoing = operation.undoing(&unheard)?;
        let (reply, _) = Reply::new(false);
        Some(Box::new(Self::new(undoing, reply)))
    }
}
