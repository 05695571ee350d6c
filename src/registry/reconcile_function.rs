//! Whether a tool's handler has a function `reconcile`. The host says so once it has loaded the handlers.

use std::sync::atomic::{AtomicBool, Ordering};

/// A tool's function `reconcile`, as far as the core knows of it.
#[derive(Debug, Default)]
pub struct ReconcileFunction(AtomicBool);

impl ReconcileFunction {
    /// The handler has one.
    pub fn give(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the handler has one.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
