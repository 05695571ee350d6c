//! Random interleavings of calls, duplicates, cancellations, results, deadlines, turns and confirmations over a few ids
//! and tools, on a paused clock, against what must hold whatever happens:
//!
//! - every call gets exactly one answer, and a success answers the arguments that were sent;
//! - a key's handler starts again only where its earlier run left nothing behind;
//! - a turn starts no more handlers than its budgets say, and no fewer counts are taken than handlers started;
//! - a confirmation starts its handler at most once, and nothing else starts it;
//! - a cancellation is true exactly if a caller of that id waits, and that caller is answered with CANCELLED.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::act::{Act, Answer, BeginTurn, Call, Cancel, On, Settle};
use super::fixtures::paused;
use super::perform::Stage;
use super::script::{Plan, Run};
use super::store::{Pace, TestStore};

const TOTAL: u32 = 6;
const RETRIEVALS: u32 = 3;
const TIMEOUT_MS: u64 = 1000;

/// How a held run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Success,
    /// May be tried again, and changed nothing: leaves no record.
    TryAgain,
    Failure,
}

#[derive(Debug, Clone)]
enum Op {
    Call { tool: &'static str, id: Option<u8>, args: u8 },
    Settle(usize, End),
    Wait(u64),
    Cancel(u8),
    CancelAll,
    Turn,
    Confirm(usize),
    Deny(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let tool = prop_oneof![Just("look"), Just("send"), Just("put"), Just("pay")];
    let id = prop_oneof![3 => (0..4_u8).prop_map(Some), 1 => Just(None)];
    let end = prop_oneof![3 => Just(End::Success), 1 => Just(End::TryAgain), 1 => Just(End::Failure)];
    prop_oneof![
        8 => (tool, id, 0..2_u8).prop_map(|(tool, id, args)| Op::Call { tool, id, args }),
        4 => (0..4_usize, end).prop_map(|(run, end)| Op::Settle(run, end)),
        2 => prop_oneof![Just(1), Just(400), Just(TIMEOUT_MS)].prop_map(Op::Wait),
        2 => (0..4_u8).prop_map(Op::Cancel),
        1 => Just(Op::CancelAll),
        1 => Just(Op::Turn),
        3 => (0..4_usize).prop_map(Op::Confirm),
        1 => (0..4_usize).prop_map(Op::Deny),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens(ops in prop::collection::vec(op(), 1..60)) {
        paused().block_on(play(&ops, TestStore::in_memory(Pace::AtOnce)));
    }

    #[test]
    fn whatever_happens_with_a_slow_store(ops in prop::collection::vec(op(), 1..60)) {
        paused().block_on(play(&ops, TestStore::in_memory(Pace::InTurns)));
    }
}

async fn play(ops: &[Op], store: TestStore) {
    let mut model = Model::new(store).await;
    for op in ops {
        model.step(op).await;
    }
    model.finish().await;
}

/// A call that has no answer yet.
struct Caller {
    id: Option<String>,
    args: Value,
}

/// A question that was asked.
struct Asked {
    token: String,
    args: Value,
    /// Of the call that asked first.
    id: Option<String>,
    starts: usize,
}

/// A run whose handler has not ended.
struct HeldRun {
    run: Run,
    /// Its place among the runs of its key.
    nth: usize,
}

struct Model {
    stage: Stage,
    made: usize,
    waiting: BTreeMap<String, Caller>,
    /// The ids of the calls so far.
    called: BTreeSet<String>,
    /// The ids that were cancelled before their first call.
    cancelled_early: BTreeSet<String>,
    asked: Vec<Asked>,
    held: Vec<HeldRun>,
    /// Runs per key: how each ended, if it was the handler that ended it.
    ended: HashMap<String, Vec<Option<End>>>,
    /// The keys of reads after whose start a write has begun: without an id such a read is made again.
    outdated: BTreeSet<String>,
    reads: BTreeSet<String>,
    seen: usize,
    turn_total: u32,
    turn_retrievals: u32,
}

fn tools() -> Map<String, Value> {
    let tool = |kind: &str, confirmed: bool| {
        json!({
            "kind": kind,
            "handler": "held",
            "timeoutMs": TIMEOUT_MS,
            "retry": { "maxAttempts": 1 },
            "parallel": true,
            "requiresConfirmation": confirmed,
            "properties": { "n": { "type": "integer" } },
        })
    };
    let tools = json!({
        "look": tool("retrieval", false),
        "send": tool("write", false),
        "put": tool("upsert", false),
        "pay": tool("write", true),
    });
    tools.as_object().cloned().expect("an object")
}

impl Model {
    async fn new(store: TestStore) -> Self {
        let mut stage = Stage::new(serde_json::from_value(json!({})).expect("a setting"), &tools(), store);
        let policy = json!({ "totalCalls": TOTAL, "retrievalCalls": RETRIEVALS });
        let attach = serde_json::from_value(json!({ "policy": policy })).expect("options");
        stage.world.attach(&attach).await;
        Self {
            stage,
            made: 0,
            waiting: BTreeMap::new(),
            called: BTreeSet::new(),
            cancelled_early: BTreeSet::new(),
            asked: Vec::new(),
            held: Vec::new(),
            ended: HashMap::new(),
            outdated: BTreeSet::new(),
            reads: BTreeSet::new(),
            seen: 0,
            turn_total: 0,
            turn_retrievals: 0,
        }
    }

    async fn step(&mut self, op: &Op) {
        match op {
            Op::Call { tool, id, args } => self.call(tool, *id, *args).await,
            Op::Settle(place, end) => self.settle(*place, *end).await,
            Op::Wait(ms) => {
                self.perform(Act::Wait(*ms)).await;
            }
            Op::Cancel(id) => self.cancel(&name_of(*id)).await,
            Op::CancelAll => self.cancel_all().await,
            Op::Turn => {
                let turn = BeginTurn { id: None, on: main() };
                if self.perform(Act::BeginTurn(turn)).await != json!(1) {
                    (self.turn_total, self.turn_retrievals) = (0, 0);
                }
            }
            Op::Confirm(place) => self.confirm(*place).await,
            Op::Deny(place) => {
                if let Some(asked) = self.asked.get(*place) {
                    let answer = Answer {
                        token: asked.token.clone(),
                        reason: None,
                        on: main(),
                        name: None,
                        aborted: None,
                        edited: None,
                        grant: None,
                        approver: None,
                    };
                    self.perform(Act::Deny(answer)).await;
                }
            }
        }
        let started = self.stage.world.script.runs_from(self.seen);
        assert!(started.is_empty() || matches!(op, Op::Call { .. } | Op::Confirm(_)), "{op:?} starts {started:?}");
        for run in started {
            self.seen += 1;
            self.check_start(op, &run.tool, &run.key);
            let runs = self.ended.entry(run.key.clone()).or_default();
            runs.push(None);
            self.held.push(HeldRun { nth: runs.len() - 1, run });
        }
    }

    async fn call(&mut self, tool: &str, id: Option<u8>, args: u8) {
        self.made += 1;
        let (name, id, args) = (format!("call {}", self.made), id.map(name_of), json!({ "n": args }));
        let call = Call {
            tool: tool.to_owned(),
            id: id.clone(),
            args: Some(args.clone()),
            text: None,
            bytes: None,
            nested: None,
            not_json: None,
            message: None,
            message_content: None,
            on: main(),
            name: Some(name.clone()),
            aborted: None,
        };
        self.waiting.insert(name.clone(), Caller { id: id.clone(), args: args.clone() });
        self.called.extend(id.clone());
        let answer = self.perform(Act::Call(call)).await;
        if answer == "(waiting)" {
            return;
        }
        self.check_answer(&name, &answer);
        if let Some(request) = answer.pointer("/error/confirmation_request") {
            let token = request["token"].as_str().expect("a token").to_owned();
            assert_eq!(request["args"], args);
            if self.asked.iter().all(|asked| asked.token != token) {
                self.asked.push(Asked { token, args, id, starts: 0 });
            }
        }
    }

    async fn confirm(&mut self, place: usize) {
        let Some(asked) = self.asked.get(place) else { return };
        self.made += 1;
        let (name, token) = (format!("yes {}", self.made), asked.token.clone());
        self.waiting.insert(name.clone(), Caller { id: asked.id.clone(), args: asked.args.clone() });
        let answer = Answer {
            token,
            reason: None,
            on: main(),
            name: Some(name.clone()),
            aborted: None,
            edited: None,
            grant: None,
            approver: None,
        };
        let answer = self.perform(Act::Confirm(answer)).await;
        if answer != "(waiting)" {
            self.check_answer(&name, &answer);
        }
    }

    async fn settle(&mut self, place: usize, end: End) {
        if place >= self.held.len() {
            return;
        }
        let HeldRun { run: Run { tool, number, key, .. }, nth } = self.held.remove(place);
        let with = match end {
            End::Success => Plan::Echo,
            End::TryAgain => plan(&json!({ "throws": { "type": "RATE_LIMIT", "message": "slow down" } })),
            End::Failure => plan(&json!({ "throws": { "type": "PERMANENT", "message": "no" } })),
        };
        // The result of a read that was stopped is returned and not recorded: it can be made again, whatever it was.
        let is_kept = tool != "look" || !self.stage.world.script.was_stopped(&tool, number);
        let listened = self.perform(Act::Settle(Settle { tool, run: number, with })).await;
        if listened == json!(true) && is_kept {
            self.ended.get_mut(&key).expect("started")[nth] = Some(end);
        }
    }

    async fn cancel(&mut self, id: &str) {
        let meant = self.named(|caller| caller.id.as_deref() == Some(id));
        if !self.called.contains(id) {
            self.cancelled_early.insert(id.to_owned());
        }
        let cancel = Cancel { id: id.to_owned(), reason: "user".to_owned(), on: main() };
        let found = self.perform_cancel(Act::Cancel(cancel), &meant).await;
        assert_eq!(found, json!(!meant.is_empty()), "cancel says whether a caller of `{id}` waits");
    }

    async fn cancel_all(&mut self) {
        let meant = self.named(|_| true);
        let cancel = Cancel { id: String::new(), reason: "user".to_owned(), on: main() };
        let found = self.perform_cancel(Act::CancelAll(cancel), &meant).await;
        assert_eq!(found, json!(meant.len()));
    }

    fn named(&self, is_meant: impl Fn(&Caller) -> bool) -> Vec<String> {
        self.waiting.iter().filter(|(_, caller)| is_meant(caller)).map(|(name, _)| name.clone()).collect()
    }

    async fn perform_cancel(&mut self, act: Act, meant: &[String]) -> Value {
        let (result, answers) = self.stage.perform(act).await;
        for (name, answer) in answers {
            assert!(meant.contains(&name), "`{name}` was not cancelled: {answer}");
            assert_eq!(answer["error"]["type"], "CANCELLED", "{answer}");
            self.waiting.remove(&name);
        }
        for name in meant {
            assert!(!self.waiting.contains_key(name), "`{name}` was cancelled and waits on");
        }
        result
    }

    /// Performs an act and takes the answers that came meanwhile.
    async fn perform(&mut self, act: Act) -> Value {
        let (result, answers) = self.stage.perform(act).await;
        for (name, answer) in answers {
            self.check_answer(&name, &answer);
        }
        result
    }

    fn check_answer(&mut self, name: &str, answer: &Value) {
        let caller = self.waiting.remove(name).unwrap_or_else(|| panic!("`{name}` is answered twice: {answer}"));
        if answer["error"]["type"] == "CANCELLED" {
            let was_early = caller.id.as_ref().is_some_and(|id| self.cancelled_early.remove(id));
            assert!(was_early, "`{name}` was not cancelled");
        }
        if answer["ok"] == json!(true) {
            assert_eq!(answer["data"], caller.args, "`{name}` has another call's answer");
        }
    }

    fn check_start(&mut self, op: &Op, tool: &str, key: &str) {
        let reads = tool == "look";
        let was_outdated = self.outdated.remove(key) && matches!(op, Op::Call { id: None, .. });
        if reads {
            self.reads.insert(key.to_owned());
        } else {
            self.outdated.clone_from(&self.reads);
        }
        for (place, end) in self.ended.get(key).into_iter().flatten().enumerate() {
            let left_nothing = match end {
                None => reads,
                Some(end) => *end == End::TryAgain || was_outdated,
            };
            assert!(left_nothing, "run {place} of {key} ({tool}) ended {end:?}, and it starts again");
        }
        if let Op::Confirm(place) = op {
            assert_eq!(tool, "pay");
            self.asked[*place].starts += 1;
            assert_eq!(self.asked[*place].starts, 1, "a confirmation runs once");
            return;
        }
        assert_ne!(tool, "pay", "it runs with its confirmation alone");
        self.turn_total += 1;
        self.turn_retrievals += u32::from(reads);
        assert!(self.turn_total <= TOTAL && self.turn_retrievals <= RETRIEVALS, "over budget");
    }

    /// No caller waits past every deadline.
    async fn finish(&mut self) {
        self.perform(Act::Wait(2 * TIMEOUT_MS)).await;
        let waiting: Vec<&String> = self.waiting.keys().collect();
        assert!(waiting.is_empty(), "never answered: {waiting:?}");
        self.perform(Act::End(On { on: main() })).await;
    }
}

fn plan(value: &Value) -> Plan {
    serde_json::from_value(value.clone()).expect("a plan")
}

fn name_of(id: u8) -> String {
    format!("call_{id:08}")
}

fn main() -> String {
    "main".to_owned()
}
