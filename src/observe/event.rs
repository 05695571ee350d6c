//! What happened. Each variant is one kind of audit line.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::call::CallId;
use crate::error::ErrorType;
use crate::session::key::RecordKey;

/// An audit line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Line<'a> {
    /// ISO 8601.
    pub at: String,
    /// The session, where it is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<&'a str>,
    /// What happened.
    #[serde(flatten)]
    pub event: &'a Event,
}

/// The call that an event is about.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFacts {
    /// The tool as called.
    pub tool_id: Arc<str>,
    /// Its version; absent where there is no such tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<Arc<str>>,
    /// The tool set.
    pub registry_version: Arc<str>,
    /// The mode.
    pub mode: Arc<str>,
    /// The turn.
    pub turn: u32,
    /// The provider's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The provider's id of the call whose handler made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_call_id: Option<CallId>,
}

/// A fact.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Event {
    /// A handler ran, and this is how it ended.
    ToolExecution {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
        /// Success or failure.
        ok: bool,
        /// Of a failure.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_type: Option<ErrorType>,
        /// The tool's category.
        category: &'static str,
        /// Milliseconds from arrival to answer.
        duration: f64,
        /// Starts of the handler.
        attempts: u32,
        /// The key that the handler was given.
        idempotency_key: Arc<str>,
        /// Keyed hash of the canonical arguments.
        #[serde(skip_serializing_if = "Option::is_none")]
        args_hash: Option<String>,
        /// Bytes of the answer.
        result_bytes: usize,
        /// True where it was given up at its deadline.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        timed_out: bool,
        /// True where it ended after its callers had been answered.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        late: bool,
        /// True where a kept result was the answer: no handler ran.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        cached: bool,
    },
    /// A handler was told to stop and went on.
    SignalIgnored {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
        /// How long it was given, in milliseconds.
        grace_ms: u64,
    },
    /// An attempt failed and is followed by another.
    ToolRetried {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
        /// Which attempt failed, from 1.
        attempt: u32,
        /// How.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_type: Option<ErrorType>,
        /// The pause before the next one.
        after_ms: u64,
    },
    /// A call did not run.
    ToolRefused {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
        /// Why.
        error_type: ErrorType,
        /// The message that the model got; it never quotes sensitive values.
        message: String,
    },
    /// A call was answered from its record.
    ToolReplayed {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
        /// The turn in which it ran.
        original_turn: u32,
        /// How old the record is.
        age_ms: u64,
    },
    /// A call was cancelled.
    ToolCancelled {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
        /// Why.
        reason: String,
        /// What it left behind.
        outcome: &'static str,
    },
    /// A handler's own line.
    ToolLog {
        /// The handler's name for it.
        name: String,
        /// The tool.
        tool_id: String,
        /// The provider's id.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<String>,
        /// What the handler said.
        data: Value,
    },
    /// A user is asked.
    ConfirmationRequested {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
        /// Epoch milliseconds.
        expires: u64,
    },
    /// A user agreed.
    ConfirmationGranted {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
    },
    /// A user declined.
    ConfirmationDenied {
        /// The tool.
        tool_id: Arc<str>,
        /// The asking call.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<CallId>,
        /// In the user's or the host's words.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// An answer came too late.
    ConfirmationExpired {
        /// The tool.
        tool_id: Arc<str>,
    },
    /// A handler's intent changed the session.
    IntentApplied {
        /// The tool.
        tool_id: Arc<str>,
        /// The intent's type.
        intent: &'static str,
    },
    /// A handler's intent changed nothing.
    IntentDropped {
        /// The tool.
        tool_id: Arc<str>,
        /// The intent's type.
        intent: &'static str,
        /// Why.
        reason: String,
    },
    /// The host changed the session's state.
    StateChanged {
        /// The field. Its value is the host's, and may be private.
        field: String,
    },
    /// A call took longer than its mode's target.
    LatencyWarning {
        /// The tool; none where the turn as a whole is meant.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_id: Option<Arc<str>>,
        /// What it took, in milliseconds.
        latency_ms: f64,
        /// The target, in milliseconds.
        target_ms: u64,
    },
    /// A call was refused because the turn's calls were used up.
    BudgetWarning {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
    },
    /// The same call had the same outcome again.
    LoopDetected {
        /// The call.
        #[serde(flatten)]
        call: CallFacts,
        /// Whether it was refused for it.
        refused: bool,
    },
    /// A turn is over.
    TurnSummary {
        /// The turn.
        turn: u32,
        /// Calls that ran.
        calls: u32,
        /// Retrievals among them.
        retrievals: u32,
        /// Their summed latency in milliseconds.
        latency_ms: f64,
    },
    /// A session began.
    SessionStarted {
        /// The attachment's mode.
        mode: Arc<str>,
        /// The tool set.
        registry_version: Arc<str>,
    },
    /// A connection or request joined a session.
    SessionAttached {
        /// Its mode.
        mode: Arc<str>,
        /// The session's turn.
        turn: u32,
        /// Older attachments that it took the place of.
        superseded: usize,
    },
    /// A session ended.
    SessionEnded {
        /// Why.
        reason: String,
    },
    /// A tool set was loaded.
    RegistryLoaded {
        /// The tool set.
        registry_version: Arc<str>,
        /// Its size.
        tools: usize,
    },
    /// The registry takes no reload any more.
    RegistryLocked {
        /// The tool set.
        registry_version: Arc<str>,
    },
    /// A session runs on another tool set than the registry's.
    RegistryVersionMismatch {
        /// The session's.
        session_version: Arc<str>,
        /// The registry's.
        registry_version: Arc<str>,
    },
    /// A record could not be settled in the store.
    Unrecorded {
        /// The tool.
        tool_id: Arc<str>,
        /// The record.
        #[serde(serialize_with = "key_text")]
        key: RecordKey,
    },
}

fn key_text<S: serde::Serializer>(key: &RecordKey, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(key.as_str())
}
