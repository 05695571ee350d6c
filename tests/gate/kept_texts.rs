//! Arguments whose text the host keeps: the handler gets that text, unless completion changed a short one.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolgate::call::{CallId, KeptText, KeptTextId, RawArgs, RawCall, TextKeeper};
use toolgate::json::Tape;

use super::act::Attach;
use super::fixtures::paused;
use super::store::{Pace, TestStore};
use super::world::{Setting, World};

/// A host that parses no text before its handler starts.
struct Keeper;

impl TextKeeper for Keeper {
    fn parsed(&self, _: KeptTextId, _: &Tape) {}
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
            let args = RawArgs::Kept(text.to_owned(), KeptText { id: number, keeper: Arc::new(Keeper) });
            let answer = session.execute(RawCall { id: Some(id), name: "get".to_owned(), args }).await;
            assert!(answer.is_ok(), "{}", answer.to_text());
        }
        let kept: Vec<Value> = world.script.runs_from(0).iter().map(|run| run.kept.clone()).collect();
        assert_eq!(kept, [json!([1, null]), json!(null), json!(null), json!(null)]);
    });
}
