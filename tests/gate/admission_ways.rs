//! Random calls with both ways of admission: at once, on a store that never waits, and by a task, on the same store when it
//! takes its time. Answers, audit lines, metrics, state and the records that replays find must be the same,
//! byte for byte but for random tokens.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolgate::json::HashKey;
use toolgate::store::memory::MemoryStore;

use super::act::Act;
use super::fixtures::paused;
use super::perform::Stage;
use super::store::{Pace, TestStore};

/// The tools: each way of ending, of waiting and of asking.
fn tools() -> Map<String, Value> {
    let properties = json!({ "n": { "type": "integer", "maximum": 2 }, "word": { "type": "string", "default": "a" } });
    let tool = |kind: &str, handler: Value| json!({ "kind": kind, "handler": handler, "timeoutMs": 1000, "properties": properties });
    let with = |mut tool: Value, member: &str, value: Value| {
        tool[member] = value;
        tool
    };
    let throws = |kind: &str| json!({ "throws": { "type": kind, "message": "as planned" } });
    let pending = json!({ "ok": true, "intents": [{ "type": "SET_PENDING_MESSAGE", "message": "soon" }] });
    let tools = json!({
        "look": tool("retrieval", json!("held")),
        "find": with(tool("read", json!("echo")), "cache", json!({ "ttlMs": 500 })),
        "flaky": tool("read", json!([throws("RATE_LIMIT"), "echo", throws("TRANSIENT"), throws("PERMANENT")])),
        "slow": tool("write", json!([{ "after": [400, "echo"] }, { "after": [1000, "echo"] }, { "after": [1500, "echo"] }])),
        "never": tool("read", json!("never")),
        "send": tool("write", json!("held")),
        "put": with(tool("upsert", json!("held")), "parallel", json!(true)),
        "pay": with(tool("write", json!("held")), "requiresConfirmation", json!(true)),
        "note": tool("write", json!({ "returns": pending })),
        "wrong": tool("write", json!(["nothing", { "notJson": "a cycle" }, { "returns": { "fine": true } }])),
    });
    let Value::Object(tools) = tools else { panic!("not an object") };
    tools
}

const NAMES: [&str; 11] = ["look", "find", "flaky", "slow", "never", "send", "put", "pay", "note", "wrong", "unknown"];
const HELD: [&str; 4] = ["look", "send", "put", "pay"];

fn call() -> impl Strategy<Value = Value> {
    let id = prop_oneof![3 => (0..5_u8).prop_map(Some), 1 => Just(None)];
    let args = prop_oneof![
        6 => (0..3_u8).prop_map(|n| json!({ "n": n })),
        1 => Just(json!({})),
        1 => Just(json!({ "n": 9 })),
        1 => Just(json!({ "word": 7, "more": true })),
    ];
    (prop::sample::select(&NAMES[..]), id, args).prop_map(|(tool, id, args)| {
        let mut call = json!({ "tool": tool, "args": args });
        if let Some(id) = id {
            call["id"] = json!(format!("call_{id:08}"));
        }
        call
    })
}

fn step() -> impl Strategy<Value = Value> {
    let id = || (0..5_u8).prop_map(|id| format!("call_{id:08}"));
    let token = || (1..4_u8).prop_map(|n| format!("<token {n}>"));
    let ms = prop_oneof![Just(1), Just(400), Just(999), Just(1000), Just(5000)];
    let with = prop_oneof![
        4 => Just(json!("echo")),
        1 => Just(json!({ "throws": { "type": "RATE_LIMIT", "message": "busy" } })),
        1 => Just(json!({ "throws": { "message": "a defect" } })),
    ];
    prop_oneof![
        12 => call().prop_map(|call| json!({ "call": call })),
        5 => (prop::sample::select(&HELD[..]), 1..4_usize, with)
            .prop_map(|(tool, run, with)| json!({ "settle": { "tool": tool, "run": run, "with": with } })),
        3 => ms.prop_map(|ms| json!({ "wait": ms })),
        2 => id().prop_map(|id| json!({ "cancel": { "id": id } })),
        1 => Just(json!({ "cancelAll": {} })),
        1 => Just(json!({ "beginTurn": {} })),
        2 => token().prop_map(|token| json!({ "confirm": { "token": token } })),
        1 => token().prop_map(|token| json!({ "deny": { "token": token } })),
        1 => call().prop_map(|call| json!({ "ask": call })),
        1 => call().prop_map(|call| json!({ "confirmCall": call })),
        1 => Just(json!({ "store": "fails" })),
        2 => Just(json!({ "store": "works" })),
    ]
}

