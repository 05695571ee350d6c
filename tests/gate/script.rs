//! Handlers that do what a fixture says, one plan per run.

use std::collections::HashMap;
use std::mem::{self, ManuallyDrop};
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::AbortHandle;
use toolgate::clock::EpochMs;
use toolgate::run::{HandlerError, HandlerOutcome, Handlers, Invocation, InvocationId, OutcomeSink};

use super::tools::reconcile_of;

/// What one run of a handler does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Plan {
    /// Returns success with its arguments as data.
    Echo,
    /// Returns success with everything it was started with as data.
    Facts,
    /// Of a `reconcile`: the call has happened, with everything that it was asked with as data.
    Happened,
    /// Returns a value.
    Returns(Value),
    /// Returns a value as this text.
    Text(String),
    /// Returns success with a list of that many numbers as data, each 10 bytes and a comma.
    Numbers(usize),
    /// Throws.
    Throws(HandlerError),
    /// Returns nothing.
    Nothing,
    /// Returns more than the host reads.
    TooLarge,
    /// Returns what JSON can't carry.
    NotJson(String),
    /// Waits for a `settle` step.
    Held,
    /// Never settles.
    Never,
    /// Settles after milliseconds.
    After(u64, Box<Plan>),
}

/// One start of a handler.
#[derive(Debug, Clone)]
pub struct Run {
    id: InvocationId,
    pub tool: String,
    /// Its number among the tool's runs, from 1.
    pub number: usize,
    pub key: String,
}

type Held = HashMap<(String, usize), (OutcomeSink, Invocation)>;

/// The handlers of a fixture.
#[derive(Default)]
pub struct Script {
    plans: Mutex<HashMap<String, Vec<Plan>>>,
    runs: Mutex<Vec<Run>>,
    held: Mutex<Held>,
    sleeping: Mutex<HashMap<InvocationId, AbortHandle>>,
    aborted: Mutex<Vec<Value>>,
    base: EpochMs,
}

impl Script {
    pub fn new(base: EpochMs) -> Self {
        Self { base, ..Self::default() }
    }

    /// What a tool's runs do, in order; the last plan stands for all later runs.
    pub fn plan(&self, tool: &str, plans: Vec<Plan>) {
        self.plans.lock().insert(tool.to_owned(), plans);
    }

    /// Ends a held run. False if it is not held, or its outcome is not needed any more.
    pub fn settle(&self, tool: &str, run: usize, plan: &Plan) -> bool {
        let held = self.held.lock().remove(&(tool.to_owned(), run));
        let is_held = held.is_some();
        if let Some((sink, invocation)) = held {
            sink.send(self.outcome(plan, &invocation));
        }
        is_held
    }

    /// The name of a tool's run, by its number.
    pub fn invocation(&self, tool: &str, number: usize) -> InvocationId {
        let runs = self.runs.lock();
        let run = runs.iter().find(|run| run.tool == tool && run.number == number);
        run.unwrap_or_else(|| panic!("`{tool}` has no run {number}")).id
    }

    /// How often each tool ran.
    pub fn runs(&self) -> Value {
        let mut counts = serde_json::Map::new();
        for run in self.runs.lock().iter() {
            counts.insert(run.tool.clone(), json!(run.number));
        }
        Value::Object(counts)
    }

    /// Runs that were asked to stop: tool, number of its run, reason.
    pub fn aborted(&self) -> Value {
        Value::Array(self.aborted.lock().clone())
    }

    /// Whether a run was asked to stop.
    pub fn was_stopped(&self, tool: &str, number: usize) -> bool {
        self.aborted.lock().iter().any(|stop| stop[0] == tool && stop[1] == number)
    }

    /// The runs from a place on, in the order of their starts.
    pub fn runs_from(&self, place: usize) -> Vec<Run> {
        self.runs.lock()[place..].to_vec()
    }

    fn begin(&self, invocation: &Invocation) -> usize {
        let (tool, key) = (name_of(invocation), invocation.idempotency_key.to_string());
        let mut runs = self.runs.lock();
        let number = runs.iter().filter(|run| run.tool == tool).count() + 1;
        runs.push(Run { id: invocation.id, tool, number, key });
        number
    }

