//! Handlers that were given up and may still end. A handler that never ends must not be waited for by ever more of the
//! gate's memory: beyond a bound the one that was given up first is not listened to any more, and what it would have
//! told stays unknown.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Handlers that are listened to after they were given up.
const MAX_OBSERVED: usize = 1000;

/// How long a handler may take to end after it was told to stop, before it counts as one that does not listen.
pub(super) const GRACE_PERIOD: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct ObservedHandlers {
    next: u64,
    enough: VecDeque<(u64, oneshot::Sender<()>)>,
}

/// Who is listened to, the longest first.
#[derive(Debug, Default)]
pub(super) struct LateResults(Mutex<ObservedHandlers>);

/// One that is listened to, until it is dropped.
pub(super) struct ObservationPlace<'a> {
    late: &'a LateResults,
    number: u64,
    enough: oneshot::Receiver<()>,
}

impl LateResults {
    /// Listens to one more; the first of too many is told that it is enough.
    pub(super) fn observe(&self) -> ObservationPlace<'_> {
        let mut listening = self.0.lock();
        let number = listening.next;
        listening.next += 1;
        let (tell, enough) = oneshot::channel();
        listening.enough.push_back((number, tell));
        if listening.enough.len() > MAX_OBSERVED {
            listening.enough.pop_front();
        }
        ObservationPlace { late: self, number, enough }
    }
}

impl ObservationPlace<'_> {
    /// Resolves when it is one of too many.
    pub(super) async fn released(&mut self) {
        let _ = (&mut self.enough).await;
    }
}

impl Drop for ObservationPlace<'_> {
    fn drop(&mut self) {
        self.late.0.lock().enough.retain(|(number, _)| *number != self.number);
    }
}
