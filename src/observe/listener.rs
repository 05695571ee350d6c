//! Notifications to the host during calls, in addition to audit lines and counters.

use std::sync::Arc;

use crate::call::CallId;

/// A call that ran and finally succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool.
    pub tool_id: Arc<str>,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The turn.
    pub turn: u32,
}

/// Is notified of one gate's calls. Never waits.
pub trait Listener: Send + Sync + 'static {
    /// A call of this attachment ran and succeeded. Called once, after all retries, even if the caller no longer waits.
    fn tool_used(&self, attachment: u64, used: ToolUse);
}
