//! Observation of handlers that were given up and may still end. Handlers that never end must not fill the memory:
//! above a limit, the observation of the handler that was given up first ends, and its late result stays unknown.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The largest number of observed handlers.
const MAX_OBSERVED: usize = 1000;

/// The time a handler has to end after it was asked to stop, before it counts as ignoring its signal.
pub(super) const GRACE_PERIOD: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct ObservedHandlers {
    next: u64,
    enough: VecDeque<(u64, oneshot::Sender<()>)>,
}

/// The observed handlers, oldest first.
#[derive(Debug, Default)]
pub(super) struct LateResults(Mutex<ObservedHandlers>);

/// The observation of one handler; ends when it is dropped.
pub(super) struct ObservationPlace<'a> {
    late: &'a LateResults,
    number: u64,
    enough: oneshot::Receiver<()>,
}

impl LateResults {
    /// Observes one more handler; releases the oldest observation above the limit.
    pub(super) fn observe(&self) -> ObservationPlace<'_> {
        let mut observed = self.0.lock();
        let number = observed.next;
        observed.next += 1;
        let (release, enough) = oneshot::channel();
        observed.enough.push_back((number, release));
        if observed.enough.len() > MAX_OBSERVED {
            observed.enough.pop_front();
        }
        ObservationPlace { late: self, number, enough }
    }
}

impl ObservationPlace<'_> {
    /// Resolves when this observation is released because of the limit.
    pub(super) async fn released(&mut self) {
        let _ = (&mut self.enough).await;
    }
}

impl Drop for ObservationPlace<'_> {
    fn drop(&mut self) {
        self.late.0.lock().enough.retain(|(number, _)| *number != self.number);
    }
}
