//! The waits for a result, which the host may stop.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::run::execution::CallerNumber;

/// The waits of one session.
#[derive(Debug, Default)]
pub(in crate::gate) struct ResultWaits {
    /// By the host's numbers.
    waits: Mutex<Vec<(CallerNumber, Arc<StopSignal>)>>,
    /// Notified when a result is owed or offered again, and when an attachment or the session ends.
    pub(in crate::gate) changed: Notify,
}

#[derive(Debug, Default)]
struct StopSignal {
    stopped: Mutex<bool>,
    changed: Notify,
}

/// One wait; it ends when this is dropped.
pub(in crate::gate) struct ResultWait<'a> {
    waits: &'a ResultWaits,
    signal: Arc<StopSignal>,
}

impl ResultWaits {
    pub(in crate::gate) fn begin(&self, number: CallerNumber) -> ResultWait<'_> {
        let signal = Arc::<StopSignal>::default();
        self.waits.lock().push((number, Arc::clone(&signal)));
        ResultWait { waits: self, signal }
    }

    pub(in crate::gate) fn stop(&self, number: CallerNumber) {
        let waits = self.waits.lock();
        for (_, signal) in waits.iter().filter(|(known, _)| *known == number) {
            *signal.stopped.lock() = true;
            signal.changed.notify_waiters();
        }
    }
}

impl ResultWait<'_> {
    pub(in crate::gate) fn is_stopped(&self) -> bool {
        *self.signal.stopped.lock()
    }

    pub(in crate::gate) async fn stopped(&self) {
        // Created before the look, so that no stop is missed.
        let changed = self.signal.changed.notified();
        if !self.is_stopped() {
            changed.await;
        }
    }
}

impl Drop for ResultWait<'_> {
    fn drop(&mut self) {
        self.waits.waits.lock().retain(|(_, signal)| !Arc::ptr_eq(signal, &self.signal));
    }
}
