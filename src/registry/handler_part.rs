//! Whether a tool's handler has a part beside its function `execute`. The host says so once it has loaded the handlers.

use std::sync::atomic::{AtomicBool, Ordering};

/// A part of a tool's handler, as far as the core knows of it.
#[derive(Debug, Default)]
pub struct HandlerPart(AtomicBool);

impl HandlerPart {
    /// The handler has it.
    pub fn give(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the handler has it.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
