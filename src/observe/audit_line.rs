//! The text of audit lines: time, session, event name, then the members of each kind of event. The only serializer of
//! events.

use super::event::{CallFacts, Event, ExecutionFacts};
use super::question_facts::{AnswerFacts, ShownFacts};
use crate::error::ErrorType;
use crate::json::{ObjectWriter, visible_json};

/// The usual size of a line, in bytes.
const USUAL_LINE_BYTES: usize = 512;

/// An audit line.
pub struct AuditLine<'a> {
    /// The time, ISO 8601.
    pub at: &'a str,
    /// The session, if the event belongs to one.
    pub session_id: Option<&'a str>,
    /// The event.
    pub event: &'a Event<'a>,
}

impl AuditLine<'_> {
    /// The line as one JSON object, without a line break. Hidden characters are escaped: a name or reason must not change
    /// how a terminal shows the line.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(USUAL_LINE_BYTES);
        let mut members = ObjectWriter(&mut text);
        members
            .unescaped_string("{\"at\":", self.at)
            .optional_string(",\"sessionId\":", self.session_id)
            .unescaped_string(",\"event\":", event_name(self.event));
        if let Some(call) = self.event.call() {
            write_call(&mut members, call);
        }
        write_details(&mut members, self.event);
        text.push('}');
        visible_json(text)
    }
}

const TOOL: &str = ",\"toolId\":";
const REGISTRY: &str = ",\"registryVersion\":";
const MODE: &str = ",\"mode\":";
const TURN: &str = ",\"turn\":";
const CALL: &str = ",\"callId\":";
const ERROR: &str = ",\"errorType\":";
const REASON: &str = ",\"reason\":";
const INTENT: &str = ",\"intent\":";
const LATENCY: &str = ",\"latencyMs\":";
const GRANT: &str = ",\"grant\":";
const CALLS_LEFT: &str = ",\"callsLeft\":";

