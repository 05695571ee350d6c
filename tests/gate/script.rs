//! Handlers that do what a fixture says, one plan per run.

use std::collections::HashMap;
use std::future::{pending, ready};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use toolgate::clock::EpochMs;
use toolgate::run::{HandlerError, HandlerFuture, HandlerOutcome, Handlers, Invocation, InvocationId};

/// What one run of a handler does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Plan {
    /// Returns success with its arguments as data.
    Echo,
    /// Returns success with everything it was started with as data.
    Facts,
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

type Held = HashMap<(String, usize), (oneshot::Sender<HandlerOutcome>, Invocation)>;

/// The handlers of a fixture.
#[derive(Default)]
pub struct Script {
    plans: Mutex<HashMap<String, Vec<Plan>>>,
    runs: Mutex<Vec<Run>>,
    held: Mutex<Held>,
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

    /// Ends a held run. False if it is not held, or no caller listens to it any more.
    pub fn settle(&self, tool: &str, run: usize, plan: &Plan) -> bool {
        let held = self.held.lock().remove(&(tool.to_owned(), run));
        held.is_some_and(|(held, invocation)| held.send(self.outcome(plan, &invocation)).is_ok())
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
        let (tool, key) = (invocation.tool.id.to_string(), invocation.idempotency_key.to_string());
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
            Plan::NotJson(problem) => HandlerOutcome::NotJson(problem.clone()),
            Plan::Echo => HandlerOutcome::Returned(format!("{{\"ok\":true,\"data\":{}}}", invocation.args)),
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

    fn future(&self, plan: Plan, invocation: &Invocation, run: usize) -> HandlerFuture {
        match plan {
            Plan::Held => {
                let (sender, receiver) = oneshot::channel();
                self.held.lock().insert((invocation.tool.id.to_string(), run), (sender, invocation.clone()));
                Box::pin(async move { receiver.await.expect("a held handler is settled or given up") })
            }
            Plan::Never => Box::pin(pending()),
            Plan::After(ms, plan) => {
                let outcome = self.outcome(&plan, invocation);
                Box::pin(async move {
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                    outcome
                })
            }
            plan => Box::pin(ready(self.outcome(&plan, invocation))),
        }
    }
}

impl Handlers for Script {
    fn start(&self, invocation: Invocation) -> HandlerFuture {
        let run = self.begin(&invocation);
        let plan = {
            let plans = self.plans.lock();
            let plans = plans.get(&*invocation.tool.id).expect("every tool has a plan");
            plans[(run - 1).min(plans.len() - 1)].clone()
        };
        self.future(plan, &invocation, run)
    }

    fn abort(&self, id: InvocationId, reason: &str) {
        let runs = self.runs.lock();
        let run = runs.iter().find(|run| run.id == id).expect("only a started run is aborted");
        self.aborted.lock().push(json!([run.tool, run.number, reason]));
    }
}
