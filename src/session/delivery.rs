//! What an attachment does about owed results: whether it takes them, and which it holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::response::ToolResponse;

/// The deliveries of one attachment.
#[derive(Debug)]
pub struct Delivery {
    /// The number under which the attachment takes results. Random: unique among the attachments of all processes.
    pub id: u64,
    /// Held while a result is taken.
    pub taking: tokio::sync::Mutex<()>,
    held: Mutex<Vec<(u64, Arc<ToolResponse>)>>,
    renewing: AtomicBool,
}

impl Default for Delivery {
    fn default() -> Self {
        // Without random bytes, two attachments that share a number could end each other's deliveries.
        let id = getrandom::u64().unwrap_or_else(|error| {
            tracing::error!(%error, "no random bytes for the number of an attachment");
            u64::MAX
        });
        Self { id, taking: tokio::sync::Mutex::default(), held: Mutex::default(), renewing: AtomicBool::new(false) }
    }
}

impl Delivery {
    /// The results that it holds.
    #[must_use]
    pub fn held(&self) -> Vec<u64> {
        self.held.lock().iter().map(|(result, _)| *result).collect()
    }

    /// Holds a result.
    pub fn hold(&self, result: u64, response: &Arc<ToolResponse>) {
        let mut held = self.held.lock();
        if !held.iter().any(|(known, _)| *known == result) {
            held.push((result, Arc::clone(response)));
        }
    }

    /// Holds a result no longer. Returns it if it was held.
    pub fn release(&self, result: u64) -> Option<Arc<ToolResponse>> {
        let mut held = self.held.lock();
        let place = held.iter().position(|(known, _)| *known == result)?;
        Some(held.swap_remove(place).1)
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
