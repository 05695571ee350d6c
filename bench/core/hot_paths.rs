//! Takes calls through the gate and does nothing else, so that a profiler sees what one costs:
//! `hot_paths <artifact> <calls> <result> <count>`. The calls stand in a file, one line of JSON each; every handler returns
//! `result`'s text at once; the first `count` calls are made. `bench/instructions.mjs` writes the files and counts.

#![expect(clippy::expect_used, reason = "a measurement that can't be made is told as it is")]
#![expect(clippy::default_trait_access, reason = "nothing is set of what has many types")]

use std::future::ready;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use toolgate::call::{CallId, RawArgs, RawCall};
use toolgate::clock::SystemClock;
use toolgate::gate::{Environment, Gate, GateLimits, GateParts, Session, SessionOptions};
use toolgate::observe::Observer;
use toolgate::observe::audit::{AuditKey, AuditSink};
use toolgate::registry::ToolSet;
use toolgate::run::{HandlerFuture, HandlerOutcome, Handlers, Invocation, InvocationId};
use toolgate::store::memory::MemoryStore;

/// As a conversation has them: few calls a turn, some hundred a session.
const CALLS_PER_TURN: usize = 8;
const CALLS_PER_SESSION: usize = 320;

#[derive(Deserialize)]
struct Line {
    id: Option<String>,
    name: String,
    args: String,
}

/// Handlers that are done when they are started.
struct Immediate(String);

impl Handlers for Immediate {
    fn start(&self, _: Invocation) -> HandlerFuture {
        Box::pin(ready(HandlerOutcome::Returned(self.0.clone())))
    }

    fn abort(&self, _: InvocationId, _: &str) {}
}

/// An audit that is written, and read by nobody.
#[derive(Default)]
struct Counting(AtomicUsize);

impl AuditSink for Counting {
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
    let mut lines: Vec<Line> = lines.lines().map(|line| serde_json::from_str(line).expect("a call")).collect();
    lines.truncate(count.parse().expect("how many calls are made"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(make(&gate(tools, result), lines));
}

fn gate(tools: ToolSet, result: String) -> Arc<Gate> {
    Gate::new(GateParts {
        tools: Arc::new(tools),
        store: Arc::new(MemoryStore::default()),
        clock: Arc::new(SystemClock),
        handlers: Arc::new(Immediate(result)),
        observer: Observer::new(Arc::new(SystemClock), Some(Arc::new(Counting::default()))),
        listener: None,
        audit_key: AuditKey::new(&[7; 32]),
        spawner: Arc::new(|task| {
            tokio::spawn(task);
        }),
        chance: Arc::new(|| 7),
        limits: GateLimits::default(),
        environment: Environment::Production,
        modes: Default::default(),
    })
}

async fn make(gate: &Arc<Gate>, lines: Vec<Line>) {
    let mut session = open(gate).await;
    for (place, Line { id, name, args }) in lines.into_iter().enumerate() {
        if place > 0 && place % CALLS_PER_SESSION == 0 {
            session = open(gate).await;
        }
        if place % CALLS_PER_TURN == 0 {
            session.begin_turn(None).await.expect("a turn");
        }
        let call = RawCall { id: id.map(CallId::from), name, args: RawArgs::Text(args) };
        std::hint::black_box(session.execute(call).await.to_text());
    }
}

async fn open(gate: &Arc<Gate>) -> Session {
    let options = SessionOptions {
        session_id: None,
        principal: None,
        mode: "text".to_owned(),
        state: Default::default(),
        roles: Default::default(),
        services: Default::default(),
        policy: serde_json::from_str(r#"{"retrievalCalls":1000000,"totalCalls":1000000}"#).expect("a policy"),
        exclusive: None,
        listens: false,
    };
    gate.create_session(options).await.expect("a session")
}
