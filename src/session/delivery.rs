//! What an attachment does about owed results: whether it takes them, and which it holds: those that it has taken, and those of
//! calls that it answers directly.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::call::CallId;
use crate::response::ToolResponse;

/// The deliveries of one attachment.
#[derive(Debug)]
pub struct Delivery {
    /// The number under which the attachment takes results. Random: unique among the attachments of all processes.
    pub id: u64,
    /// Held while a result is taken.
    pub taking: tokio::sync::Mutex<()>,
    held: Mutex<Vec<HeldResult>>,
    renewing: AtomicBool,
    takes: AtomicBool,
}

/// A result that an attachment holds.
#[derive(Debug)]
pub struct HeldResult {
    id: u64,
    call_id: Option<CallId>,
    /// The result, if it was taken; the attachment gets that of a call that it answers directly as the call's answer.
    pub taken: Option<Arc<ToolResponse>>,
}

impl Default for Delivery {
    fn default() -> Self {
        // Without random bytes, two attachments that share a number could end each other's deliveries.
        let id = getrandom::u64().unwrap_or_else(|error| {
            tracing::error!(%error, "no random bytes for the number of an attachment");
            u64::MAX
        });
        Self {
            id,
            taking: tokio::sync::Mutex::default(),
            held: Mutex::default(),
            renewing: AtomicBool::new(false),
            takes: AtomicBool::new(false),
        }
    }
}

impl Delivery {
    /// The results that it holds.
    #[must_use]
    pub fn held(&self) -> Vec<u64> {
        self.held.lock().iter().map(|held| held.id).collect()
    }

    /// The results of a call that it holds: of each of its runs.
    #[must_use]
    pub fn held_of(&self, call_id: &str) -> Vec<u64> {
        let is_of = |held: &&HeldResult| held.call_id.as_ref().is_some_and(|known| known.as_str() == call_id);
        self.held.lock().iter().filter(is_of).map(|held| held.id).collect()
    }

    /// Holds a result that it has taken.
    pub fn hold(&self, result: u64, response: &Arc<ToolResponse>) {
        let call_id = response.meta.call_id.clone();
        self.add(HeldResult { id: result, call_id, taken: Some(Arc::clone(response)) });
    }

    /// Holds the result of a call that it answers directly.
    pub fn hold_direct(&self, result: u64, call_id: Option<CallId>) {
        self.add(HeldResult { id: result, call_id, taken: None });
    }

    fn add(&self, result: HeldResult) {
        let mut held = self.held.lock();
        if !held.iter().any(|known| known.id == result.id) {
            held.push(result);
        }
    }

    /// Holds a result no longer. Returns it if it was held.
    pub fn release(&self, result: u64) -> Option<HeldResult> {
        let mut held = self.held.lock();
        let place = held.iter().position(|known| known.id == result)?;
        Some(held.swap_remove(place))
    }

    /// Notes that the attachment takes results.
    pub fn begin_taking(&self) {
        self.takes.store(true, Ordering::Release);
    }

    /// Whether the attachment takes results.
    #[must_use]
    pub fn takes(&self) -> bool {
        self.takes.load(Ordering::Acquire)
    }

    /// Notes that the held results are renewed from now on. False if they are already.
    #[must_use]
    pub fn begin_renewing(&self) -> bool {
        !self.renewing.swap(true, Ordering::AcqRel)
    }

    /// Ends the renewals if nothing is held. True if they have ended.
    #[must_use]
    pub fn end_renewing_if_none_held(&self) -> bool {
        // Under the lock, so that the next held result begins the renewals again.
        let held = self.held.lock();
        if held.is_empty() {
            self.renewing.store(false, Ordering::Release);
        }
        held.is_empty()
    }
}
