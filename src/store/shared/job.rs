//! An operation on its way: what is done to a session's document, and who waits for the answer.

use tokio::sync::oneshot;

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::SketchKey;
use crate::store::StoreError;
use crate::store::document::{Answers, Document, Done, Step};

/// To whoever waits.
pub(super) struct Reply<T> {
    to: oneshot::Sender<Result<T, StoreError>>,
    is_probe: bool,
}

impl<T> Reply<T> {
    /// `is_probe` where the store is asked only to see if it works again.
    pub(super) fn new(is_probe: bool) -> (Self, oneshot::Receiver<Result<T, StoreError>>) {
        let (to, answer) = oneshot::channel();
        (Self { to, is_probe }, answer)
    }

    /// Gives the answer back where nobody waits.
    pub(super) fn send(self, answer: Result<T, StoreError>) -> Result<(), Result<T, StoreError>> {
        self.to.send(answer)
    }
}

/// Where and when a job is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bench {
    /// The store's own time; `None` where the callers' holds.
    pub(super) now: Option<EpochMs>,
    /// The installation's.
    pub(super) sketches: SketchKey,
}

/// One operation on one session.
pub(super) trait Job: Send {
    /// Whose document it works on.
    fn session(&self) -> &SessionId;
    /// Whether nobody waits for it any more, so that it is not to be begun.
    fn is_given_up(&self) -> bool;
    /// Whether it is to be tried once: the store has failed again and again, and is asked if it works.
    fn is_probe(&self) -> bool;
    /// Does it. True where there is something to commit. It may be done again, on another document, until it is committed.
    fn apply(&mut self, slot: &mut Option<Document>, answers: &mut dyn Answers, bench: Bench) -> bool;
    /// Tells what came of it: of the last time it was applied, or of the store's failure. Returns what undoes it, where it
    /// was done for nobody.
    fn finish(self: Box<Self>, committed: Result<(), StoreError>) -> Option<Box<dyn Job>>;
}

type Undo<T> = Box<dyn FnOnce(T) -> Option<Box<dyn Job>> + Send>;

/// A job around a plain function.
pub(super) struct Task<T, F> {
    session: SessionId,
    asked_at: EpochMs,
    operation: F,
    done: Result<T, StoreError>,
    reply: Reply<T>,
    even_unheard: bool,
    undo: Option<Undo<T>>,
}

impl<T, F> Task<T, F>
where
    F: FnMut(&mut Option<Document>, &mut dyn Answers, SketchKey, EpochMs) -> Done<T>,
{
    pub(super) fn new(session: SessionId, asked_at: EpochMs, reply: Reply<T>, operation: F) -> Self {
        let done = Err(StoreError::Failed("it was not done".to_owned()));
        Self { session, asked_at, operation, done, reply, even_unheard: false, undo: None }
    }

    /// It is done even where nobody waits for it.
    pub(super) fn even_unheard(self) -> Self {
        Self { even_unheard: true, ..self }
    }

    /// Where it was done and nobody hears of it, it is undone.
    pub(super) fn undone_by(self, undo: impl FnOnce(T) -> Option<Box<dyn Job>> + Send + 'static) -> Self {
        Self { undo: Some(Box::new(undo)), ..self }
    }
}

impl<T, F> Job for Task<T, F>
where
    T: Send,
    F: FnMut(&mut Option<Document>, &mut dyn Answers, SketchKey, EpochMs) -> Done<T> + Send,
{
    fn session(&self) -> &SessionId {
        &self.session
    }

    fn is_given_up(&self) -> bool {
        !self.even_unheard && self.reply.to.is_closed()
    }

    fn is_probe(&self) -> bool {
        self.reply.is_probe
    }

    fn apply(&mut self, slot: &mut Option<Document>, answers: &mut dyn Answers, bench: Bench) -> bool {
        let now = bench.now.unwrap_or(self.asked_at);
        match (self.operation)(slot, answers, bench.sketches, now) {
            Ok(Step { answer, changed }) => {
                self.done = Ok(answer);
                changed
            }
            Err(error) => {
                self.done = Err(error);
                false
            }
        }
    }

    fn finish(self: Box<Self>, committed: Result<(), StoreError>) -> Option<Box<dyn Job>> {
        let Self { done, reply, undo, .. } = *self;
        match reply.send(committed.and(done)) {
            Err(Ok(unheard)) => undo?(unheard),
            Ok(()) | Err(Err(_)) => None,
        }
    }
}
