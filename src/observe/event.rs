//! What happened. Each variant is one kind of audit line. An event lends what it tells: nothing is copied for a listener
//! that is not there.

use serde_json::Value;

use crate::error::ErrorType;
use crate::session::key::RecordKey;

/// The call that an event is about.
#[derive(Debug, Clone, Copy)]
pub struct CallFacts<'a> {
    /// The tool as called.
    pub tool_id: &'a str,
    /// Its version; absent where there is no such tool.
    pub tool_version: Option<&'a str>,
    /// The tool set.
    pub registry_version: &'a str,
    /// The mode.
    pub mode: &'a str,
    /// The turn.
    pub turn: u32,
    /// The provider's id.
    pub call_id: Option<&'a str>,
    /// The provider's id of the call whose handler made it.
    pub parent_call_id: Option<&'a str>,
}

/// A handler's run, and how it ended.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the audit line")]
pub struct Executed<'a> {
    /// The call.
    pub call: CallFacts<'a>,
    /// Success or failure.
    pub ok: bool,
    /// Of a failure.
    pub error_type: Option<ErrorType>,
    /// The tool's category.
    pub category: &'static str,
    /// Milliseconds from arrival to answer.
    pub duration: f64,
    /// Starts of the handler.
    pub attempts: u32,
    /// The key that the handler was given.
    pub idempotency_key: &'a str,
    /// Keyed hash of the canonical arguments.
    pub args_hash: Option<&'a str>,
    /// Bytes of the answer.
    pub result_bytes: usize,
    /// True where it was given up at its deadline.
    pub timed_out: bool,
    /// True where it ended after its callers had been answered.
    pub late: bool,
    /// True where a kept result was the answer: no handler ran.
    pub cached: bool,
}

/// A fact.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A handler ran, and this is how it ended.
    ToolExecution(Executed<'a>),
    /// A handler was told to stop and went on.
    SignalIgnored {
        /// The call.
        call: CallFacts<'a>,
        /// How long it was given, in milliseconds.
        grace_ms: u64,
    },
    /// An attempt failed and is followed by another.
    ToolRetried {
        /// The call.
        call: CallFacts<'a>,
        /// Which attempt failed, from 1.
        attempt: u32,
        /// How.
        error_type: Option<ErrorType>,
        /// The pause before the next one.
        after_ms: u64,
    },
    /// A call did not run.
    ToolRefused {
        /// The call.
        call: CallFacts<'a>,
        /// Why.
        error_type: ErrorType,
        /// The message that the model got; it never quotes sensitive values.
        message: &'a str,
    },
    /// A call was answered from its record.
    ToolReplayed {
        /// The call.
        call: CallFacts<'a>,
        /// The turn in which it ran.
        original_turn: u32,
        /// How old the record is.
        age_ms: u64,
    },
    /// A call was cancelled.
    ToolCancelled {
        /// The call.
        call: CallFacts<'a>,
        /// Why.
        reason: &'a str,
        /// What it left behind.
        outcome: &'static str,
    },
    /// A handler's own line.
    ToolLog {
        /// The handler's name for it.
        name: &'a str,
        /// The tool.
        tool_id: &'a str,
        /// The provider's id.
        call_id: Option<&'a str>,
        /// What the handler said.
        data: &'a Value,
    },
    /// A user is asked.
    ConfirmationRequested {
        /// The call.
        call: CallFacts<'a>,
        /// Epoch milliseconds.
        expires: u64,
    },
    /// A user agreed.
    ConfirmationGranted {
        /// The call.
        call: CallFacts<'a>,
    },
    /// A user declined.
    ConfirmationDenied {
        /// The tool.
        tool_id: &'a str,
        /// The asking call.
        call_id: Option<&'a str>,
        /// In the user's or the host's words.
        reason: Option<&'a str>,
    },
    /// An answer came too late.
    ConfirmationExpired {
        /// The tool.
        tool_id: &'a str,
    },
    /// A handler's intent changed the session.
    IntentApplied {
        /// The tool.
        tool_id: &'a str,
        /// The intent's type.
        intent: &'static str,
    },
    /// A handler's intent changed nothing.
    IntentDropped {
        /// The tool.
        tool_id: &'a str,
        /// The intent's type.
        intent: &'static str,
        /// Why.
        reason: &'a str,
    },
    /// The host changed the session's state.
    StateChanged {
        /// The field. Its value is the host's, and may be private.
        field: &'a str,
    },
    /// A call took longer than its mode's target.
    LatencyWarning {
        /// The tool; none where the turn as a whole is meant.
        tool_id: Option<&'a str>,
        /// What it took, in milliseconds.
        latency_ms: f64,
        /// The target, in milliseconds.
        target_ms: u64,
    },
    /// A call was refused because the turn's calls were used up.
    BudgetWarning {
        /// The call.
        call: CallFacts<'a>,
    },
    /// The same call had the same outcome again.
    LoopDetected {
        /// The call.
        call: CallFacts<'a>,
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
        mode: &'a str,
        /// The tool set.
        registry_version: &'a str,
    },
    /// A connection or request joined a session.
    SessionAttached {
        /// Its mode.
        mode: &'a str,
        /// The session's turn.
        turn: u32,
        /// Older attachments that it took the place of.
        superseded: usize,
    },
    /// A session ended.
    SessionEnded {
        /// Why.
        reason: &'a str,
    },
    /// A tool set was loaded.
    RegistryLoaded {
        /// The tool set.
        registry_version: &'a str,
        /// Its size.
        tools: usize,
    },
    /// The registry takes no reload any more.
    RegistryLocked {
        /// The tool set.
        registry_version: &'a str,
    },
    /// A session runs on another tool set than the registry's.
    RegistryVersionMismatch {
        /// The session's.
        session_version: &'a str,
        /// The registry's.
        registry_version: &'a str,
    },
    /// A record could not be settled in the store.
    Unrecorded {
        /// The tool.
        tool_id: &'a str,
        /// The record.
        key: &'a RecordKey,
    },
}

impl<'a> Event<'a> {
    /// The call that it is about, where it is about one and not about its tool alone.
    #[must_use]
    pub const fn call(&self) -> Option<&CallFacts<'a>> {
        match self {
            Self::ToolExecution(Executed { call, .. })
            | Self::SignalIgnored { call, .. }
            | Self::ToolRetried { call, .. }
            | Self::ToolRefused { call, .. }
            | Self::ToolReplayed { call, .. }
            | Self::ToolCancelled { call, .. }
            | Self::ConfirmationRequested { call, .. }
            | Self::ConfirmationGranted { call }
            | Self::BudgetWarning { call }
            | Self::LoopDetected { call, .. } => Some(call),
            Self::ToolLog { .. }
            | Self::ConfirmationDenied { .. }
            | Self::ConfirmationExpired { .. }
            | Self::IntentApplied { .. }
            | Self::IntentDropped { .. }
            | Self::StateChanged { .. }
            | Self::LatencyWarning { .. }
            | Self::TurnSummary { .. }
            | Self::SessionStarted { .. }
            | Self::SessionAttached { .. }
            | Self::SessionEnded { .. }
            | Self::RegistryLoaded { .. }
            | Self::RegistryLocked { .. }
            | Self::RegistryVersionMismatch { .. }
            | Self::Unrecorded { .. } => None,
        }
    }
}