const fn event_name(event: &Event<'_>) -> &'static str {
    match event {
        Event::ToolExecution(_) => "tool_execution",
        Event::SignalIgnored { .. } => "signal_ignored",
        Event::ToolRetried { .. } => "tool_retried",
        Event::ToolRefused { .. } => "tool_refused",
        Event::ToolReplayed { .. } => "tool_replayed",
        Event::DuplicateFound { .. } => "duplicate_found",
        Event::ToolReconciled { .. } => "reconciled",
        Event::ToolCancelled { .. } => "tool_cancelled",
        Event::ToolDeferred { .. } => "tool_deferred",
        Event::ToolCompleted { .. } => "tool_completed",
        Event::ResultDelivered { .. } => "result_delivered",
        Event::ResultDropped { .. } => "result_dropped",
        Event::ToolLog { .. } => "tool_log",
        Event::ConfirmationRequested { .. } => "confirmation_requested",
        Event::ConfirmationGranted { .. } => "confirmation_granted",
        Event::ConfirmationCounted { .. } => "confirmation_counted",
        Event::GrantUsed { .. } => "grant_used",
        Event::GrantRevoked { .. } => "grant_revoked",
        Event::ConfirmationDenied { .. } => "confirmation_denied",
        Event::ConfirmationExpired { .. } => "confirmation_expired",
        Event::IntentApplied { .. } => "intent_applied",
        Event::IntentDropped { .. } => "intent_dropped",
        Event::StateChanged { .. } => "state_changed",
        Event::LatencyWarning { .. } => "latency_warning",
        Event::BudgetWarning { .. } => "budget_warning",
        Event::LoopDetected { .. } => "loop_detected",
        Event::ContextWarning { .. } => "context_warning",
        Event::TurnSummary { .. } => "turn_summary",
        Event::SessionStarted { .. } => "session_started",
        Event::SessionRefused { .. } => "session_refused",
        Event::SessionAttached { .. } => "session_attached",
        Event::SessionEnded { .. } => "session_ended",
        Event::RegistryLoaded { .. } => "registry_loaded",
        Event::RegistryLocked { .. } => "registry_locked",
        Event::RegistryVersionMismatch { .. } => "registry_version_mismatch",
        Event::Unrecorded { .. } => "unrecorded",
    }
}

fn write_call(members: &mut ObjectWriter<'_>, call: &CallFacts<'_>) {
    members
        .string(TOOL, call.tool_id)
        .optional_string(",\"toolVersion\":", call.tool_version)
        .string(REGISTRY, call.registry_version)
        .string(MODE, call.mode)
        .integer(TURN, call.turn)
        .optional_string(CALL, call.call_id)
        .optional_string(",\"parentCallId\":", call.parent_call_id);
}

/// Writes the members of an event other than its call.
#[rustfmt::skip] // One line per event, for an overview.
fn write_details(members: &mut ObjectWriter<'_>, event: &Event<'_>) {
    match *event {
        Event::ToolExecution(ref executed) => write_execution(members, executed),
        Event::SignalIgnored { grace_ms, .. } => members.integer(",\"graceMs\":", grace_ms),
        Event::ToolRetried { attempt, error_type, after_ms, .. } => {
            members.integer(",\"attempt\":", attempt);
            members.optional_unescaped_string(ERROR, error_type.map(ErrorType::as_str)).integer(",\"afterMs\":", after_ms)
        }
        Event::ToolRefused { error_type, message, retry_after_ms, .. } => {
            members.unescaped_string(ERROR, error_type.as_str()).string(",\"message\":", message);
            members.optional_integer(",\"retryAfterMs\":", retry_after_ms)
        }
        Event::ToolReplayed { original_turn, age_ms, .. } => {
            members.integer(",\"originalTurn\":", original_turn).integer(",\"ageMs\":", age_ms)
        }
        Event::DuplicateFound { answer, outcome, age_ms, .. } => {
            members.unescaped_string(",\"answer\":", answer).unescaped_string(",\"outcome\":", outcome).integer(",\"ageMs\":", age_ms)
        }
        Event::ToolReconciled { outcome, met_by, problem, age_ms, .. } => {
            members.unescaped_string(",\"outcome\":", outcome).unescaped_string(",\"metBy\":", met_by);
            members.optional_string(",\"problem\":", problem).integer(",\"ageMs\":", age_ms)
        }
        Event::ToolCancelled { reason, outcome, .. } => members.string(REASON, reason).unescaped_string(",\"outcome\":", outcome),
        Event::ToolCompleted { tool_id, call_id, error_type } => {
            members.string(TOOL, tool_id).optional_string(CALL, call_id);
            members.optional_unescaped_string(ERROR, error_type.map(ErrorType::as_str))
        }
        Event::ResultDelivered { tool_id, call_id, mode } => {
            members.string(TOOL, tool_id).optional_string(CALL, call_id).string(MODE, mode)
        }
        Event::ResultDropped { tool_id, call_id } => members.string(TOOL, tool_id).optional_string(CALL, call_id),
        Event::ToolLog { name, tool_id, call_id, data } => {
            members.string(",\"name\":", name).string(TOOL, tool_id).optional_string(CALL, call_id).serialized(",\"data\":", data)
        }
        Event::ConfirmationRequested { expires, shown, .. } => write_shown(members.integer(",\"expires\":", expires), shown),
        Event::ConfirmationGranted { shown, answer, grant, .. } => {
            write_answer(members, shown, answer);
            if let Some(grant) = grant { members.serialized(",\"grant\":", &grant) } else { members }
        }
        Event::ConfirmationCounted { shown, answer, confirmations, .. } => {
            write_answer(members, shown, answer).integer(",\"confirmations\":", confirmations)
        }
        Event::GrantUsed { shown, grant, calls_left, .. } => {
            write_shown(members, shown).string(GRANT, grant).integer(CALLS_LEFT, calls_left)
        }
        Event::GrantRevoked { tool_id, grant, calls_left, answer } => {
            members.string(TOOL, tool_id).string(GRANT, grant).integer(CALLS_LEFT, calls_left);
            write_given(members, answer)
        }
        Event::BudgetWarning { .. } | Event::ToolDeferred { .. } => members,
        Event::ConfirmationDenied { tool_id, call_id, reason, shown, answer } => {
            members.string(TOOL, tool_id).optional_string(CALL, call_id).optional_string(REASON, reason);
            write_answer(members, shown, answer)
        }
        Event::ConfirmationExpired { tool_id } => members.string(TOOL, tool_id),
        Event::IntentApplied { tool_id, call_id, turn, mode, intent } => {
            members.string(TOOL, tool_id).optional_string(CALL, call_id).integer(TURN, turn).string(MODE, mode);
            members.unescaped_string(INTENT, intent)
        }
        Event::IntentDropped { tool_id, intent, reason } => {
            members.string(TOOL, tool_id).unescaped_string(INTENT, intent).string(REASON, reason)
        }
        Event::StateChanged { field } => members.string(",\"field\":", field),
        Event::LatencyWarning { tool_id, call_id, latency_ms, target_ms } => {
            members.optional_string(TOOL, tool_id).optional_string(CALL, call_id);
            members.float(LATENCY, latency_ms).integer(",\"targetMs\":", target_ms)
        }
        Event::LoopDetected { refused, .. } => members.boolean(",\"refused\":", refused),
        Event::ContextWarning { scope, tokens, limit, .. } => {
            members.unescaped_string(",\"scope\":", scope.as_str()).integer(",\"tokens\":", tokens).integer(",\"limit\":", limit)
        }
        Event::TurnSummary { turn, calls, retrievals, latency_ms } => {
            members.integer(TURN, turn).integer(",\"calls\":", calls).integer(",\"retrievals\":", retrievals);
            members.float(LATENCY, latency_ms)
        }
        Event::SessionStarted { mode, registry_version } => members.string(MODE, mode).string(REGISTRY, registry_version),
        Event::SessionRefused { mode, error_type, message } => {
            members.string(MODE, mode).unescaped_string(ERROR, error_type.as_str()).string(",\"message\":", message)
        }
        Event::SessionAttached { mode, turn, superseded } => {
            members.string(MODE, mode).integer(TURN, turn).integer(",\"superseded\":", superseded)
        }
        Event::SessionEnded { reason } => members.string(REASON, reason),
        Event::RegistryLoaded { registry_version, tools } => {
            members.string(REGISTRY, registry_version).integer(",\"tools\":", tools)
        }
        Event::RegistryLocked { registry_version } => members.string(REGISTRY, registry_version),
        Event::RegistryVersionMismatch { session_version, registry_version } => {
            members.string(",\"sessionVersion\":", session_version).string(REGISTRY, registry_version)
        }
        Event::Unrecorded { tool_id, key } => members.string(TOOL, tool_id).string(",\"key\":", key.as_str()),
    };
}

fn write_execution<'m, 't>(
    members: &'m mut ObjectWriter<'t>,
    executed: &ExecutionFacts<'_>,
) -> &'m mut ObjectWriter<'t> {
    let clamped: Vec<&str> = executed.clamped.iter().map(|clamped| clamped.path.as_str()).collect();
    members
        .boolean(",\"ok\":", executed.ok)
        .optional_unescaped_string(ERROR, executed.error_type.map(ErrorType::as_str))
        .unescaped_string(",\"category\":", executed.category)
        .float(",\"duration\":", executed.duration)
        .integer(",\"attempts\":", executed.attempts)
        .unescaped_string(",\"idempotencyKey\":", executed.idempotency_key)
        .optional_unescaped_string(",\"argsHash\":", executed.args_hash)
        .nonempty_list(",\"clamped\":", &clamped)
        .nonempty_list(",\"defaulted\":", executed.defaulted)
        .nonempty_list(",\"repaired\":", executed.repaired)
        .integer(",\"resultBytes\":", executed.result_bytes)
        .true_if(",\"timedOut\":", executed.timed_out)
        .true_if(",\"late\":", executed.late)
        .true_if(",\"cached\":", executed.cached)
}

fn write_shown<'m, 't>(members: &'m mut ObjectWriter<'t>, shown: &ShownFacts) -> &'m mut ObjectWriter<'t> {
    members
        .optional_unescaped_string(",\"idempotencyKey\":", shown.idempotency_key.as_deref())
        .optional_unescaped_string(",\"finalArgsHash\":", shown.final_args_hash.as_deref())
        .optional_unescaped_string(",\"previewHash\":", shown.preview_hash.as_deref())
}

fn write_answer<'m, 't>(
    members: &'m mut ObjectWriter<'t>,
    shown: &ShownFacts,
    answer: AnswerFacts<'_>,
) -> &'m mut ObjectWriter<'t> {
    write_given(write_shown(members, shown).nonempty_list(",\"edited\":", &shown.edited), answer)
}

fn write_given<'m, 't>(
    members: &'m mut ObjectWriter<'t>,
    AnswerFacts { via, principal }: AnswerFacts<'_>,
) -> &'m mut ObjectWriter<'t> {
    members.optional_string(",\"via\":", via).optional_string(",\"principal\":", principal)
}

#[cfg(test)]
mod tests;
