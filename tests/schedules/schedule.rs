//! A schedule: what callers do, when and in which process. Its seed decides what becomes of each store operation.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep, sleep_until};
use toolgate::call::{CallId, RawArgs, RawCall};
use toolgate::clock::TokioClock;
use toolgate::definition::EffectClass;
use toolgate::gate::{HostCaller, UserConfirmation};
use toolgate::store::{CallLookup, RecordState, StoreRequests};

use super::chooser::Chooser;
use super::history::{History, Waiting};
use super::process::{Process, TOOLS};
use super::sim_store::{Defect, LEASE, SimPlace};

/// 2026-01-01T00:00:00Z.
const BASE: u64 = 1_767_225_600_000;
const PROCESSES: u64 = 2;
/// Longer than every delay, deadline and lease together.
const QUIET: Duration = Duration::from_secs(20);

/// What a schedule does at one time.
#[derive(Debug, Clone, Copy)]
enum Op {
    /// Calls tool `tool` with id `id` and argument `n`.
    Call {
        tool: &'static str,
        id: u64,
        n: u64,
    },
    Cancel {
        id: u64,
        tool: &'static str,
    },
    /// Confirms one of the questions that were asked so far.
    Confirm(u64),
    /// The process ends, and another takes its place.
    Crash,
}

#[derive(Debug, Clone)]
struct Step {
    at: Duration,
    process: usize,
    op: Op,
}

#[derive(Debug, Clone)]
pub struct Schedule {
    seed: u64,
    store_fails: bool,
    steps: Vec<Step>,
}

type Questions = Arc<Mutex<Vec<(String, String, u64)>>>;

impl Schedule {
    pub fn of_seed(seed: u64) -> Self {
        let mut chooser = Chooser::named(seed, "steps");
        let count = 3 + chooser.below(8);
        let mut steps: Vec<Step> = (0..count).map(|_| step(&mut chooser)).collect();
        steps.sort_by_key(|step| step.at);
        Self { seed, store_fails: chooser.once_in(2), steps }
    }

    /// Plays the schedule and checks its history.
    pub fn play(&self, defect: Option<Defect>) -> Result<(), String> {
        self.on_runtime(defect).0
    }

    /// What a play comes to.
    pub fn trace(&self) -> Value {
        self.on_runtime(None).1.trace()
    }

    /// A smaller schedule that fails too.
    pub fn shrunk(&self, defect: Option<Defect>) -> Self {
        let mut small = self.clone();
        let mut place = 0;
        while place < small.steps.len() {
            let mut smaller = small.clone();
            smaller.steps.remove(place);
            if smaller.play(defect).is_err() {
                small = smaller;
            } else {
                place += 1;
            }
        }
        small
    }

    fn on_runtime(&self, defect: Option<Defect>) -> (Result<(), String>, Arc<History>) {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut world = World::new(self, defect).await;
            let started = Instant::now();
            for step in &self.steps {
                sleep_until(started + step.at).await;
                world.perform(step).await;
            }
            sleep(QUIET).await;
            let found = match world.history.check(self.store_fails) {
                Ok(()) => check_records(&world.place).await,
                wrong => wrong,
            };
            (found, world.history)
        })
    }
}

fn step(chooser: &mut Chooser) -> Step {
    let at = Duration::from_millis(if chooser.once_in(4) { chooser.below(900) } else { chooser.below(60) });
    let process = usize::try_from(chooser.below(PROCESSES)).unwrap();
    let tool = chooser.one_of(&TOOLS.map(|(tool, ..)| tool));
    let id = chooser.below(3);
    let op = match chooser.below(12) {
        0 => Op::Crash,
        1 => Op::Cancel { id, tool },
        2..=3 => Op::Confirm(chooser.below(4)),
        _ => Op::Call { tool, id, n: chooser.below(5) / 4 },
    };
    Step { at, process, op }
}

/// The id of a call. Each tool has its own ids.
fn call_id(tool: &str, id: u64) -> String {
    format!("call_{tool}_{id:08}")
}

