//! Executes calls through the gate and nothing else, so that a profiler measures the cost of a call: `hot_paths
//! <artifact> <calls> <result> <count>`. `calls` is a file with one line of JSON per call; every handler returns
//! `result`'s text at once; the first `count` calls are made. `bench/instructions.mjs` writes the files and counts
//! instructions.

#![expect(clippy::expect_used, reason = "a failed measurement ends the program with its error")]
#![expect(clippy::default_trait_access, reason = "the defaults are of many types")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use tokio::sync::Notify;
use toolgate::call::{CallId, RawArgs, RawCall};
use toolgate::clock::SystemClock;
use toolgate::gate::{Environment, Gate, GateLimits, GateParts, HostCaller, Session, SessionOptions};
use toolgate::observe::Observer;
use toolgate::observe::audit::installation_key::InstallationKey;
use toolgate::observe::audit::{AuditKey, AuditSink};
use toolgate::registry::ToolSet;
use toolgate::run::{HandlerOutcome, Handlers, Invocation, InvocationId, OutcomeSink};
use toolgate::store::AnyStore;

/// As in a conversation: few calls per turn, some hundred per session.
const CALLS_PER_TURN: usize = 8;
const CALLS_PER_SESSION: usize = 320;

#[derive(Deserialize)]
struct CallLine {
    id: Option<String>,
    name: String,
    args: String,
}

/// Handlers that complete when they are started.
struct ImmediateHandlers(String);

impl Handlers for ImmediateHandlers {
    fn start(&self, _: Invocation, sink: OutcomeSink) {
        sink.send(HandlerOutcome::Returned(self.0.clone()));
    }

    fn abort(&self, _: InvocationId, _: &str) {}

    fn forget(&self, _: InvocationId) {}
}

/// An audit sink that only counts bytes.
#[derive(Default)]
struct CountingSink(AtomicUsize);

impl AuditSink for CountingSink {
    fn write(&self, line: String) {
        self.0.fetch_add(line.len(), Ordering::Relaxed);
    }

    fn flush(&self) {}
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [artifact, calls, result, count] = &arguments[..] else {
        eprintln!("usage: hot_paths <artifact> <calls> <result> <count>; `npm run bench -- instructions` gives them");
        std::process::exit(2);
    };
    let tools = ToolSet::load(Path::new(artifact)).expect("an artifact");
    let result = std::fs::read_to_string(result).expect("a result");
    let lines = std::fs::read_to_string(calls).expect("calls");
    let mut lines: Vec<CallLine> = lines.lines().map(|line| serde_json::from_str(line).expect("a call")).collect();
    lines.truncate(count.parse().expect("how many calls are made"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(make_calls(&gate(tools, result), lines));
}

fn gate(tools: ToolSet, result: String) -> Arc<Gate> {
    Gate::new(GateParts {
        tools: Arc::new(tools),
        store: AnyStore::default(),
        clock: Arc::new(SystemClock),
        handlers: Arc::new(ImmediateHandlers(result)),
        observer: Observer::new(Arc::new(SystemClock), Some(Arc::new(CountingSink::default()))),
        listener: None,
        audit_key: Arc::new(AuditKey::new(&[7; 32]).map(InstallationKey::known).unwrap_or_default()),
        spawner: Arc::new(|task| {
            tokio::spawn(task);
        }),
        random: Arc::new(|| 7),
        limits: GateLimits::default(),
        repair: toolgate::schema::RepairRules::ALL,
        environment: Environment::Production,
        modes: Default::default(),
    })
}

async fn make_calls(gate: &Arc<Gate>, lines: Vec<CallLine>) {
    // A large text is read by a worker, so its answer comes later.
    let answered = Arc::new(Notify::new());
    let mut session = open_session(gate).await;
    for (place, CallLine { id, name, args }) in lines.into_iter().enumerate() {
        if place > 0 && place % CALLS_PER_SESSION == 0 {
            session = open_session(gate).await;
        }
        if place % CALLS_PER_TURN == 0 {
            session.begin_turn(None).await.expect("a turn");
        }
        let call = RawCall { id: id.map(CallId::from), name, args: RawArgs::Text(args), message: None, waits: false };
        let reply = Arc::clone(&answered);
        session.execute_then(
            call,
            HostCaller::default(),
            Box::new(move |response| {
                drop(std::hint::black_box(response.to_text()));
                reply.notify_one();
            }),
        );
        answered.notified().await;
    }
}

async fn open_session(gate: &Arc<Gate>) -> Arc<Session> {
    let options = SessionOptions {
        session_id: None,
        principal: None,
        resume_token: None,
        mode: "text".to_owned(),
        state: Default::default(),
        roles: Default::default(),
        services: Default::default(),
        policy: serde_json::from_str(r#"{"retrievalCalls":1000000,"totalCalls":1000000}"#).expect("a policy"),
        exclusive: None,
        time_zone: None,
        can_ask: None,
        holds_writes: false,
        resume_only: false,
        confirmation: None,
        listens: false,
        turn_pause: None,
    };
    gate.create_session(options).await.map(Arc::new).expect("a session")
}
