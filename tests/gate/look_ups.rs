//! How often the store is asked for a call's record before the call is claimed.

use serde_json::{Map, Value, json};

use super::act::{Attach, Call};
use super::fixtures::paused;
use super::store::{Pace, TestStore};
use super::world::{Setting, World};

fn from_json<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// A session on a store, with a tool that runs at once and one that asks its user.
async fn world(store: TestStore) -> World {
    let properties = json!({ "a": { "type": "string" } });
    let tools: Map<String, Value> = from_json(json!({
        "get": { "kind": "read", "properties": properties },
        "pay": { "kind": "write", "requiresConfirmation": true },
    }));
    let mut world = World::new(Setting::default(), &tools, store);
    let attach: Attach = from_json(json!({ "session": "s" }));
    assert_eq!(world.attach(&attach).await, json!({ "turn": 1 }));
    world
}

/// Makes a call. Returns its answer and the number of look-ups.
async fn make(world: &mut World, call: Value) -> (Value, usize) {
    let before = world.store.look_ups();
    world.begin_call(&from_json::<Call>(call));
    let answered = world.idle(true).await;
    (answered[0].answer.clone(), world.store.look_ups() - before)
}

#[test]
fn a_call_is_looked_up_before_it_is_claimed_if_that_costs_little() {
    paused().block_on(async {
        let mut world = world(TestStore::in_memory(Pace::AtOnce)).await;
        let call = json!({ "tool": "get", "id": "call_00000001", "args": {} });
        let (answer, look_ups) = make(&mut world, call.clone()).await;
        assert_eq!((&answer["ok"], look_ups), (&json!(true), 1));
        assert_eq!(make(&mut world, call).await.1, 1, "its record answers");
    });
}

#[test]
fn a_call_that_is_claimed_first_is_looked_up_if_it_is_not_granted() {
    paused().block_on(async {
        let mut world = world(TestStore::claiming_first(Pace::AtOnce)).await;
        let call = json!({ "tool": "get", "id": "call_00000001", "args": {} });
        let (first, look_ups) = make(&mut world, call.clone()).await;
        assert_eq!((&first["ok"], look_ups), (&json!(true), 0));
        let (again, look_ups) = make(&mut world, call).await;
        assert_eq!((&again["data"], look_ups), (&first["data"], 1), "its record answers");
        let other = json!({ "tool": "get", "id": "call_00000001", "args": { "a": "other" } });
        let (refused, look_ups) = make(&mut world, other).await;
        assert_eq!((&refused["error"]["details"]["reason"], look_ups), (&json!("call_id_reused"), 1));
    });
}

#[test]
fn a_call_with_large_arguments_is_looked_up_first() {
    paused().block_on(async {
        let mut world = world(TestStore::claiming_first(Pace::AtOnce)).await;
        // The text has 8 bytes more: the arguments may have 16 KiB.
        for (number, length, expected) in [(1, 16 * 1024 - 8, 0), (2, 16 * 1024 - 7, 1)] {
            let args = json!({ "a": "x".repeat(length) });
            let call = json!({ "tool": "get", "id": format!("call_0000000{number}"), "args": args });
            let (answer, look_ups) = make(&mut world, call).await;
            assert_eq!((&answer["ok"], look_ups), (&json!(true), expected), "{length}");
        }
    });
}

#[test]
fn a_user_is_asked_about_a_call_that_was_looked_up() {
    paused().block_on(async {
        let mut world = world(TestStore::claiming_first(Pace::AtOnce)).await;
        let (asked, look_ups) = make(&mut world, json!({ "tool": "pay", "id": "call_00000001", "args": {} })).await;
        assert_eq!((&asked["error"]["type"], look_ups), (&json!("CONFIRMATION_REQUIRED"), 1));
    });
}
