//! What a host is told while it happens, beside audit lines and counters.

use std::sync::Arc;

use crate::call::CallId;

/// A call that ran, and succeeded in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// The tool.
    pub tool_id: Arc<str>,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The turn.
    pub turn: u32,
}

/// Hears of one gate's calls. Never waits.
pub trait Listener: Send + Sync + 'static {
    /// A call of this attachment ran and succeeded: told once, after every retry, also where its caller has gone.
    fn used(&self, attachment: u64, used: Used);
}
