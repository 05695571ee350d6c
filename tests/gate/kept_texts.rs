//! Arguments whose text the host keeps: the handler gets that text only if it is the final one.

use serde_json::{Map, Value, json};
use toolgate::call::{CallId, RawArgs, RawCall};

use super::act::Attach;
use super::fixtures::paused;
use super::store::{Pace, TestStore};
use super::world::{Setting, World};

#[test]
fn a_handler_gets_the_kept_text_unless_admission_changed_it() {
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
            let args = RawArgs::Kept(text.to_owned(), number);
            let answer = session.execute(RawCall { id: Some(id), name: "get".to_owned(), args }).await;
            assert!(answer.is_ok(), "{}", answer.to_text());
        }
        let kept: Vec<Option<u32>> = world.script.runs_from(0).iter().map(|run| run.kept_text).collect();
        assert_eq!(kept, [Some(1), None, None, None]);
    });
}
