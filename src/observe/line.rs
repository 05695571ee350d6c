//! An audit line's text: when, whose, what, then what each kind of event says. The one place that gives events a form.

use super::event::{CallFacts, Event, Executed};
use crate::error::ErrorType;
use crate::json::ObjectWriter;

/// Bytes that a usual line takes.
const USUAL: usize = 512;

/// An audit line.
pub struct Line<'a> {
    /// ISO 8601.
    pub at: &'a str,
    /// The session, where it is one's.
    pub session_id: Option<&'a str>,
    /// What happened.
    pub event: &'a Event<'a>,
}

impl Line<'_> {
    /// As one JSON object, without a line break.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(USUAL);
        let mut members = ObjectWriter(&mut text);
        members
            .word("{\"at\":", self.at)
            .some_text(",\"sessionId\":", self.session_id)
            .word(",\"event\":", name(self.event));
        if let Some(call) = self.event.call() {
            facts(&mut members, call);
        }
        particulars(&mut members, self.event);
        text.push('}');
        text
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

const fn name(event: &Event<'_>) -> &'static str {
    match event {
        Event::ToolExecution(_) => "tool_execution",
        Event::SignalIgnored { .. } => "signal_ignored",
        Event::ToolRetried { .. } => "tool_retried",
        Event::ToolRefused { .. } => "tool_refused",
        Event::ToolReplayed { .. } => "tool_replayed",
        Event::ToolCancelled { .. } => "tool_cancelled",
        Event::ToolLog { .. } => "tool_log",
        Event::ConfirmationRequested { .. } => "confirmation_requested",
        Event::ConfirmationGranted { .. } => "confirmation_granted",
        Event::ConfirmationDenied { .. } => "confirmation_denied",
        Event::ConfirmationExpired { .. } => "confirmation_expired",
        Event::IntentApplied { .. } => "intent_applied",
        Event::IntentDropped { .. } => "intent_dropped",
        Event::StateChanged { .. } => "state_changed",
        Event::LatencyWarning { .. } => "latency_warning",
        Event::BudgetWarning { .. } => "budget_warning",
        Event::LoopDetected { .. } => "loop_detected",
        Event::TurnSummary { .. } => "turn_summary",
        Event::SessionStarted { .. } => "session_started",
        Event::SessionAttached { .. } => "session_attached",
        Event::SessionEnded { .. } => "session_ended",
        Event::RegistryLoaded { .. } => "registry_loaded",
        Event::RegistryLocked { .. } => "registry_locked",
        Event::RegistryVersionMismatch { .. } => "registry_version_mismatch",
        Event::Unrecorded { .. } => "unrecorded",
    }
}

fn facts(members: &mut ObjectWriter<'_>, call: &CallFacts<'_>) {
    members
        .text(TOOL, call.tool_id)
        .some_text(",\"toolVersion\":", call.tool_version)
        .text(REGISTRY, call.registry_version)
        .text(MODE, call.mode)
        .number(TURN, call.turn)
        .some_text(CALL, call.call_id)
        .some_text(",\"parentCallId\":", call.parent_call_id);
}

/// What an event says beside its call.
#[rustfmt::skip] // One line an event: what it says is read at a glance.
fn particulars(members: &mut ObjectWriter<'_>, event: &Event<'_>) {
    match *event {
        Event::ToolExecution(ref executed) => execution(members, executed),
        Event::SignalIgnored { grace_ms, .. } => members.number(",\"graceMs\":", grace_ms),
        Event::ToolRetried { attempt, error_type, after_ms, .. } => {
            members.number(",\"attempt\":", attempt);
            members.some_word(ERROR, error_type.map(ErrorType::as_str)).number(",\"afterMs\":", after_ms)
        }
        Event::ToolRefused { error_type, message, .. } => {
            members.word(ERROR, error_type.as_str()).text(",\"message\":", message)
        }
        Event::ToolReplayed { original_turn, age_ms, .. } => {
            members.number(",\"originalTurn\":", original_turn).number(",\"ageMs\":", age_ms)
        }
        Event::ToolCancelled { reason, outcome, .. } => members.text(REASON, reason).word(",\"outcome\":", outcome),
        Event::ToolLog { name, tool_id, call_id, data } => {
            members.text(",\"name\":", name).text(TOOL, tool_id).some_text(CALL, call_id).value(",\"data\":", data)
        }
        Event::ConfirmationRequested { expires, .. } => members.number(",\"expires\":", expires),
        Event::ConfirmationGranted { .. } | Event::BudgetWarning { .. } => members,
        Event::ConfirmationDenied { tool_id, call_id, reason } => {
            members.text(TOOL, tool_id).some_text(CALL, call_id).some_text(REASON, reason)
        }
        Event::ConfirmationExpired { tool_id } => members.text(TOOL, tool_id),
        Event::IntentApplied { tool_id, intent } => members.text(TOOL, tool_id).word(INTENT, intent),
        Event::IntentDropped { tool_id, intent, reason } => {
            members.text(TOOL, tool_id).word(INTENT, intent).text(REASON, reason)
        }
        Event::StateChanged { field } => members.text(",\"field\":", field),
        Event::LatencyWarning { tool_id, latency_ms, target_ms } => {
            members.some_text(TOOL, tool_id).float(LATENCY, latency_ms).number(",\"targetMs\":", target_ms)
        }
        Event::LoopDetected { refused, .. } => members.flag(",\"refused\":", refused),
        Event::TurnSummary { turn, calls, retrievals, latency_ms } => {
            members.number(TURN, turn).number(",\"calls\":", calls).number(",\"retrievals\":", retrievals);
            members.float(LATENCY, latency_ms)
        }
        Event::SessionStarted { mode, registry_version } => members.text(MODE, mode).text(REGISTRY, registry_version),
        Event::SessionAttached { mode, turn, superseded } => {
            members.text(MODE, mode).number(TURN, turn).number(",\"superseded\":", superseded)
        }
        Event::SessionEnded { reason } => members.text(REASON, reason),
        Event::RegistryLoaded { registry_version, tools } => {
            members.text(REGISTRY, registry_version).number(",\"tools\":", tools)
        }
        Event::RegistryLocked { registry_version } => members.text(REGISTRY, registry_version),
        Event::RegistryVersionMismatch { session_version, registry_version } => {
            members.text(",\"sessionVersion\":", session_version).text(REGISTRY, registry_version)
        }
        Event::Unrecorded { tool_id, key } => members.text(TOOL, tool_id).text(",\"key\":", key.as_str()),
    };
}

fn execution<'m, 't>(members: &'m mut ObjectWriter<'t>, executed: &Executed<'_>) -> &'m mut ObjectWriter<'t> {
    members
        .flag(",\"ok\":", executed.ok)
        .some_word(ERROR, executed.error_type.map(ErrorType::as_str))
        .word(",\"category\":", executed.category)
        .float(",\"duration\":", executed.duration)
        .number(",\"attempts\":", executed.attempts)
        .word(",\"idempotencyKey\":", executed.idempotency_key)
        .some_word(",\"argsHash\":", executed.args_hash)
        .number(",\"resultBytes\":", executed.result_bytes)
        .if_so(",\"timedOut\":", executed.timed_out)
        .if_so(",\"late\":", executed.late)
        .if_so(",\"cached\":", executed.cached)
}

#[cfg(test)]
mod tests;
