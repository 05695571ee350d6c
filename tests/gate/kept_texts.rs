//! Arguments whose text the host keeps: the handler gets that text, unless completion changed a short one.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use toolgate::call::{CallId, KeptText, KeptTextId, RawArgs, RawCall, TextKeeper};
use toolgate::json::Tape;

use super::act::Attach;
use super::fixtures::paused;
use super::store::{Pace, TestStore};
use super::world::{Setting, World};

/// A host that notes the texts that it could parse before their handlers start.
#[derive(Default)]
struct Keeper {
    read: Mutex<Vec<KeptTextId>>,
    parsed: Mutex<Vec<KeptTextId>>,
}

impl TextKeeper for Keeper {
    fn reading(&self, id: KeptTextId, _: &str) {
        self.read.lock().push(id);
    }

    fn parsed(&self, id: KeptTextId, _: &Tape) {
        self.parsed.lock().push(id);
    }
}

#[test]
fn a_handler_gets_the_kept_text_unless_completion_changed_it() {
    paused().block_on(async {
        let properties = json!({ "a": { "type": "integer" }, "b": { "type": "integer", "default": 7 } });
        let tools: Map<String, Value> =
            serde_json::from_value(json!({ "get": { "kind": "read", "properties": properties } })).unwrap();
        let mut world = World::new(Setting::default(), &tools, TestStore::in_memory(Pace::AtOnce));
        let attach: Attach = serde_json::from_value(json!({ "session": "s" })).unwrap();
        world.attach(&attach).await;
        let session = world.session(&attach.on);
        for (number, text) in [(1, r#"{"a":1,"b":2}"#), (2, r#"{"a":1}"#), (3, ""), (4, "null")] {
            let id = CallId::from(format!("call_0000000{number}"));
            let args = RawArgs::Kept(text.to_owned(), KeptText { id: number, keeper: Arc::new(Keeper::default()) });
            let answer = session.execute(RawCall { id: Some(id), name: "get".to_owned(), args, message: None }).await;
            assert!(answer.is_ok(), "{}", answer.to_text());
        }
        let kept: Vec<Value> = world.script.runs_from(0).iter().map(|run| run.kept.clone()).collect();
        assert_eq!(kept, [json!([1, null]), json!(null), json!(null), json!(null)]);
    });
}

#[test]
fn a_long_text_of_a_recorded_call_is_not_parsed_early() {
    paused().block_on(async {
        let tools: Map<String, Value> =
            serde_json::from_value(json!({ "get": { "kind": "read", "properties": { "a": { "type": "string" } } } }))
                .unwrap();
        let mut world = World::new(Setting::default(), &tools, TestStore::in_memory(Pace::AtOnce));
        let attach: Attach = serde_json::from_value(json!({ "session": "s" })).unwrap();
        world.attach(&attach).await;
        let session = world.session(&attach.on);
        let keeper = Arc::new(Keeper::default());
        let make = |number: KeptTextId, id: &str, letter: &str| {
            let text = format!(r#"{{"a":"{}"}}"#, letter.repeat(40_000));
            let args = RawArgs::Kept(text, KeptText { id: number, keeper: Arc::clone(&keeper) as _ });
            session.execute(RawCall { id: Some(CallId::from(id)), name: "get".to_owned(), args, message: None })
        };
        session.begin_turn(None).await.unwrap();
        assert!(make(1, "call_00000001", "x").await.is_ok());
        assert!(make(2, "call_00000001", "x").await.is_ok(), "answered from its record");
        assert!(!make(3, "call_00000001", "y").await.is_ok(), "the id belongs to another call of the turn");
        session.begin_turn(None).await.unwrap();
        assert!(make(4, "call_00000001", "z").await.is_ok(), "in a later turn the id means a new call");
        assert!(make(5, "call_00000005", "x").await.is_ok());
        assert_eq!((&*keeper.read.lock(), &*keeper.parsed.lock()), (&vec![1, 5], &vec![1, 5]));
        let kept: Vec<Value> = world.script.runs_from(0).iter().map(|run| run.kept.clone()).collect();
        assert_eq!(kept, [json!([1, null]), json!(null), json!([5, null])]);
    });
}