    fn outcome(&self, plan: &Plan, invocation: &Invocation) -> HandlerOutcome {
        let returned = |value: Value| HandlerOutcome::Returned(value.to_string());
        match plan {
            Plan::Returns(value) => returned(value.clone()),
            Plan::Text(text) => HandlerOutcome::Returned(text.clone()),
            Plan::Numbers(count) => returned(json!({ "ok": true, "data": vec![1_000_000_000; *count] })),
            Plan::Throws(thrown) => HandlerOutcome::Threw(Box::new(thrown.clone())),
            Plan::Nothing => HandlerOutcome::Nothing,
            Plan::TooLarge => HandlerOutcome::TooLarge,
            Plan::NotJson(problem) => HandlerOutcome::NotJson { problem: problem.clone(), path: None },
            Plan::Echo => HandlerOutcome::Returned(format!("{{\"ok\":true,\"data\":{}}}", invocation.args)),
            Plan::Happened => Self::found(invocation),
            Plan::Facts => returned(json!({ "ok": true, "data": self.facts(invocation) })),
            Plan::Held | Plan::Never | Plan::After(..) => panic!("`{plan:?}` is no outcome"),
        }
    }

    fn facts(&self, it: &Invocation) -> Value {
        json!({
            "args": serde_json::from_str::<Value>(&it.args).expect("arguments are JSON"),
            "callId": it.call_id,
            "mode": &*it.mode,
            "attempt": it.attempt,
            "idempotencyKey": &*it.idempotency_key,
            "deadline": it.deadline.map(|at| format!("T+{}", at - self.base)),
            "clamped": it.clamped,
        })
    }

    fn found(it: &Invocation) -> HandlerOutcome {
        let args: Value = serde_json::from_str(&it.args).expect("arguments are JSON");
        let data = json!({ "args": args, "callId": it.call_id, "startedAt": it.starts.begun_at() });
        HandlerOutcome::Returned(json!({ "outcome": "happened", "data": data }).to_string())
    }

    /// The process dies: what it ran ends nowhere.
    pub fn die(&self) {
        self.held.lock().drain().for_each(mem::forget);
        self.sleeping.lock().drain().for_each(|(_, task)| task.abort());
    }

    fn run(&self, plan: Plan, invocation: &Invocation, run: usize, sink: OutcomeSink) {
        let name = (name_of(invocation), run);
        match plan {
            Plan::Held => {
                self.held.lock().insert(name, (sink, invocation.clone()));
            }
            Plan::Never => mem::forget(sink),
            Plan::After(ms, plan) => {
                let outcome = self.outcome(&plan, invocation);
                let mut sleep = Box::pin(tokio::time::sleep(Duration::from_millis(ms)));
                // The timer is set now, before those that the gate sets for this run: it fires first at the same moment.
                assert_eq!((&mut sleep).now_or_never(), None, "a handler sleeps");
                let task = tokio::spawn(async move {
                    // What this task owns is forgotten, not dropped, if it is aborted: a dead process reports nothing.
                    let sink = ManuallyDrop::new(sink);
                    sleep.await;
                    ManuallyDrop::into_inner(sink).send(outcome);
                });
                self.sleeping.lock().insert(invocation.id, task.abort_handle());
            }
            plan => sink.send(self.outcome(&plan, invocation)),
        }
    }
}

/// The name under which a run is counted.
fn name_of(invocation: &Invocation) -> String {
    let id = &*invocation.tool.id;
    if invocation.starts.begun_at().is_some() { reconcile_of(id) } else { id.to_owned() }
}

impl Handlers for Script {
    fn start(&self, invocation: Invocation, sink: OutcomeSink) {
        let run = self.begin(&invocation);
        let plan = {
            let plans = self.plans.lock();
            let plans = plans.get(&name_of(&invocation)).expect("every tool has a plan");
            plans[(run - 1).min(plans.len() - 1)].clone()
        };
        self.run(plan, &invocation, run, sink);
    }

    fn abort(&self, id: InvocationId, reason: &str) {
        let runs = self.runs.lock();
        let run = runs.iter().find(|run| run.id == id).expect("only a started run is aborted");
        self.aborted.lock().push(json!([run.tool, run.number, reason]));
    }

    fn forget(&self, id: InvocationId) {
        let forgotten: Vec<_> = self.held.lock().extract_if(|_, (_, invocation)| invocation.id == id).collect();
        drop(forgotten);
        if let Some(task) = self.sleeping.lock().remove(&id) {
            task.abort();
        }
    }
}
