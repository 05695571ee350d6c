//! One fixture's world: a gate over its tools, a paused clock, the attachments, and the calls that wait.

use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinHandle};
use toolgate::call::{RawArgs, RawCall};
use toolgate::clock::{Clock, EpochMs, TokioClock};
use toolgate::gate::{Gate, HostCaller, Session, SessionOptions, UserConfirmation};
use toolgate::run::execution::CallerNumber;
use toolgate::schema::RepairRules;

use super::act::{Abort, Answer, Attach, Call, Reload};
use super::audit::Lines;
use super::gate_parts::{Parts, overrides};
use super::names::Names;
use super::script::Script;
use super::store::TestStore;
use super::terse::{self, Usual};
use super::tools;

/// 2026-01-01T00:00:00Z.
pub const BASE: EpochMs = 1_767_225_600_000;
/// The session that a fixture has where it names none.
pub const SESSION: &str = "s1";
/// The tool set that a fixture begins with.
pub const VERSION: &str = "1.0.00000000";

/// What a fixture says of its gate.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Setting {
    pub production: bool,
    pub max_args_bytes: Option<usize>,
    pub max_result_bytes: Option<usize>,
    pub max_args_depth: Option<u32>,
    pub max_sessions: Option<usize>,
    pub session_idle_ms: Option<u64>,
    /// How long claims are held; absent where the case is about one process.
    pub lease_ms: Option<u64>,
    pub session_calls: Option<usize>,
    pub tool_calls: Option<usize>,
    pub queued_calls: Option<usize>,
    pub queue_ms: Option<u64>,
    /// The host's decision that strict nulls mean absence.
    pub strict_nulls: bool,
    pub repair: RepairRules,
    pub modes: HashMap<String, Value>,
}

fn caller_number(serial: usize) -> CallerNumber {
    CallerNumber(u32::try_from(serial).expect("few calls"))
}

/// A call that has not been answered yet.
struct Waiting {
    serial: usize,
    name: Option<String>,
    call: Option<Value>,
    version: String,
    task: JoinHandle<String>,
}

/// A call that was answered.
pub struct Answered {
    pub serial: usize,
    pub name: Option<String>,
    pub answer: Value,
}

pub struct World {
    setting: Setting,
    pub gate: Arc<Gate>,
    pub script: Arc<Script>,
    pub lines: Arc<Lines>,
    pub names: Names,
    clock: TokioClock,
    pub store: Arc<TestStore>,
    sessions: HashMap<String, Arc<Session>>,
    waiting: Vec<Waiting>,
    begun: usize,
    tasks: Arc<Mutex<Vec<AbortHandle>>>,
    /// The size of the largest future that the gate has spawned, in bytes.
    pub largest_task: Arc<AtomicUsize>,
    tools: HashMap<String, Map<String, Value>>,
    version: String,
}

impl World {
    pub fn new(setting: Setting, tools: &Map<String, Value>, store: TestStore) -> Self {
        let clock = TokioClock::starting_at(BASE);
        store.set_lease(setting.lease_ms.map(Duration::from_millis));
        let (script, lines, store) = (Arc::new(Script::new(BASE)), Arc::new(Lines::default()), Arc::new(store));
        let (tasks, largest_task) = (Arc::default(), Arc::default());
        let parts = Parts {
            setting: &setting,
            clock,
            store: &store,
            script: &script,
            lines: &lines,
            tasks: &tasks,
            largest_task: &largest_task,
        };
        let gate = parts.gate(tools, VERSION);
        let tools = HashMap::from([(VERSION.to_owned(), tools.clone())]);
        let (names, version) = (Names::new(BASE), VERSION.to_owned());
        let (sessions, waiting, begun) = (HashMap::new(), Vec::new(), 0);
        Self {
            setting,
            gate,
            script,
            lines,
            names,
            clock,
            store,
            sessions,
            waiting,
            begun,
            tasks,
            largest_task,
            tools,
            version,
        }
    }

    pub fn session(&self, on: &str) -> Arc<Session> {
        Arc::clone(self.sessions.get(on).unwrap_or_else(|| panic!("there is no attachment `{on}`")))
    }

    /// Reconciles old calls. Returns the counts, and the outcomes by call.
    pub async fn reconcile(&mut self, older_than_ms: u64, limit: usize) -> Value {
        match self.gate.reconcile(older_than_ms, limit, &BTreeSet::new()).await {
            Ok(report) => {
                let mut report = json!(report);
                for call in report["calls"].as_array_mut().into_iter().flatten() {
                    let started = call["startedAt"].as_u64().expect("epoch milliseconds");
                    call["startedAt"] = json!(self.names.instant(started));
                    call["idempotencyKey"] = json!("<key>");
                }
                report
            }
            Err(error) => json!({ "error": error.kind.as_str() }),
        }
    }

