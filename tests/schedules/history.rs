//! What happened in a schedule, and what must hold of it:
//!
//! - a write's handler starts again only if its earlier run ended and did nothing;
//! - every run of an idempotent write has the same key for other services;
//! - a turn starts no more calls than its budget;
//! - every caller whose process lives gets one answer, and a success answers the arguments that were sent;
//! - what the store acknowledged as recorded is there at the end.

use std::collections::{HashMap, HashSet};

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::process::TOTAL;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Success,
    /// May be tried again, and changed nothing.
    NothingDone,
    Failure,
}

/// One start of a handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub tool: String,
    pub id: String,
    pub idempotency_key: String,
    pub attempt: u32,
    /// `None` until it ends; a run of a crashed process never does.
    pub end: Option<End>,
}

/// One caller.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller {
    pub name: String,
    pub n: u64,
    /// Whether its process crashed before the answer.
    pub is_gone: bool,
    pub answers: Vec<Value>,
}

#[derive(Default)]
pub struct History {
    runs: Mutex<Vec<Run>>,
    callers: Mutex<Vec<Caller>>,
    wrong: Mutex<Option<String>>,
}

impl History {
    /// Adds a run. Returns its number, and its place among the runs of its call.
    pub fn start(&self, run: Run) -> (usize, usize) {
        let mut runs = self.runs.lock();
        let earlier: Vec<&Run> = runs.iter().filter(|other| other.tool == run.tool && other.id == run.id).collect();
        let is_write = matches!(&*run.tool, "send" | "pay");
        if is_write && let Some(other) = earlier.iter().find(|other| other.end != Some(End::NothingDone)) {
            let wrong = format!("the write {} of {} ran again after {:?}", run.id, run.tool, other.end);
            self.wrong.lock().get_or_insert(wrong);
        }
        if run.tool == "put" && earlier.iter().any(|other| other.idempotency_key != run.idempotency_key) {
            self.wrong.lock().get_or_insert(format!("the write {} ran with another idempotency key", run.id));
        }
        let nth = earlier.len();
        runs.push(run);
        (runs.len() - 1, nth)
    }

    pub fn end(&self, run: usize, end: End) {
        self.runs.lock()[run].end = Some(end);
    }

    /// Adds a caller. Returns its number.
    pub fn call(&self, name: String, n: u64) -> usize {
        let mut callers = self.callers.lock();
        callers.push(Caller { name, n, is_gone: false, answers: Vec::new() });
        callers.len() - 1
    }

    pub fn answer(&self, caller: usize, answer: Value) {
        self.callers.lock()[caller].answers.push(answer);
    }

    /// The process of these callers crashed.
    pub fn crash(&self, callers: &[usize]) {
        let mut all = self.callers.lock();
        for caller in callers {
            all[*caller].is_gone = true;
        }
    }

    /// # Errors
    /// What does not hold.
    pub fn check(&self, store_fails: bool) -> Result<(), String> {
        if let Some(wrong) = self.wrong.lock().take() {
            return Err(wrong);
        }
        let runs = self.runs.lock();
        // A call whose lease ended is debited once, though it may run again. While the store fails, reads run on
        // counters of their process.
        let is_debited = |run: &&Run| run.tool != "pay" && !(store_fails && run.tool == "look");
        let debited: HashSet<&str> = runs.iter().filter(is_debited).map(|run| &*run.id).collect();
        let debited = debited.len();
        if debited > TOTAL as usize {
            return Err(format!("{debited} calls ran in a turn, over the budget of {TOTAL}"));
        }
        self.callers.lock().iter().try_for_each(|caller| check_caller(caller, &runs))
    }

    /// All of it, to compare two plays of one schedule.
    pub fn trace(&self) -> Value {
        let runs = self.runs.lock();
        let callers = self.callers.lock();
        let kinds = |caller: &Caller| {
            caller.answers.iter().map(|answer| json!([answer["ok"], answer["error"]["type"]])).collect::<Vec<_>>()
        };
        json!({
            "runs": runs.iter().map(|run| format!("{} {} {} {:?}", run.tool, run.id, run.attempt, run.end)).collect::<Vec<_>>(),
            "callers": callers.iter().map(|caller| json!([caller.name, kinds(caller)])).collect::<Vec<_>>(),
        })
    }
}

fn check_caller(caller: &Caller, runs: &[Run]) -> Result<(), String> {
    let Caller { name, n, is_gone, answers } = caller;
    match answers.as_slice() {
        [] if *is_gone => Ok(()),
        [] => Err(format!("`{name}` has no answer")),
        [answer] if answer["ok"] == json!(true) => {
            let run = answer["data"]["run"].as_u64().and_then(|run| runs.get(usize::try_from(run).ok()?));
            if answer["data"]["args"] != json!({ "n": n }) {
                return Err(format!("`{name}` has the answer of other arguments: {answer}"));
            }
            match run {
                // An equal question that was confirmed in this turn answers for the later call.
                Some(run) if run.end == Some(End::Success) && (*name == run.id || run.tool == "pay") => Ok(()),
                run => Err(format!("`{name}` has an answer of no run of its own ({run:?}): {answer}")),
            }
        }
        [_] => Ok(()),
        _ => Err(format!("`{name}` has {} answers", answers.len())),
    }
}

/// The callers of each process that have no answer yet.
pub type Waiting = HashMap<usize, Vec<usize>>;
