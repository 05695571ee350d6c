use serde_json::{Value, json};

use super::*;
use crate::definition::{Artifact, ProviderDeclarations, ToolWithDeclarations};
use crate::registry::ToolSet;
use crate::run::HandlerError;

const MAX_RESULT_BYTES: usize = 10_000;

/// A tool with further fields of its definition.
fn tool(more: &Value) -> Arc<CompiledTool> {
    let mut definition = json!({
        "toolId": "note", "version": "1.0.0", "title": "Note", "description": "Notes.", "category": "utility",
        "sideEffects": "none", "idempotent": true, "requiresConfirmation": false, "allowedModes": ["text"],
        "latencyBudgetMs": 100, "parallel": true, "jsonSchema": { "type": "object", "additionalProperties": false },
        "summary": "Notes.", "documentation": "# Note", "handlerPath": "./handler.js", "examples": [{}],
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        definition[name] = value.clone();
    }
    let definition = serde_json::from_value(definition).unwrap();
    let artifact = Artifact {
        artifact_version: 1,
        version: "1".to_owned(),
        git_commit: None,
        build_timestamp: "2026-01-01T00:00:00Z".to_owned(),
        tools: vec![ToolWithDeclarations { definition, declared: ProviderDeclarations::default() }],
    };
    Arc::clone(ToolSet::compile(artifact).unwrap().get("note").unwrap())
}

pub(super) fn reading() -> Arc<CompiledTool> {
    tool(&json!({}))
}

fn writing() -> Arc<CompiledTool> {
    tool(&json!({ "category": "action", "sideEffects": "writes", "idempotent": false }))
}

fn settled(tool: &CompiledTool, from: HandlerOutcome) -> NormalizedOutcome {
    normalize_outcome(tool, &Mode::from_name("text"), MAX_RESULT_BYTES, from)
}

fn returned(tool: &CompiledTool, result: &Value) -> NormalizedOutcome {
    settled(tool, HandlerOutcome::Returned(result.to_string()))
}

fn threw(tool: &CompiledTool, thrown: &Value) -> NormalizedOutcome {
    let thrown: HandlerError = serde_json::from_value(thrown.clone()).unwrap();
    settled(tool, HandlerOutcome::Threw(Box::new(thrown)))
}

/// The response's members before its meta.
fn response(settled: &NormalizedOutcome) -> Value {
    serde_json::from_str(&format!("{}}}", settled.outcome.identity())).unwrap()
}

#[test]
fn a_success_is_its_data_and_intents() {
    let intents = json!([{ "type": "SUPPRESS_AUDIO", "value": true }]);
    let settled = returned(&reading(), &json!({ "ok": true, "data": { "a": 1 }, "intents": intents }));
    assert_eq!(response(&settled), json!({ "ok": true, "data": { "a": 1 }, "intents": intents }));
    assert_eq!((settled.warnings.len(), settled.truncated.is_some(), settled.intents.len()), (0, false, 1));
}

/// They are of a thrown error: the contract has no such members.
#[test]
fn a_returned_error_may_have_a_code_and_a_status_of_any_type() {
    let error = json!({ "type": "CONFLICT", "message": "it is taken", "code": 42, "status": "later" });
    for result in [json!({ "ok": false, "error": error }), json!({ "success": false, "error": error })] {
        let settled = returned(&reading(), &result);
        assert_eq!(settled.outcome.error().map(|error| error.message.as_str()), Some("it is taken"));
        assert_eq!(settled.outcome.error_type(), Some(ErrorType::Conflict));
    }
}

#[test]
fn the_older_form_is_a_success_too() {
    let settled = returned(&reading(), &json!({ "success": true, "data": [1] }));
    assert_eq!(response(&settled), json!({ "ok": true, "data": [1], "intents": [] }));
    let failed = returned(&reading(), &json!({ "success": false, "error": "no such note" }));
    assert_eq!(failed.outcome.error_type(), Some(ErrorType::Permanent));
    assert_eq!(failed.outcome.error().map(|error| error.message.as_str()), Some("no such note"));
}

#[test]
fn a_result_that_is_no_result_is_internal_and_says_why() {
    let tool = reading();
    for (from, why) in [
        (HandlerOutcome::Nothing, "it returned nothing"),
        (HandlerOutcome::NotJson { problem: "a cycle".to_owned(), path: None }, "its result is not JSON: a cycle"),
        (HandlerOutcome::TooLarge, "its result is too large: a handler may return at most 10000 bytes of JSON"),
        (HandlerOutcome::Returned("[]".to_owned()), "its result is not an object with `ok`"),
        (HandlerOutcome::Returned("{}".to_owned()), "its result has no boolean `ok`"),
        (HandlerOutcome::Returned("{\"ok\":1}".to_owned()), "its result has no boolean `ok`"),
        (HandlerOutcome::Returned("{\"ok\":false}".to_owned()), "its result is a failure without an `error`"),
    ] {
        let settled = settled(&tool, from);
        let error = settled.outcome.error().unwrap();
        assert_eq!((error.kind, error.partial_side_effects), (ErrorType::Internal, false), "{why}");
        assert_eq!(error.message, format!("`note` gave no usable answer: {why}"));
    }
    let text = format!("{{\"ok\":true,\"data\":\"{}\"}}", "x".repeat(MAX_RESULT_BYTES));
    let settled = settled(&writing(), HandlerOutcome::Returned(text));
    // Whether the write happened is not known.
    assert!(settled.outcome.error().is_some_and(|error| error.partial_side_effects));
}

#[test]
fn what_does_not_belong_to_a_result_is_dropped_with_a_warning() {
    let settled = returned(&reading(), &json!({ "ok": true, "error": {}, "intents": 1, "stream": true }));
    assert_eq!(response(&settled), json!({ "ok": true, "intents": [] }));
    assert_eq!(settled.warnings.len(), 3, "{:?}", settled.warnings);
    let many = vec![json!({ "type": "SUPPRESS_AUDIO", "value": true }); 20];
    let settled = returned(&reading(), &json!({ "ok": true, "intents": many }));
    assert_eq!((settled.intents.len(), settled.warnings.len()), (16, 1));
}

#[test]
fn null_members_of_an_error_are_absent_and_unknown_ones_are_named() {
    let error = json!({
        "type": "PERMANENT", "message": "gone", "code": "ECONNRESET", "status": 503, "retryable": null, "suggestion": null,
    });
    let settled = returned(&reading(), &json!({ "ok": false, "error": error }));
    let expected = json!({ "type": "PERMANENT", "message": "gone", "retryable": false, "partialSideEffects": false });
    assert_eq!(response(&settled)["error"], expected);
    assert_eq!(
        settled.warnings,
        ["members that a result does not have were dropped: `error.code`, `error.status`; use `data`"]
    );
}

#[test]
fn an_intent_may_be_as_large_as_its_limit() {
    let intent = |bytes: usize| {
        let intent = |text: &str| json!({ "type": "SET_PENDING_MESSAGE", "message": text });
        intent(&"x".repeat(bytes - intent("").to_string().len()))
    };
    let tool = tool(&json!({ "resultLimitBytes": 256 }));
    let settled = returned(&tool, &json!({ "ok": true, "intents": [intent(1024), intent(1025)] }));
    assert_eq!(settled.warnings, ["an intent of 1025 bytes was dropped: it is larger than a result may be"]);
    assert_eq!(settled.intents.len(), 1);
}

#[test]
fn data_beyond_the_limit_is_cut_and_kept_in_full() {
    let tool = tool(&json!({ "resultLimitBytes": 256 }));
    let data = json!({ "results": (0..100).map(|n| json!({ "n": n })).collect::<Vec<_>>() });
    let settled = returned(&tool, &json!({ "ok": true, "data": data }));
    assert!(response(&settled)["data"].to_string().len() <= 256);
    assert!(settled.truncated.is_some());
    assert_eq!(settled.full.as_deref().map(|full| serde_json::from_str::<Value>(full).unwrap()), Some(data));
}

#[test]
fn data_must_fit_the_result_schema() {
    let tool = tool(&json!({ "resultSchema": { "type": "object", "required": ["n"] } }));
    assert!(returned(&tool, &json!({ "ok": true, "data": { "n": 1 } })).outcome.error().is_none());
    for result in [json!({ "ok": true }), json!({ "ok": true, "data": {} })] {
        assert_eq!(returned(&tool, &result).outcome.error_type(), Some(ErrorType::Internal), "{result}");
    }
}

#[test]
fn a_thrown_type_decides_whether_another_attempt_is_made() {
    let retried = |tool: &CompiledTool, thrown: Value| threw(tool, &thrown).transient_failure.is_some();
    assert!(retried(&reading(), json!({ "type": "TRANSIENT", "message": "m" })));
    assert!(retried(&reading(), json!({ "type": "RATE_LIMIT", "message": "m", "retryAfter": 2 })));
    assert!(retried(&reading(), json!({ "message": "fetch failed" })));
    assert!(retried(&writing(), json!({ "message": "m", "code": "ECONNRESET" })));
    // Words are less certain than codes.
    assert!(!retried(&writing(), json!({ "message": "fetch failed" })));
    assert!(!retried(&reading(), json!({ "type": "TRANSIENT", "message": "m", "retryable": false })));
    assert!(!retried(&reading(), json!({ "type": "CONFLICT", "message": "m", "retryable": true })));
    assert!(!retried(&reading(), json!({ "message": "a bug" })));
}

#[test]
fn a_handlers_own_warnings_are_kept_within_bounds() {
    let warnings = |meta: Value, ok: bool| {
        let error = json!({ "type": "NOT_FOUND", "message": "m" });
        let result =
            if ok { json!({ "ok": ok, "meta": meta }) } else { json!({ "ok": ok, "error": error, "meta": meta }) };
        returned(&reading(), &result).warnings
    };
    let given = json!({ "warnings": ["no_client", 7, null, "é".repeat(300)], "duration": 9 });
    for ok in [true, false] {
        assert_eq!(warnings(given.clone(), ok), ["no_client".to_owned(), "é".repeat(200)]);
        assert_eq!(warnings(json!({ "warnings": vec!["w"; 1000] }), ok).len(), 10);
        for meta in [
            json!(null),
            json!([]),
            json!("x"),
            json!({}),
            json!({ "warnings": "w" }),
            json!({ "warnings": { "0": "w" } }),
        ] {
            assert!(warnings(meta.clone(), ok).is_empty(), "{meta}");
        }
    }
}

#[test]
fn a_delay_in_seconds_is_rounded_up_to_milliseconds() {
    let delay = |thrown: Value| threw(&reading(), &thrown).outcome.error().and_then(|error| error.retry_after_ms);
    assert_eq!(delay(json!({ "type": "RATE_LIMIT", "message": "m", "retryAfter": 0.0015 })), Some(2));
    assert_eq!(delay(json!({ "type": "RATE_LIMIT", "message": "m", "retryAfter": 9, "retryAfterMs": 5 })), Some(5));
    assert_eq!(delay(json!({ "type": "RATE_LIMIT", "message": "m", "retryAfterMs": -5 })), Some(0));
}

#[test]
fn a_write_that_lost_its_connection_may_have_happened() {
    let doubtful = |thrown: Value| threw(&writing(), &thrown).outcome.error().unwrap().partial_side_effects;
    assert!(doubtful(json!({ "type": "TRANSIENT", "message": "m" })));
    assert!(doubtful(json!({ "message": "m", "code": "ETIMEDOUT" })));
    assert!(doubtful(json!({ "message": "a bug" })));
    assert!(!doubtful(json!({ "type": "TRANSIENT", "message": "m", "retryable": true })));
    assert!(!doubtful(json!({ "type": "TRANSIENT", "message": "m", "partialSideEffects": false })));
    assert!(!doubtful(json!({ "type": "NOT_FOUND", "message": "m" })));
}

#[test]
fn an_untyped_message_never_reaches_the_model() {
    for thrown in [json!({ "message": "secret host" }), json!({ "message": "secret host: timeout" })] {
        assert!(!response(&threw(&reading(), &thrown)).to_string().contains("secret"), "{thrown}");
    }
}

#[test]
fn a_timeout_of_a_write_is_unknown_and_of_a_read_retryable() {
    let (read, write) = (timed_out(&reading(), 50), timed_out(&writing(), 50));
    assert_eq!((read.kind, read.retryable, read.partial_side_effects), (ErrorType::Transient, true, false));
    assert_eq!((write.kind, write.retryable, write.partial_side_effects), (ErrorType::Transient, false, true));
    let details: Value = serde_json::from_str(write.details.unwrap().as_str()).unwrap();
    assert_eq!(details, json!({ "reason": "timeout", "timeoutMs": 50, "outcome": "unknown" }));
}

#[test]
fn a_call_that_found_no_slot_has_not_run() {
    let error = queue_timed_out(&writing(), 10);
    assert_eq!((error.kind, error.retryable, error.partial_side_effects), (ErrorType::Transient, true, false));
    assert_eq!(error.retry_after_ms, Some(NO_SLOT_RETRY_AFTER_MS));
}