/// What both ways must agree on.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// Each step with what it came to, and the answers of earlier steps.
    steps: Vec<(Value, Value, Map<String, Value>)>,
    audit: Vec<String>,
    metrics: Value,
    runs: Value,
    /// The runs that were asked to stop, by tool and number.
    stopped: Vec<String>,
}

/// The steps after the random ones: what the session has kept.
fn closing_steps() -> Vec<Value> {
    let repeated =
        (0..5_u8).map(|id| json!({ "call": { "tool": "find", "id": format!("call_{id:08}"), "args": { "n": 1 } } }));
    let mut steps = vec![json!({ "store": "works" }), json!({ "wait": 20_000 }), json!({ "pending": {} })];
    steps.extend(repeated);
    steps.extend([json!({ "state": {} }), json!({ "history": {} }), json!({ "end": {} }), json!({ "wait": 20_000 })]);
    steps
}

async fn outcome(steps: &[Value], pace: Pace) -> Outcome {
    let store = MemoryStore::with_fingerprint_key(HashKey::new([7; 16]));
    let store = TestStore::over(Arc::new(store), pace);
    let mut stage = Stage::new(serde_json::from_value(json!({})).expect("a setting"), &tools(), store);
    let policy = json!({ "totalCalls": 12, "retrievalCalls": 4 });
    let attach = serde_json::from_value(json!({ "policy": policy })).expect("options");
    stage.world.attach(&attach).await;
    let mut done = Vec::new();
    for (place, step) in steps.iter().chain(&closing_steps()).enumerate() {
        let mut named = step.clone();
        // A call that is answered by a later step is found there by its name.
        for kind in ["call", "confirm", "ask", "confirmCall"] {
            if let Some(waits) = named.get_mut(kind) {
                waits["as"] = json!(place.to_string());
            }
        }
        let act: Act = serde_json::from_value(named).unwrap_or_else(|error| panic!("step {step}: {error}"));
        let (result, answers) = stage.perform(act).await;
        done.push((step.clone(), result, answers));
    }
    let world = &stage.world;
    Outcome {
        steps: done,
        audit: in_order(world.lines.texts()),
        metrics: world.gate.metrics(),
        runs: world.script.runs(),
        stopped: sorted(&world.script.aborted()),
    }
}

fn sorted(list: &Value) -> Vec<String> {
    let mut texts: Vec<String> = list.as_array().expect("a list").iter().map(Value::to_string).collect();
    texts.sort();
    texts
}

/// The lines, those of one moment by call: the gate promises no order of independent calls that end at one moment.
fn in_order(mut lines: Vec<String>) -> Vec<String> {
    lines.sort_by_cached_key(|line| {
        let line: Value = serde_json::from_str(line).expect("a line is JSON");
        ["at", "callId", "toolId"].map(|member| line[member].as_str().unwrap_or_default().to_owned())
    });
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn both_ways_do_the_same(steps in prop::collection::vec(step(), 1..40)) {
        let synchronous = paused().block_on(outcome(&steps, Pace::AtOnce));
        let asynchronous = paused().block_on(outcome(&steps, Pace::InTurns));
        prop_assert_eq!(synchronous, asynchronous);
    }
}