/// A success that the store acknowledged is there at the end, and so is any answer of a write.
async fn check_records(place: &SimPlace) -> Result<(), String> {
    let recorded = place.recorded.lock().clone();
    for record in recorded {
        let look = CallLookup {
            session: record.session.clone(),
            key: record.key.clone(),
            turn: 1,
            limits: Vec::new(),
            known_revision: 0,
            act: None,
            content: None,
            now: BASE,
        };
        let kept = place.inner.look_up(look).await.map_err(|error| error.to_string())?.record;
        let is_kept = match &record.state {
            RecordState::Settled(response) if response.to_text().starts_with("{\"ok\":true") => {
                kept.as_ref().is_some_and(|kept| kept.state == record.state)
            }
            // The late end of the handler decides.
            RecordState::Unknown => true,
            // An idempotent write or a read runs again, and may leave nothing then.
            _ => kept.is_some() || record.effect != EffectClass::Write,
        };
        if !is_kept {
            return Err(format!("the record of {:?} is lost: {kept:?} in place of {:?}", record.key, record.state));
        }
    }
    Ok(())
}

/// The processes of a schedule and what they share.
struct World {
    seed: u64,
    place: Arc<SimPlace>,
    history: Arc<History>,
    clock: TokioClock,
    processes: Vec<Process>,
    waiting: Waiting,
    questions: Questions,
}

impl World {
    async fn new(schedule: &Schedule, defect: Option<Defect>) -> Self {
        let (seed, place) = (schedule.seed, SimPlace::new(schedule.seed, schedule.store_fails, defect));
        let (history, clock) = (Arc::default(), TokioClock::starting_at(BASE));
        let mut processes = Vec::new();
        for _ in 0..PROCESSES {
            processes.push(Process::start(seed, &place, &history, clock).await);
        }
        Self { seed, place, history, clock, processes, waiting: Waiting::new(), questions: Arc::default() }
    }

    async fn perform(&mut self, step: &Step) {
        match step.op {
            Op::Call { tool, id, n } => self.call(step.process, tool, &call_id(tool, id), n),
            Op::Cancel { id, tool } => {
                let _found = self.processes[step.process].session.cancel(&call_id(tool, id), "user");
            }
            Op::Confirm(place) => self.confirm(step.process, place),
            Op::Crash => {
                self.processes[step.process].crash();
                self.history.crash(&self.waiting.remove(&step.process).unwrap_or_default());
                let process = Process::start(self.seed, &self.place, &self.history, self.clock).await;
                self.processes[step.process] = process;
            }
        }
    }

    fn call(&mut self, process: usize, tool: &str, id: &str, n: u64) {
        let raw = RawCall {
            id: Some(CallId::from(id)),
            name: tool.to_owned(),
            args: RawArgs::Text(format!("{{\"n\":{n}}}")),
            message: None,
            waits: false,
        };
        let session = Arc::clone(&self.processes[process].session);
        self.wait_for(process, id, n, async move { session.execute(raw).await.to_text() });
    }

    fn confirm(&mut self, process: usize, place: u64) {
        let asked = self.questions.lock().get(usize::try_from(place).unwrap()).cloned();
        let Some((token, id, n)) = asked else { return };
        let session = Arc::clone(&self.processes[process].session);
        self.wait_for(process, &id, n, async move {
            session.confirm(&token, HostCaller::default(), UserConfirmation::default()).await.response.to_text()
        });
    }

    fn wait_for(&mut self, process: usize, id: &str, n: u64, answer: impl Future<Output = String> + Send + 'static) {
        let caller = self.history.call(id.to_owned(), n);
        let (history, questions, id) = (Arc::clone(&self.history), Arc::clone(&self.questions), id.to_owned());
        let task = tokio::spawn(async move {
            let answer: Value = serde_json::from_str(&answer.await).expect("an answer is JSON");
            if let Some(token) = answer["error"]["confirmation_request"]["token"].as_str() {
                questions.lock().push((token.to_owned(), id, n));
            }
            history.answer(caller, answer);
        });
        self.processes[process].tasks.lock().push(task.abort_handle());
        self.waiting.entry(process).or_default().push(caller);
    }
}

const _: () = assert!(QUIET.as_millis() > 10 * LEASE.as_millis(), "every lease ends before the checks");
