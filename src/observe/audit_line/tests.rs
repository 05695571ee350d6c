//! Audit lines compared with independently built values.

use serde_json::{Value, json};

use super::*;
use crate::error::ErrorType;
use crate::observe::event::{CallFacts, ContextScope, ExecutionFacts};
use crate::observe::question_facts::{AnswerFacts, GrantFacts, ShownFacts};
use crate::schema::{Clamped, RepairRule, Repaired};
use crate::session::key::RecordKey;

/// A text with quotes, a backslash, a line break and a non-ASCII character.
const ODD: &str = "a \"b\"\n\\ é";

const BARE: CallFacts<'static> = CallFacts {
    tool_id: "kb_search",
    tool_version: None,
    registry_version: "1.0.0",
    mode: "text",
    turn: 3,
    call_id: None,
    parent_call_id: None,
};

const FULL: CallFacts<'static> =
    CallFacts { tool_id: ODD, tool_version: Some("2.0.0"), call_id: Some(ODD), parent_call_id: Some("above"), ..BARE };

/// Expects a line with these members in this order.
fn expect(event: &Event<'_>, session_id: Option<&str>, expected: &Value) {
    let line = AuditLine { at: "2026-11-21T13:24:56.789Z", session_id, event }.to_text();
    let mut whole = json!({ "at": "2026-11-21T13:24:56.789Z" });
    let members = whole.as_object_mut().unwrap();
    if let Some(session) = session_id {
        members.insert("sessionId".to_owned(), session.into());
    }
    members.extend(expected.as_object().unwrap().clone());
    assert_eq!(line, whole.to_string());
}

/// Expects a line of an event about a call; `expected` omits the call's own members.
fn expect_of_call(event: &Event<'_>, expected: &Value) {
    let is_full = serde_json::to_value(event).unwrap()["toolVersion"].is_string();
    let Value::Object(mut expected) = expected.clone() else { panic!("an object") };
    let name = expected.shift_remove("event").unwrap();
    let mut members = if is_full {
        json!({
            "event": name, "toolId": ODD, "toolVersion": "2.0.0", "registryVersion": "1.0.0", "mode": "text", "turn": 3,
            "callId": ODD, "parentCallId": "above",
        })
    } else {
        json!({ "event": name, "toolId": "kb_search", "registryVersion": "1.0.0", "mode": "text", "turn": 3 })
    };
    members.as_object_mut().unwrap().extend(expected);
    expect(event, Some(ODD), &members);
}

const EXECUTED: ExecutionFacts<'static> = ExecutionFacts {
    call: FULL,
    ok: true,
    error_type: None,
    category: "retrieval",
    duration: 12.0,
    attempts: 1,
    idempotency_key: "tg_0123",
    args_hash: Some("89ab"),
    clamped: &[],
    defaulted: &[],
    repaired: &[],
    result_bytes: 4711,
    timed_out: false,
    late: false,
    cached: false,
};

#[test]
fn executions() {
    expect_of_call(
        &Event::ToolExecution(EXECUTED),
        &json!({
            "event": "tool_execution", "ok": true, "category": "retrieval", "duration": 12.0, "attempts": 1,
            "idempotencyKey": "tg_0123", "argsHash": "89ab", "resultBytes": 4711,
        }),
    );
    let clamped = [Clamped { path: "/top_k".to_owned(), from: 9.into(), to: 3.into() }];
    let repaired = [Repaired { path: "/n".to_owned(), rule: RepairRule::NumberText }];
    let completed =
        ExecutionFacts { clamped: &clamped, defaulted: &["/language".to_owned()], repaired: &repaired, ..EXECUTED };
    expect_of_call(
        &Event::ToolExecution(completed),
        &json!({
            "event": "tool_execution", "ok": true, "category": "retrieval", "duration": 12.0, "attempts": 1,
            "idempotencyKey": "tg_0123", "argsHash": "89ab", "clamped": ["/top_k"], "defaulted": ["/language"], "repaired": [{ "path": "/n", "rule": "number_text" }],
            "resultBytes": 4711,
        }),
    );
    let failed = ExecutionFacts {
        call: BARE,
        ok: false,
        error_type: Some(ErrorType::Transient),
        duration: 0.033,
        args_hash: None,
        timed_out: true,
        late: true,
        cached: true,
        ..EXECUTED
    };
    expect_of_call(
        &Event::ToolExecution(failed),
        &json!({
            "event": "tool_execution", "ok": false, "errorType": "TRANSIENT", "category": "retrieval", "duration": 0.033,
            "attempts": 1, "idempotencyKey": "tg_0123", "resultBytes": 4711, "timedOut": true, "late": true,
            "cached": true,
        }),
    );
}