    pub fn now(&self) -> String {
        self.names.instant(self.clock.now())
    }

    /// Categories by tool, of every tool set that was loaded.
    pub fn categories(&self) -> HashMap<String, String> {
        let category = |tool: &Value| match tool.get("kind").and_then(Value::as_str) {
            Some("retrieval") => "retrieval",
            Some("write" | "upsert") => "action",
            _ => "utility",
        };
        self.tools.values().flatten().map(|(id, tool)| (id.clone(), category(tool).to_owned())).collect()
    }

    pub async fn attach(&mut self, attach: &Attach) -> Value {
        let options = SessionOptions {
            session_id: Some(attach.session.clone().unwrap_or_else(|| SESSION.to_owned())),
            principal: attach.principal.clone(),
            resume_token: None,
            mode: attach.mode.clone(),
            state: attach.state.clone().into_iter().collect(),
            roles: attach.roles.iter().cloned().collect(),
            services: attach.services.iter().cloned().collect(),
            policy: attach.policy.as_ref().map(overrides).unwrap_or_default(),
            exclusive: attach.exclusive,
            time_zone: attach.time_zone.clone(),
            can_ask: attach.can_ask,
            holds_writes: false,
            resume_only: attach.resume_only,
            confirmation: None,
            listens: false,
            turn_pause: None,
        };
        match self.gate.create_session(options).await {
            Ok(session) => {
                let attached = json!({ "turn": session.turn() });
                self.sessions.insert(attach.on.clone(), Arc::new(session));
                attached
            }
            Err(error) => json!({ "error": error.to_string() }),
        }
    }

    /// Begins a call. Returns its serial.
    pub fn begin_call(&mut self, call: &Call) -> usize {
        self.begin(call, |session, raw, caller| async move {
            let (sender, receiver) = oneshot::channel();
            session.execute_then(raw, caller, Box::new(|answer| drop(sender.send(answer))));
            receiver.await.expect("a call is answered").to_text()
        })
    }

    /// Begins to ask a call's question. Its answer is `null` if the call asks none.
    pub fn begin_ask(&mut self, call: &Call) -> usize {
        self.begin(call, |session, raw, _| async move {
            session.ask(raw).await.map_or_else(|| "null".to_owned(), |response| response.to_text())
        })
    }

    /// Begins the confirmation of a call by itself.
    pub fn begin_confirm_call(&mut self, call: &Call) -> usize {
        self.begin(call, |session, raw, caller| async move {
            session.confirm_call(raw, caller, UserConfirmation::default()).await.response.to_text()
        })
    }

