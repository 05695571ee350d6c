//! Events. Each variant is one kind of audit line. Events borrow their values, so an event without a sink costs no
//! copy.

use serde::Serialize;
use serde_json::Value;

pub use super::execution_facts::{CallFacts, ExecutionFacts};
use super::question_facts::{AnswerFacts, GrantFacts, ShownFacts};
use crate::error::ErrorType;
use crate::session::key::RecordKey;

/// What a limit of the context monitor is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextScope {
    /// The answers of one turn.
    Turn,
    /// All answers of the session.
    Session,
}

/// An event. It serializes as the members of its audit line, in the order of its fields.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Event<'a> {
    /// A handler ran.
    ToolExecution(ExecutionFacts<'a>),
    /// A handler was signalled to stop and continued.
    SignalIgnored {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// The grace period, in milliseconds.
        grace_ms: u64,
    },
    /// An attempt failed and will be retried.
    ToolRetried {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// The number of the failed attempt, from 1.
        attempt: u32,
        /// The error type of the failure.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_type: Option<ErrorType>,
        /// The pause before the next attempt, in milliseconds.
        after_ms: u64,
    },
    /// A call did not run.
    ToolRefused {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// Why.
        error_type: ErrorType,
        /// The message for the log; it never contains values of the arguments.
        message: &'a str,
        /// The time after which the call may be made again, in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
    /// A call was answered from its record.
    ToolReplayed {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// The turn in which the call ran.
        original_turn: u32,
        /// The age of the record, in milliseconds.
        age_ms: u64,
    },
    /// A call would have done what another call has done.
    DuplicateFound {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// What became of it.
        answer: &'static str,
        /// What became of the other call.
        outcome: &'static str,
        /// How long ago that was begun, in milliseconds.
        age_ms: u64,
    },
    /// A tool was asked what one of its calls of uncertain outcome has done.
    Reconciled {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// What was found out.
        outcome: &'static str,
        /// What the reconcile was made for.
        met_by: &'static str,
        /// Why nothing was found out, if the tool gave no usable answer; it never contains values.
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<&'a str>,
        /// How long ago the call was begun, in milliseconds.
        age_ms: u64,
    },
    /// A call was cancelled.
    ToolCancelled {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// Why.
        reason: &'a str,
        /// The effect of the cancellation.
        outcome: &'static str,
    },
    /// The callers of a call were answered early: its result is delivered later.
    ToolDeferred {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
    },
    /// A call whose handler had left it was completed from elsewhere.
    ToolCompleted {
        /// The tool.
        tool_id: &'a str,
        /// The provider's id.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<&'a str>,
        /// The error type of a failure.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_type: Option<ErrorType>,
    },
    /// An attachment delivered the result of a call whose callers had been answered early.
    ResultDelivered {
        /// The tool.
        tool_id: &'a str,
        /// The provider's id.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<&'a str>,
        /// The attachment's mode.
        mode: &'a str,
    },
    /// A result was owed to a session for too long, and no attachment took it.
    ResultDropped {
        /// The tool.
        tool_id: &'a str,
        /// The provider's id.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<&'a str>,
    },
    /// A handler's own line.
    ToolLog {
        /// The line's name, chosen by the handler.
        name: &'a str,
        /// The tool.
        tool_id: &'a str,
        /// The provider's id.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<&'a str>,
        /// The line's data.
        data: &'a Value,
    },
    /// A user was asked.
    ConfirmationRequested {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// The expiry, epoch milliseconds.
        expires: u64,
        /// What the user was shown.
        #[serde(flatten, serialize_with = "ShownFacts::serialize_unedited")]
        shown: &'a ShownFacts,
    },
    /// A user confirmed.
    ConfirmationGranted {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// What the user was shown.
        #[serde(flatten)]
        shown: &'a ShownFacts,
        /// How and by whom.
        #[serde(flatten)]
        answer: AnswerFacts<'a>,
        /// What the user granted with it.
        #[serde(skip_serializing_if = "Option::is_none")]
        grant: Option<GrantFacts<'a>>,
    },
    /// An approver confirmed, and the question needs more of them.
    ConfirmationCounted {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// What the approver was shown.
        #[serde(flatten)]
        shown: &'a ShownFacts,
        /// How and by whom.
        #[serde(flatten)]
        answer: AnswerFacts<'a>,
        /// How many have confirmed.
        confirmations: usize,
    },
    /// A call runs by a grant, without a question.
    GrantUsed {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// What would have been shown.
        #[serde(flatten, serialize_with = "ShownFacts::serialize_unedited")]
        shown: &'a ShownFacts,
        /// The grant's name.
        grant: &'a str,
        /// How many calls it still lets run.
        calls_left: u32,
    },
    /// A user ended a grant.
    GrantRevoked {
        /// The tool.
        tool_id: &'a str,
        /// The grant's name.
        grant: &'a str,
        /// How many calls it still let run.
        calls_left: u32,
        /// How and by whom.
        #[serde(flatten)]
        answer: AnswerFacts<'a>,
    },
    /// A user denied a call.
    ConfirmationDenied {
        /// The tool.
        tool_id: &'a str,
        /// The asking call.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<&'a str>,
        /// The user's or the host's reason.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
        /// What the user was shown.
        #[serde(flatten)]
        shown: &'a ShownFacts,
        /// How and by whom.
        #[serde(flatten)]
        answer: AnswerFacts<'a>,
    },
    /// A confirmation arrived too late.
    ConfirmationExpired {
        /// The tool.
        tool_id: &'a str,
    },
    /// A handler's or the host's intent changed the session.
    IntentApplied {
        /// The tool, or `host`.
        tool_id: &'a str,
        /// The provider's id of the call.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<&'a str>,
        /// The turn.
        turn: u32,
        /// The mode.
        mode: &'a str,
        /// The intent's type.
        intent: &'static str,
    },
    /// A handler's intent was not applied.
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
        /// The field. Its value may be private and is not reported.
        field: &'a str,
    },
    /// A call exceeded its mode's latency target.
    LatencyWarning {
        /// The tool; `None` for the turn as a whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_id: Option<&'a str>,
        /// The provider's id of the call that exceeded it.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<&'a str>,
        /// The latency, in milliseconds.
        latency_ms: f64,
        /// The target, in milliseconds.
        target_ms: u64,
    },
    /// A call was refused because the turn's budget was used up.
    BudgetWarning {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
    },
    /// The same call had the same outcome again.
    LoopDetected {
        /// The call.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// Whether the call was refused.
        refused: bool,
    },
    /// The answers to the model exceeded a limit of the context monitor.
    ContextWarning {
        /// The call whose answer exceeded it.
        #[serde(flatten)]
        call: CallFacts<'a>,
        /// What the limit is for.
        scope: ContextScope,
        /// The estimated tokens so far.
        tokens: u64,
        /// The limit.
        limit: u64,
    },
    /// A turn ended.
    TurnSummary {
        /// The turn.
        turn: u32,
        /// The number of calls that ran.
        calls: u32,
        /// The number of retrievals among them.
        retrievals: u32,
        /// Their summed latency, in milliseconds.
        latency_ms: f64,
    },
    /// A session began.
    SessionStarted {
        /// The attachment's mode.
        mode: &'a str,
        /// The tool set.
        registry_version: &'a str,
    },
    /// A session was not created or not resumed: the store refused it.
    SessionRefused {
        /// The mode that was asked for.
        mode: &'a str,
        /// Why.
        error_type: ErrorType,
        /// The same as a sentence.
        message: &'a str,
    },
    /// A connection or request joined a session.
    SessionAttached {
        /// The attachment's mode.
        mode: &'a str,
        /// The session's turn.
        turn: u32,
        /// The number of older attachments that it replaced.
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
        /// The number of tools.
        tools: usize,
    },
    /// The registry was locked against reloads.
    RegistryLocked {
        /// The tool set.
        registry_version: &'a str,
    },
    /// A session's tool set differs from the registry's.
    RegistryVersionMismatch {
        /// The session's version.
        session_version: &'a str,
        /// The registry's version.
        registry_version: &'a str,
    },
    /// A source's server offers another definition of a tool than the locked one, none any more, or the locked one again.
    DefinitionDrift {
        /// The tool.
        tool_id: &'a str,
        /// The source.
        source: &'a str,
        /// Why the tool is unavailable from now on; absent: it is available again.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
    },
    /// A call's outcome could not be recorded in the store.
    Unrecorded {
        /// The tool.
        tool_id: &'a str,
        /// The key of the record.
        key: &'a RecordKey,
    },
}
