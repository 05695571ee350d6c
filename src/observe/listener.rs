//! Notifications to the host during calls, in addition to audit lines and counters.

use std::sync::Arc;

use serde::Serialize;

use crate::call::CallId;
use crate::clock::EpochMs;
use crate::definition::Approvers;

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

/// What has happened to a confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmationChange {
    /// A user is asked.
    Requested,
    /// The user confirmed: the call runs.
    Confirmed,
    /// The user denied.
    Denied,
    /// It was not answered in time, or its tool has changed.
    Expired,
}

/// A confirmation to which something has happened: without its token and its arguments.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationNews<'a> {
    /// What has happened.
    #[serde(rename = "type")]
    pub change: ConfirmationChange,
    /// Its id.
    pub id: String,
    /// The session.
    pub session_id: &'a str,
    /// The session's principal.
    pub principal: Option<&'a str>,
    /// The tool.
    pub tool: &'a str,
    /// The text for the user; `None` if it is not kept any more.
    pub preview: Option<&'a str>,
    /// The expiry, epoch milliseconds.
    pub expires: EpochMs,
    /// The provider's id of the call that asked.
    pub call_id: Option<&'a str>,
    /// The turn of the call that asked.
    pub turn: u32,
    /// The mode that asked.
    pub mode: &'a str,
    /// The way in which an answer came.
    pub via: Option<&'a str>,
    /// The reason of a denial.
    pub reason: Option<&'a str>,
    /// Who decides in place of the session's user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvers: Option<&'a Approvers>,
    /// The principal of the approver who has decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approver: Option<&'a str>,
}

/// Is notified of one gate's calls. Never waits.
pub trait Listener: Send + Sync + 'static {
    /// A call of this attachment ran and succeeded. Called once, after all retries, even if the caller no longer waits.
    fn tool_used(&self, attachment: u64, used: ToolUse);

    /// Whether it is to be notified of confirmations.
    fn hears_confirmations(&self) -> bool {
        false
    }

    /// Something has happened to a confirmation, in this process. Called only if it is to be notified.
    fn confirmation_changed(&self, _news: &ConfirmationNews<'_>) {}
}