    fn begin<F: Future<Output = String> + Send + 'static>(
        &mut self,
        call: &Call,
        run: impl FnOnce(Arc<Session>, RawCall, HostCaller) -> F,
    ) -> usize {
        let session = self.session(&call.on);
        let (mode, turn) = (session.mode().name.to_string(), session.turn());
        let (usual, version) = (self.usual_call(call, &mode, turn, &session.tools_version()), session.tools_version());
        let task = tokio::spawn(run(session, call.raw(), self.next_caller(call.aborted.clone())));
        self.wait_for(call.name.clone(), Some(usual), version.to_string(), task)
    }

    /// Begins calls that a model made together. Returns their serials.
    pub fn begin_batch(&mut self, calls: &[Call]) -> Vec<usize> {
        let session = self.session(&calls.first().expect("a batch has calls").on);
        let (mode, turn, version) = (session.mode().name.to_string(), session.turn(), session.tools_version());
        let raw = calls.iter().map(Call::raw).collect();
        let caller = self.next_caller(None);
        let (senders, receivers): (Vec<_>, Vec<_>) = calls.iter().map(|_| oneshot::channel()).unzip();
        tokio::spawn(async move {
            let answers = session.execute_all(raw, caller).await;
            assert_eq!(answers.len(), senders.len(), "one answer for each call");
            for (sender, answer) in senders.into_iter().zip(answers) {
                let _ = sender.send(answer.to_text());
            }
        });
        let serials = calls.iter().zip(receivers).map(|(call, receiver)| {
            let usual = self.usual_call(call, &mode, turn, &version);
            let task = tokio::spawn(async move { receiver.await.expect("a batch is answered") });
            self.wait_for(call.name.clone(), Some(usual), version.to_string(), task)
        });
        serials.collect()
    }

    /// Begins a call that the handler of a run makes.
    pub fn begin_within(&mut self, tool: &str, run: usize, call: &Call) -> usize {
        let (session, invocation) = (self.session(&call.on), self.script.invocation(tool, run));
        let (mode, turn, version) = (session.mode().name.to_string(), session.turn(), session.tools_version());
        let usual = self.usual_call(call, &mode, turn, &version);
        let RawCall { name, args, .. } = call.raw();
        let task = tokio::spawn(async move { session.call_nested(invocation, name, args, false).await.to_text() });
        self.wait_for(call.name.clone(), Some(usual), version.to_string(), task)
    }

    pub fn begin_confirm(&mut self, Answer { token, on, name, aborted, edited, grant, approver, .. }: Answer) -> usize {
        let session = self.session(&on);
        let (token, version) = (self.names.value(&token), session.tools_version().to_string());
        let caller = self.next_caller(aborted);
        let edited = edited.map(|args| RawArgs::Text(args.to_string()));
        let grant = grant.map(|grant| grant.to_string());
        let answer = UserConfirmation { edited, grant, approver, via: None, shown: None };
        let task = tokio::spawn(async move { session.confirm(&token, caller, answer).await.response.to_text() });
        self.wait_for(name, None, version, task)
    }

    /// The caller of the next call, by its serial; the calls of a batch have that of the first.
    fn next_caller(&self, cancelled: Option<String>) -> HostCaller {
        HostCaller { number: Some(caller_number(self.begun + 1)), cancelled }
    }

    /// Cancels one caller that waits.
    pub fn abort(&self, abort: &Abort) -> bool {
        let named = |waiting: &&Waiting| waiting.name.as_ref() == Some(&abort.call);
        let waiting = self.waiting.iter().find(named).expect("a call of this name waits");
        self.session(&abort.on).cancel_caller(caller_number(waiting.serial), &abort.reason)
    }

    fn wait_for(
        &mut self,
        name: Option<String>,
        call: Option<Value>,
        version: String,
        task: JoinHandle<String>,
    ) -> usize {
        self.begun += 1;
        self.waiting.push(Waiting { serial: self.begun, name, call, version, task });
        self.begun
    }

    fn usual_call(&self, call: &Call, mode: &str, turn: u32, version: &str) -> Value {
        let known = self.tools.get(version).is_some_and(|tools| tools.contains_key(&call.tool));
        json!({
            "toolId": call.tool,
            "toolVersion": known.then_some("1.0.0"),
            "callId": call.id.as_deref().unwrap_or("(none)"),
            "mode": mode,
            "turn": turn,
        })
    }

    /// Waits until nothing goes on by itself any more: what is not answered now waits for time or for a handler.
    pub async fn idle(&mut self, workers_are_free: bool) -> Vec<Answered> {
        settle_down(workers_are_free).await;
        let (done, waiting) = mem::take(&mut self.waiting).into_iter().partition(|waiting| waiting.task.is_finished());
        self.waiting = waiting;
        let mut answered = Vec::new();
        for Waiting { serial, name, call, version, task } in done {
            let text = task.await.expect("a call does not panic");
            let usual = Usual { call, registry_version: version, now: self.now() };
            answered.push(Answered { serial, name, answer: terse::response(&text, &usual, &mut self.names) });
        }
        answered
    }

    pub fn reload(&mut self, reload: &Reload) -> Value {
        let set = tools::load(&reload.tools, &reload.version, &self.script);
        match self.gate.reload(&set.into()) {
            Ok(()) => {
                self.remember(reload);
                json!("loaded")
            }
            Err(error) => json!({ "throws": error.to_string() }),
        }
    }

    fn remember(&mut self, reload: &Reload) {
        self.tools.insert(reload.version.clone(), reload.tools.clone());
        self.version.clone_from(&reload.version);
    }

    /// The process dies: what it ran ends nowhere. Another takes the store.
    pub fn restart(&mut self, load: Option<&Reload>) -> Value {
        self.tasks.lock().drain(..).for_each(|task| task.abort());
        self.script.die();
        self.waiting.drain(..).for_each(|waiting| waiting.task.abort());
        // A dead process emits nothing more, as dropping its attachments would.
        self.sessions.drain().for_each(|(_, session)| mem::forget(session));
        if let Some(load) = load {
            self.remember(load);
        }
        let (setting, tools) = (self.setting.clone(), self.tools[&self.version].clone());
        let parts = Parts {
            setting: &setting,
            clock: self.clock,
            store: &self.store,
            script: &self.script,
            lines: &self.lines,
            tasks: &self.tasks,
            largest_task: &self.largest_task,
        };
        self.gate = parts.gate(&tools, &self.version);
        json!("restarted")
    }
}

/// Longest chain of tasks that wake each other at one moment.
const HOPS: usize = 64;

/// Jobs that one call gives to a worker, one after another.
const WORKER_JOBS: usize = 3;

async fn settle_down(workers_are_free: bool) {
    for _ in 0..HOPS {
        tokio::task::yield_now().await;
    }
    if workers_are_free {
        for _ in 0..WORKER_JOBS {
            // There is one worker: what was given to it before is done when this is.
            tokio::task::spawn_blocking(|| ()).await.expect("a worker");
            for _ in 0..HOPS {
                tokio::task::yield_now().await;
            }
        }
    }
}

/// Lets time pass, timer by timer.
pub async fn pass(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