#[test]
fn what_happens_to_a_call() {
    for call in [BARE, FULL] {
        let of_call = |event: Event<'_>, expected: Value| expect_of_call(&event, &expected);
        of_call(Event::SignalIgnored { call, grace_ms: 5000 }, json!({ "event": "signal_ignored", "graceMs": 5000 }));
        of_call(
            Event::ToolRetried { call, attempt: 1, error_type: Some(ErrorType::RateLimit), after_ms: 250 },
            json!({ "event": "tool_retried", "attempt": 1, "errorType": "RATE_LIMIT", "afterMs": 250 }),
        );
        of_call(
            Event::ToolRetried { call, attempt: 2, error_type: None, after_ms: 0 },
            json!({ "event": "tool_retried", "attempt": 2, "afterMs": 0 }),
        );
        of_call(
            Event::ToolRefused { call, error_type: ErrorType::Validation, message: ODD, retry_after_ms: None },
            json!({ "event": "tool_refused", "errorType": "VALIDATION", "message": ODD }),
        );
        of_call(
            Event::ToolRefused { call, error_type: ErrorType::RateLimit, message: ODD, retry_after_ms: Some(9) },
            json!({ "event": "tool_refused", "errorType": "RATE_LIMIT", "message": ODD, "retryAfterMs": 9 }),
        );
        of_call(
            Event::DuplicateFound { call, answer: "asked", outcome: "committed", age_ms: 9 },
            json!({ "event": "duplicate_found", "answer": "asked", "outcome": "committed", "ageMs": 9 }),
        );
        of_call(
            Event::Reconciled { call, outcome: "unknown", met_by: "host", problem: Some(ODD), age_ms: 9 },
            json!({ "event": "reconciled", "outcome": "unknown", "metBy": "host", "problem": ODD, "ageMs": 9 }),
        );
        of_call(
            Event::Reconciled { call, outcome: "happened", met_by: "replay", problem: None, age_ms: 0 },
            json!({ "event": "reconciled", "outcome": "happened", "metBy": "replay", "ageMs": 0 }),
        );
        of_call(
            Event::ToolReplayed { call, original_turn: 2, age_ms: 9 },
            json!({ "event": "tool_replayed", "originalTurn": 2, "ageMs": 9 }),
        );
        of_call(
            Event::ToolCancelled { call, reason: ODD, outcome: "aborted" },
            json!({ "event": "tool_cancelled", "reason": ODD, "outcome": "aborted" }),
        );
        let shown = ShownFacts {
            idempotency_key: Some("tg_0123".into()),
            final_args_hash: Some("01ab".to_owned()),
            preview_hash: Some("23cd".to_owned()),
            edited: vec!["/a".to_owned()],
        };
        let answer = AnswerFacts { via: Some(ODD), principal: Some(ODD) };
        of_call(
            Event::ConfirmationRequested { call, expires: 1_795_267_496_789, shown: &shown },
            json!({ "event": "confirmation_requested", "expires": 1_795_267_496_789_u64, "idempotencyKey": "tg_0123",
                "finalArgsHash": "01ab", "previewHash": "23cd" }),
        );
        of_call(
            Event::ConfirmationGranted {
                call,
                shown: &ShownFacts::default(),
                answer: AnswerFacts::default(),
                grant: None,
            },
            json!({ "event": "confirmation_granted" }),
        );
        of_call(
            Event::ConfirmationGranted { call, shown: &shown, answer, grant: None },
            json!({ "event": "confirmation_granted", "idempotencyKey": "tg_0123", "finalArgsHash": "01ab",
                "previewHash": "23cd", "edited": ["/a"], "via": ODD, "principal": ODD }),
        );
        let grant = Some(GrantFacts { id: "tgg_0123", scope: "args", calls: 3, ttl_ms: 60_000 });
        of_call(
            Event::ConfirmationGranted { call, shown: &ShownFacts::default(), answer, grant },
            json!({ "event": "confirmation_granted", "via": ODD, "principal": ODD,
                "grant": { "id": "tgg_0123", "scope": "args", "calls": 3, "ttlMs": 60_000 } }),
        );
        let shown = ShownFacts { preview_hash: None, edited: Vec::new(), ..shown };
        of_call(
            Event::GrantUsed { call, shown: &shown, grant: "tgg_0123", calls_left: 2 },
            json!({ "event": "grant_used", "idempotencyKey": "tg_0123", "finalArgsHash": "01ab", "grant": "tgg_0123",
                "callsLeft": 2 }),
        );
        of_call(Event::BudgetWarning { call }, json!({ "event": "budget_warning" }));
        of_call(
            Event::ContextWarning { call, scope: ContextScope::Turn, tokens: 16_001, limit: 16_000 },
            json!({ "event": "context_warning", "scope": "turn", "tokens": 16_001, "limit": 16_000 }),
        );
        of_call(Event::LoopDetected { call, refused: true }, json!({ "event": "loop_detected", "refused": true }));
    }
}

