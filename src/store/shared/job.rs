//! Jobs: store operations on a session's document, with the reply to the caller.

use tokio::sync::oneshot;

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::store::StoreError;
use crate::store::document::{OperationOutput, OperationResult, SessionDocument};
use crate::store::rows::{RowKey, Rows};

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
    jobs: impl Iterator<Item = &'a mut Box<dyn StoreJob>>,
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

/// One operation on one session.
pub(super) trait StoreJob: Send {
    /// The session of the job.
    fn session(&self) -> &SessionId;
    /// The rows that the job will read: a server fetches them with the document.
    fn needed_rows(&self) -> &[RowKey];
    /// Whether the rows that the job will read are most likely absent, so that a server need not be asked for them.
    fn expects_new_rows(&self) -> bool;
    /// Whether the caller no longer waits, so that the job must not start.
    fn is_abandoned(&self) -> bool;
    /// Whether the job is a probe of a store that has failed repeatedly: it is tried only once.
    fn is_probe(&self) -> bool;
    /// Whether the operation usually changes nothing, so that it needs no lock against other writers.
    fn is_look(&self) -> bool;
    /// Applies the operation. Returns true if there is something to commit. It may be applied again, on another
    /// document, until the commit succeeds.
    fn apply(&mut self, slot: &mut Option<SessionDocument>, rows: &mut dyn Rows, context: JobContext) -> bool;
    /// Whether the job is to be revoked if too few replicas have it: a claim of a write.
    fn needs_replicas(&self) -> bool;
    /// Fails this job alone after it was committed: it is undone.
    fn revoke(&mut self, error: StoreError);
    /// Sets a failure of this job alone as its result.
    fn reject(&mut self, error: StoreError);
    /// Replies with the result of the last application, or with the store's failure. Returns the job that undoes it if
    /// its caller no longer waits.
    fn finish(self: Box<Self>, committed: Result<(), StoreError>) -> Option<Box<dyn StoreJob>>;
}

/// The rows that a job will read.
#[derive(Default)]
struct NeededRows {
    keys: Vec<RowKey>,
    /// Whether they are most likely absent.
    are_new: bool,
}

type Undo<T> = Box<dyn FnOnce(T) -> Option<Box<dyn StoreJob>> + Send>;

/// A job that applies a plain function.
pub(super) struct FunctionJob<T, F> {
    session: SessionId,
    asked_at: EpochMs,
    needed_rows: NeededRows,
    operation: F,
    result: Result<T, StoreError>,
    reply: Reply<T>,
    runs_if_abandoned: bool,
    needs_replicas: bool,
    revoked: Option<StoreError>,
    is_look: bool,
    undo: Option<Undo<T>>,
}

impl<T, F> FunctionJob<T, F>
where
    F: FnMut(&mut Option<SessionDocument>, &mut dyn Rows, HashKey, EpochMs) -> OperationResult<T>,
{
    pub(super) fn new(session: SessionId, asked_at: EpochMs, reply: Reply<T>, operation: F) -> Self {
        let done = Err(StoreError::Failed("it was not done".to_owned()));
        Self {
            session,
            asked_at,
            needed_rows: NeededRows::default(),
            operation,
            result: done,
            reply,
            runs_if_abandoned: false,
            needs_replicas: false,
            revoked: None,
            is_look: false,
            undo: None,
        }
    }

    /// Names rows that the operation will read.
    pub(super) fn with_rows(self, keys: Vec<RowKey>) -> Self {
        Self { needed_rows: NeededRows { keys, are_new: false }, ..self }
    }

    /// Names rows that the operation will read, and that are most likely absent.
    pub(super) fn with_new_rows(self, keys: Vec<RowKey>) -> Self {
        Self { needed_rows: NeededRows { keys, are_new: true }, ..self }
    }

    /// Runs the job even if its caller no longer waits.
    pub(super) fn even_if_abandoned(self) -> Self {
        Self { runs_if_abandoned: true, ..self }
    }

    /// Revokes the job if too few replicas have it.
    pub(super) fn with_replicas(self, needs_replicas: bool) -> Self {
        Self { needs_replicas, ..self }
    }

    /// Notes that the operation usually changes nothing.
    pub(super) fn into_look(self) -> Self {
        Self { is_look: true, ..self }
    }

    /// Undoes the job if it was committed and its caller no longer waits, or if it was revoked.
    pub(super) fn with_undo(self, undo: impl FnOnce(T) -> Option<Box<dyn StoreJob>> + Send + 'static) -> Self {
        Self { undo: Some(Box::new(undo)), ..self }
    }
}

impl<T, F> StoreJob for FunctionJob<T, F>
where
    T: Send,
    F: FnMut(&mut Option<SessionDocument>, &mut dyn Rows, HashKey, EpochMs) -> OperationResult<T> + Send,
{
    fn session(&self) -> &SessionId {
        &self.session
    }

    fn needed_rows(&self) -> &[RowKey] {
        &self.needed_rows.keys
    }

    fn expects_new_rows(&self) -> bool {
        self.needed_rows.are_new
    }

    fn is_abandoned(&self) -> bool {
        !self.runs_if_abandoned && self.reply.sender.is_closed()
    }

    fn is_probe(&self) -> bool {
        self.reply.is_probe
    }

    fn is_look(&self) -> bool {
        self.is_look
    }

    fn apply(&mut self, slot: &mut Option<SessionDocument>, rows: &mut dyn Rows, context: JobContext) -> bool {
        let now = context.now.unwrap_or(self.asked_at);
        match (self.operation)(slot, rows, context.fingerprint_key, now) {
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

    fn needs_replicas(&self) -> bool {
        self.needs_replicas
    }

    fn revoke(&mut self, error: StoreError) {
        self.revoked = Some(error);
    }

    fn reject(&mut self, error: StoreError) {
        self.result = Err(error);
    }

    fn finish(self: Box<Self>, committed: Result<(), StoreError>) -> Option<Box<dyn StoreJob>> {
        let Self { result: done, reply, undo, revoked, .. } = *self;
        if let (Some(error), Ok(()), Ok(_)) = (revoked, &committed, &done) {
            // The caller may be gone; the job is undone either way.
            let _ = reply.send(Err(error));
            return undo?(done.ok()?);
        }
        match reply.send(committed.and(done)) {
            Err(Ok(unheard)) => undo?(unheard),
            Ok(()) | Err(Err(_)) => None,
        }
    }
}
