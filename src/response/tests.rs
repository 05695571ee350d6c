use serde_json::{Value, json};

use super::*;
use crate::schema::RepairRule;

fn bare() -> Meta {
    Meta {
        tool_id: "a \"b\"".into(),
        tool_version: None,
        registry_version: "1.0.0".into(),
        duration: 3.0,
        timestamp: "2026-11-21T13:24:56.789Z".to_owned(),
        response_schema_version: TOOL_RESPONSE_SCHEMA_VERSION,
        call_id: None,
        mode: None,
        turn: None,
        attempts: None,
        idempotency_key: None,
        parent_call_id: None,
        pending: false,
        cached: false,
        idempotent_cache_hit: false,
        original_turn: None,
        clamped: Vec::new(),
        defaulted: Vec::new(),
        repaired: Vec::new(),
        edited: Vec::new(),
        grant: None,
        reconciled: None,
        truncated: None,
        warnings: Vec::new(),
    }
}

fn full() -> Meta {
    let shortened = vec![Shortened { path: "/list".to_owned(), kept: 2, original_len: 9 }];
    Meta {
        tool_version: Some("2.0.0".into()),
        duration: 0.033,
        call_id: Some("call_é".into()),
        mode: Some("voice".into()),
        turn: Some(2),
        attempts: Some(3),
        idempotency_key: Some("tg_0123".into()),
        parent_call_id: Some("above".into()),
        pending: true,
        cached: true,
        idempotent_cache_hit: true,
        original_turn: Some(1),
        clamped: vec![Clamped { path: "/top_k".to_owned(), from: 9.into(), to: 5.into() }],
        defaulted: vec!["/language".to_owned()],
        repaired: vec![Repaired { path: "/n".to_owned(), rule: RepairRule::NumberText }],
        edited: vec![
            Edited { path: "/a".to_owned(), value: Some(json!([1])) },
            Edited { path: String::new(), value: None },
        ],
        grant: Some("tgg_0123".into()),
        reconciled: Some(ReconcileOutcome::NotHappened),
        truncated: Some(Truncated {
            limit_bytes: 100,
            original_bytes: 200,
            dropped: vec!["/x".to_owned()],
            shortened,
            more: 0,
        }),
        warnings: vec!["a\nb".to_owned()],
        ..bare()
    }
}

/// Each meta with its JSON value, which is built independently.
fn metas() -> [(Meta, Value); 2] {
    let bare_value = json!({
        "toolId": "a \"b\"", "toolVersion": null, "registryVersion": "1.0.0", "duration": 3.0,
        "timestamp": "2026-11-21T13:24:56.789Z", "responseSchemaVersion": "1.0.0",
    });
    let full_value = json!({
        "toolId": "a \"b\"", "toolVersion": "2.0.0", "registryVersion": "1.0.0", "duration": 0.033,
        "timestamp": "2026-11-21T13:24:56.789Z", "responseSchemaVersion": "1.0.0", "callId": "call_é",
        "mode": "voice", "turn": 2, "attempts": 3, "idempotencyKey": "tg_0123", "parentCallId": "above",
        "pending": true, "cached": true, "_idempotent_cache_hit": true, "_original_turn": 1,
        "clamped": [{ "path": "/top_k", "from": 9, "to": 5 }], "defaulted": ["/language"],
        "repaired": [{ "path": "/n", "rule": "number_text" }],
        "edited": [{ "path": "/a", "value": [1] }, { "path": "" }], "grant": "tgg_0123", "reconciled": "not_happened",
        "truncated": {
            "limitBytes": 100, "originalBytes": 200, "dropped": ["/x"],
            "shortened": [{ "path": "/list", "kept": 2, "of": 9 }],
        },
        "warnings": ["a\nb"],
    });
    [(bare(), bare_value), (full(), full_value)]
}

#[test]
fn an_answer_stands_as_its_members_do() {
    for (meta, value) in metas() {
        let response = ToolResponse { outcome: Outcome::success(Some("[1]"), "[]"), meta };
        let expected = json!({ "ok": true, "data": [1], "intents": [], "meta": value });
        assert_eq!(response.to_text(), expected.to_string());
    }
}

#[test]
fn what_is_kept_is_the_answer_again() {
    let error = ToolError::new(ErrorType::Permanent, "no\nmore").with_details(json!({ "a": 1 }));
    for (meta, _) in metas() {
        for outcome in [Outcome::success(Some("{\"a\":1}"), "[]"), Outcome::from(error.clone())] {
            let response = ToolResponse { outcome, meta: meta.clone() };
            assert_eq!(ToolResponse::from_stored_text(&response.to_stored_text()), Some(response));
        }
    }
    assert_eq!(ToolResponse::from_stored_text("{\"ok\":true,\"intents\":[]"), None);
}
