//! Long arguments become a value in JavaScript before their handler starts: in slices, over several turns of the event
//! loop, since `JSON.parse` of the whole text would hold up everything else on the thread. See decision 060.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::messages::{MessageQueue, NativeMessage};
use crate::call::KeptArgs;
use crate::json::{Limits, Tape, slice_steps};
use crate::run::{PreparationFuture, PreparedArgs};

/// The size of a text, in bytes, from which on it is parsed in slices.
const SLICED_BYTES: usize = 256 * 1024;

/// The size of a slice: `JSON.parse` takes up to half a millisecond for it.
const SLICE_BYTES: usize = 64 * 1024;

/// Whether arguments are parsed in slices.
pub(super) const fn is_sliced(args: &str) -> bool {
    args.len() >= SLICED_BYTES
}

/// The steps to parse a text in slices; `None` if it is parsed as a whole.
pub(super) fn steps_if_sliced(tape: &Tape) -> Option<String> {
    if is_sliced(tape.text()) { slice_steps(tape, SLICE_BYTES) } else { None }
}

/// The preparations of one JavaScript thread.
pub(super) struct Preparations {
    messages: Arc<MessageQueue>,
    next_id: AtomicU64,
    /// The waiting future of each preparation.
    waiting: Mutex<HashMap<u64, oneshot::Sender<()>>>,
}

impl Preparations {
    pub(super) fn new(messages: Arc<MessageQueue>) -> Self {
        Self { messages, next_id: AtomicU64::new(1), waiting: Mutex::default() }
    }

    /// Prepares arguments; `None` if they are parsed as a whole when their handler starts.
    pub(super) fn prepare(self: &Arc<Self>, args: &Arc<str>, kept: Option<&KeptArgs>) -> Option<PreparationFuture> {
        if !is_sliced(args) {
            return None;
        }
        let kept = kept.and_then(|kept| Some((kept, self.messages.keeps_in_slices(kept.id)?)));
        if matches!(kept, Some((_, false))) {
            return None;
        }
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (is_ready, ready) = oneshot::channel();
        self.waiting.lock().insert(id, is_ready);
        match kept {
            Some((kept, _)) => {
                let edits = kept.edits.clone().unwrap_or_default();
                self.messages.push(NativeMessage::PrepareKept { id, call_number: kept.id, edits });
            }
            None => self.prepare_text(id, Arc::clone(args)),
        }
        Some(Box::pin(Preparation { id, ready, preparations: Arc::clone(self), is_finished: false }))
    }

    /// Finds the slices of a text on a worker, and lets JavaScript parse them.
    fn prepare_text(self: &Arc<Self>, id: u64, args: Arc<str>) {
        let preparations = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let steps = Tape::parse(&*args, &Limits::widest()).ok().and_then(|tape| steps_if_sliced(&tape));
            let waiting = preparations.waiting.lock();
            if waiting.contains_key(&id) {
                let steps = steps.unwrap_or_default();
                preparations.messages.push(NativeMessage::PrepareText { id, args, steps });
            }
        });
    }

    /// Notes that JavaScript has the value. Ignored if nothing waits for it any more.
    pub(super) fn ready(&self, id: u64) {
        if let Some(waiting) = self.waiting.lock().remove(&id) {
            // The preparation may have been dropped meanwhile.
            let _ = waiting.send(());
        }
    }

    fn discard(&self, id: u64) {
        self.waiting.lock().remove(&id);
        self.messages.push(NativeMessage::Discard { id });
    }
}

/// Waits for the value. Dropping it before lets JavaScript forget the value.
struct Preparation {
    id: u64,
    ready: oneshot::Receiver<()>,
    preparations: Arc<Preparations>,
    is_finished: bool,
}

impl Future for Preparation {
    type Output = Arc<PreparedArgs>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The sender is dropped only with the thread's gate.
        Pin::new(&mut self.ready).poll(context).map(|_| {
            self.is_finished = true;
            let preparations = Arc::clone(&self.preparations);
            Arc::new(PreparedArgs::new(self.id, Box::new(move |id| preparations.discard(id))))
        })
    }
}

impl Drop for Preparation {
    fn drop(&mut self) {
        if !self.is_finished {
            self.preparations.discard(self.id);
        }
    }
}