#[test]
fn what_happens_beside_calls() {
    let log = json!({ "rows": 3, "note": ODD });
    let none = ShownFacts::default();
    let key = RecordKey::from_provider_id(&ODD.into());
    let told: [(Event<'_>, Value); 14] = [
        (
            Event::GrantRevoked {
                tool_id: "t",
                grant: "tgg_0123",
                calls_left: 2,
                answer: AnswerFacts { via: Some("page"), principal: Some(ODD) },
            },
            json!({ "event": "grant_revoked", "toolId": "t", "grant": "tgg_0123", "callsLeft": 2, "via": "page",
                "principal": ODD }),
        ),
        (
            Event::ToolLog { name: ODD, tool_id: "t", call_id: Some("c"), data: &log },
            json!({ "event": "tool_log", "name": ODD, "toolId": "t", "callId": "c", "data": log }),
        ),
        (
            Event::ToolLog { name: "n", tool_id: "t", call_id: None, data: &Value::Null },
            json!({ "event": "tool_log", "name": "n", "toolId": "t", "data": null }),
        ),
        (
            Event::ConfirmationDenied {
                tool_id: "t",
                call_id: Some("c"),
                reason: Some(ODD),
                shown: &none,
                answer: AnswerFacts { via: Some("page"), principal: Some(ODD) },
            },
            json!({ "event": "confirmation_denied", "toolId": "t", "callId": "c", "reason": ODD, "via": "page",
                "principal": ODD }),
        ),
        (
            Event::ConfirmationDenied {
                tool_id: "t",
                call_id: None,
                reason: None,
                shown: &none,
                answer: AnswerFacts::default(),
            },
            json!({ "event": "confirmation_denied", "toolId": "t" }),
        ),
        (Event::ConfirmationExpired { tool_id: "t" }, json!({ "event": "confirmation_expired", "toolId": "t" })),
        (
            Event::IntentApplied { tool_id: "t", call_id: Some("c"), turn: 2, mode: "voice", intent: "SUPPRESS_AUDIO" },
            json!({ "event": "intent_applied", "toolId": "t", "callId": "c", "turn": 2, "mode": "voice", "intent": "SUPPRESS_AUDIO" }),
        ),
        (
            Event::IntentDropped { tool_id: "t", intent: "SUPPRESS_AUDIO", reason: ODD },
            json!({ "event": "intent_dropped", "toolId": "t", "intent": "SUPPRESS_AUDIO", "reason": ODD }),
        ),
        (Event::StateChanged { field: ODD }, json!({ "event": "state_changed", "field": ODD })),
        (
            Event::LatencyWarning { tool_id: Some("t"), call_id: Some("c"), latency_ms: 1200.5, target_ms: 1000 },
            json!({ "event": "latency_warning", "toolId": "t", "callId": "c", "latencyMs": 1200.5, "targetMs": 1000 }),
        ),
        (
            Event::LatencyWarning { tool_id: None, call_id: None, latency_ms: 2000.0, target_ms: 1000 },
            json!({ "event": "latency_warning", "latencyMs": 2000.0, "targetMs": 1000 }),
        ),
        (
            Event::TurnSummary { turn: 2, calls: 3, retrievals: 1, latency_ms: 0.5 },
            json!({ "event": "turn_summary", "turn": 2, "calls": 3, "retrievals": 1, "latencyMs": 0.5 }),
        ),
        (
            Event::SessionRefused { mode: "voice", error_type: ErrorType::Transient, message: ODD },
            json!({ "event": "session_refused", "mode": "voice", "errorType": "TRANSIENT", "message": ODD }),
        ),
        (
            Event::Unrecorded { tool_id: "t", key: &key },
            json!({ "event": "unrecorded", "toolId": "t", "key": key.as_str() }),
        ),
    ];
    for (event, expected) in &told {
        expect(event, Some("s"), expected);
    }
}

#[test]
fn what_happens_to_sessions_and_tool_sets() {
    let told: [(Event<'_>, Value); 6] = [
        (
            Event::SessionStarted { mode: "voice", registry_version: "1.0.0" },
            json!({ "event": "session_started", "mode": "voice", "registryVersion": "1.0.0" }),
        ),
        (
            Event::SessionAttached { mode: "voice", turn: 1, superseded: 2 },
            json!({ "event": "session_attached", "mode": "voice", "turn": 1, "superseded": 2 }),
        ),
        (Event::SessionEnded { reason: ODD }, json!({ "event": "session_ended", "reason": ODD })),
        (
            Event::RegistryLoaded { registry_version: "1.0.0", tools: 7 },
            json!({ "event": "registry_loaded", "registryVersion": "1.0.0", "tools": 7 }),
        ),
        (
            Event::RegistryLocked { registry_version: "1.0.0" },
            json!({ "event": "registry_locked", "registryVersion": "1.0.0" }),
        ),
        (
            Event::RegistryVersionMismatch { session_version: "1.0.0", registry_version: "1.0.1" },
            json!({ "event": "registry_version_mismatch", "sessionVersion": "1.0.0", "registryVersion": "1.0.1" }),
        ),
    ];
    for (event, expected) in &told {
        expect(event, None, expected);
    }
}
