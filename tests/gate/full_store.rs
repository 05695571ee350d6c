//! A memory store with as many sessions as are kept, each with an open question: a new session is refused until one of
//! the questions is answered.

use serde_json::{Map, Value, json};
use toolgate::admit::store_refusal;
use toolgate::error::ErrorType;
use toolgate::gate::UserDenial;
use toolgate::store::StoreError;

use super::act::{Attach, Call};
use super::fixtures::paused;
use super::store::{Pace, TestStore};
use super::world::{Setting, World};

const IS_FULL: &str = "the session store is full; try again";

fn from_json<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// Attaches to a session, asks a question in it, and leaves it.
async fn leave_with_question(world: &mut World, session: &str) {
    let attach: Attach = from_json(json!({ "on": session, "session": session }));
    assert_eq!(world.attach(&attach).await, json!({ "turn": 1 }));
    let call: Call = from_json(json!({ "tool": "pay", "id": "call_00000001", "args": {}, "on": session }));
    world.begin_call(&call);
    let answered = world.idle(true).await;
    assert_eq!(answered[0].answer["error"]["type"], "CONFIRMATION_REQUIRED", "{}", answered[0].answer);
    world.session(session).detach();
}

#[test]
fn a_new_session_is_refused_until_a_question_is_answered() {
    paused().block_on(async {
        let tools: Map<String, Value> = from_json(json!({ "pay": { "kind": "write", "requiresConfirmation": true } }));
        let setting = Setting { max_sessions: Some(2), ..Setting::default() };
        let mut world = World::new(setting, &tools, TestStore::in_memory(Pace::AtOnce));
        for session in ["s1", "s2", "s3"] {
            leave_with_question(&mut world, session).await;
        }
        let new: Attach = from_json(json!({ "on": "new", "session": "new" }));
        assert_eq!(world.attach(&new).await, json!({ "error": IS_FULL }));
        let (kinds, categories) = (["session_refused".to_owned()], world.categories());
        let refused = world.lines.heard(Some(&kinds), &categories, &mut world.names);
        let expected =
            json!({ "sessionId": "new", "event": "session_refused", "mode": "text", "errorType": "TRANSIENT", "message": IS_FULL });
        assert_eq!(refused, json!([expected]));
        let counted = world.gate.metrics()["(sessions)"].clone();
        assert_eq!(counted["total"]["errors"], json!({ "TRANSIENT": 1 }));
        assert_eq!(counted["text"], counted["total"]);

        let first: Attach = from_json(json!({ "on": "s1", "session": "s1" }));
        assert_eq!(world.attach(&first).await, json!({ "turn": 1 }), "an existing session is resumed");
        let session = world.session("s1");
        let questions = session.pending().await.unwrap();
        assert_eq!(questions.len(), 1, "its question is still open");
        assert!(session.deny(&questions[0].token, UserDenial::default()).await.unwrap());
        session.detach();
        assert_eq!(world.attach(&new).await, json!({ "turn": 1 }));
    });
}

#[test]
fn a_full_store_is_a_transient_failure_with_a_time() {
    let refusal = store_refusal(&StoreError::Full);
    assert_eq!(refusal.kind, ErrorType::Transient);
    assert!(refusal.retryable && refusal.retry_after_ms.is_some_and(|ms| ms > 0));
}
