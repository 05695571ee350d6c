//! How much room a call takes while it waits. Futures are laid out by the compiler, which keeps in each what any path
//! through it may hold, and what is moved into one twice: unseen, a call's took 19 KB.

use std::sync::atomic::Ordering;

use serde_json::{Map, Value, json};
use toolgate::call::{RawArgs, RawCall};

use super::act::Attach;
use super::fixtures::paused;
use super::store::{Pace, TestStore};
use super::world::{Setting, World};

/// Bytes; somewhat above what it is, as compilers differ.
const MOST: usize = 4 * 1024 + 640;

#[test]
fn a_waiting_call_takes_little_room() {
    paused().block_on(async {
        let tools: Map<String, Value> = serde_json::from_value(json!({ "look": {} })).unwrap();
        let mut world = World::new(Setting::default(), &tools, TestStore::in_memory(Pace::InTurns));
        let attach: Attach = serde_json::from_value(json!({})).unwrap();
        world.attach(&attach).await;
        let session = world.session(&attach.on);
        let call = RawCall {
            id: None,
            name: "look".to_owned(),
            args: RawArgs::Text("{}".to_owned()),
            message: None,
            waits: false,
        };
        session.execute(call).await;
        let size = world.largest_task.load(Ordering::Relaxed);
        assert!((1..=MOST).contains(&size), "a call's future takes {size} bytes");
    });
}
