//! Observation of handlers that were given up and may still end. Handlers that never end must not fill the memory:
//! above a limit, the observation of the handler that was given up first ends, and its late result stays unknown.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The largest number of observed handlers.
const MAX_OBSERVED: usize = 1000;

/// The time a handler has to end after it was asked to stop, before it counts as ignoring its signal.
pub(in crate::gate) const GRACE_PERIOD: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct ObservedHandlers {
    next_number: u64,
    releases: VecDeque<(u64, oneshot::Sender<()>)>,
}

/// The observed handlers, oldest first.
#[derive(Debug, Default)]
pub(in crate::gate) struct LateResults(Mutex<ObservedHandlers>);

/// The observation of one handler; ends when it is dropped.
pub(in crate::gate) struct Observation<'a> {
    late_results: &'a LateResults,
    number: u64,
    release: oneshot::Receiver<()>,
}

impl LateResults {
    /// Observes one more handler; releases the oldest observation above the limit.
    pub(in crate::gate) fn observe(&self) -> Observation<'_> {
        let mut observed = self.0.lock();
        let number = observed.next_number;
        observed.next_number += 1;
        let (sender, release) = oneshot::channel();
        observed.releases.push_back((number, sender));
        if observed.releases.len() > MAX_OBSERVED {
            observed.releases.pop_front();
        }
        Observation { late_results: self, number, release }
    }
}

impl Observation<'_> {
    /// Resolves when this observation is released because of the limit.
    pub(in crate::gate) async fn released(&mut self) {
        let _ = (&mut self.release).await;
    }
}

impl Drop for Observation<'_> {
    fn drop(&mut self) {
        self.late_results.0.lock().releases.retain(|(number, _)| *number != self.number);
    }
}
