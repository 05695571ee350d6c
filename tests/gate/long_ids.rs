//! Ids of a megabyte: what is kept and written of them is their hash.

use std::fs;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolgate::call::{CallId, RawArgs, RawCall};
use toolgate::store::shared::{SharedOptions, open_file};

use super::act::Attach;
use super::fixtures::paused;
use super::store::{Pace, TestStore};
use super::world::{Setting, World};

const MEGABYTE: usize = 1024 * 1024;

fn call(tool: &str, n: usize) -> RawCall {
    let id = CallId::from(format!("call_{tool}_{n:04}_{}", "x".repeat(MEGABYTE)));
    RawCall {
        id: Some(id),
        name: tool.to_owned(),
        args: RawArgs::Text(format!("{{\"n\":{n}}}")),
        message: None,
        waits: false,
    }
}

#[test]
fn a_hundred_ids_of_a_megabyte_take_little_room() {
    paused().block_on(async {
        let tools: Map<String, Value> = serde_json::from_value(json!({
            "set": {
                "kind": "write",
                "properties": { "n": {} },
                "handler": {
                    "returns": { "ok": true, "intents": [{ "type": "SET_PENDING_MESSAGE", "message": "soon" }] }
                },
            },
            "pay": { "kind": "write", "properties": { "n": {} }, "requiresConfirmation": true },
        }))
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = open_file(&folder.path().join("sessions.sqlite"), SharedOptions::default()).unwrap();
        let mut world = World::new(Setting::default(), &tools, TestStore::over(Arc::new(file), Pace::Blocking));
        let policy = json!({ "totalCalls": 1000 });
        let attach: Attach =
            serde_json::from_value(json!({ "session": "s".repeat(MEGABYTE), "policy": policy })).unwrap();
        world.attach(&attach).await;
        let session = world.session(&attach.on);
        for n in 0..100 {
            let tool = if n % 2 == 0 { "set" } else { "pay" };
            let answer = session.execute(call(tool, n)).await;
            let expected = if tool == "set" { None } else { Some("CONFIRMATION_REQUIRED") };
            assert_eq!(answer.outcome.error().map(|error| error.kind.as_str()), expected);
            assert!(answer.to_text().len() < 2048, "an answer names the hash");
        }
        assert!(session.execute(call("set", 0)).await.meta.idempotent_cache_hit, "the id is the same call's");
        let pending = serde_json::to_string(&session.pending().await.unwrap()).unwrap();
        assert!(pending.contains("sha256:") && pending.len() < 32 * 1024, "{} bytes", pending.len());
        let history = session.with_state(|state| json!(state.history().collect::<Vec<_>>()).to_string());
        assert!(history.contains("sha256:") && history.len() < 64 * 1024, "{} bytes", history.len());
        assert!(world.lines.bytes() < 256 * 1024, "{} bytes of audit", world.lines.bytes());
        let stored: u64 =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(stored < 8 * MEGABYTE as u64, "{stored} bytes in the store");
    });
}
