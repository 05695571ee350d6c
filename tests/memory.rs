//! The memory that sessions and records take, counted by the allocator: in bytes that are allocated and not freed.
//!
//! The addon has an allocator of its own, so this is tested without it.

#![cfg(not(feature = "node"))]
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "an allocator is unsafe code; a test stops at what it did not expect"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use futures_util::FutureExt as _;
use toolgate::call::{CallId, SessionId};
use toolgate::clock::SystemClock;
use toolgate::definition::EffectClass;
use toolgate::gate::{Environment, Gate, GateLimits, GateParts, Session, SessionOptions};
use toolgate::json::HashKey;
use toolgate::observe::Observer;
use toolgate::registry::ToolSet;
use toolgate::response::{Meta, Outcome, TOOL_RESPONSE_SCHEMA_VERSION, ToolResponse};
use toolgate::run::{Handlers, Invocation, InvocationId, OutcomeSink};
use toolgate::session::fingerprint::Fingerprint;
use toolgate::session::key::RecordKey;
use toolgate::session::state::SessionState;
use toolgate::store::{AnyStore, AttachRequest, Claim, ClaimResult, RecordState, Settlement, StoreRequests};

thread_local! {
    /// The bytes of this thread's allocations: other tests run on other threads.
    static ALLOCATED: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

fn count(bytes: isize) {
    let _ = ALLOCATED.try_with(|allocated| allocated.set(allocated.get() + bytes));
}

// SAFETY: each request is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: as for this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: as for this function.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocated() -> isize {
    ALLOCATED.get()
}

struct NoHandlers;

impl Handlers for NoHandlers {
    fn start(&self, _: Invocation, _: OutcomeSink) {
        panic!("no call is made")
    }

    fn abort(&self, _: InvocationId, _: &str) {}

    fn forget(&self, _: InvocationId) {}
}

fn gate() -> Arc<Gate> {
    Gate::new(GateParts {
        tools: Arc::new(ToolSet::empty()),
        store: AnyStore::default(),
        clock: Arc::new(SystemClock),
        handlers: Arc::new(NoHandlers),
        observer: Observer::new(Arc::new(SystemClock), None),
        listener: None,
        audit_key: Arc::default(),
        random: Arc::new(|| u64::MAX),
        spawner: Arc::new(|_| panic!("no call is made")),
        limits: GateLimits::default(),
        modes: std::collections::HashMap::new(),
        repair: toolgate::schema::RepairRules::ALL,
        environment: Environment::Development,
    })
}

fn create(gate: &Arc<Gate>, number: isize) -> Session {
    let options = SessionOptions {
        session_id: Some(format!("session-{number:08}")),
        principal: Some("alice".to_owned()),
        mode: "text".to_owned(),
        ..SessionOptions::default()
    };
    gate.create_session(options).now_or_never().unwrap().ok().unwrap()
}

/// The number of sessions from which a map doubles its size: the worst case of the bytes for each.
const SESSIONS: isize = 3600;

#[test]
fn an_idle_session_takes_little_memory() {
    let gate = gate();
    let before = allocated();
    for number in 0..SESSIONS {
        create(&gate, number).detach();
    }
    let each = (allocated() - before) / SESSIONS;
    assert!((500..1792).contains(&each), "{each} bytes");
}

#[test]
fn an_attached_session_takes_little_memory() {
    let gate = gate();
    let before = allocated();
    let sessions: Vec<Session> = (0..SESSIONS).map(|number| create(&gate, number)).collect();
    let each = (allocated() - before) / SESSIONS;
    assert!((500..2112).contains(&each), "{each} bytes");
    drop(sessions);
}

#[test]
fn a_session_that_has_ended_gives_its_memory_back() {
    let gate = gate();
    let before = allocated();
    for number in 0..SESSIONS {
        let session = create(&gate, number);
        session.end("done").now_or_never().unwrap();
    }
    let each = (allocated() - before) / SESSIONS;
    assert!(each < 512, "{each} bytes");
}

/// An answer as a small call has it.
fn answer(call: &CallId) -> ToolResponse {
    ToolResponse {
        outcome: Outcome::success(Some("{\"id\":12345,\"status\":\"sent\"}"), "[]"),
        meta: Meta {
            tool_id: "send_message".into(),
            tool_version: Some("1.0.0".into()),
            registry_version: "1.0.0+0123456789ab".into(),
            duration: 1.5,
            timestamp: "2026-01-01T00:00:00.000Z".to_owned(),
            response_schema_version: TOOL_RESPONSE_SCHEMA_VERSION,
            call_id: Some(call.clone()),
            mode: Some("text".into()),
            turn: Some(1),
            attempts: Some(1),
            idempotency_key: Some("tg_0123456789abcdef0123456789abcdef".into()),
            parent_call_id: None,
            pending: false,
            cached: false,
            idempotent_cache_hit: false,
            original_turn: None,
            clamped: Vec::new(),
            defaulted: Vec::new(),
            repaired: Vec::new(),
            edited: Vec::new(),
            grant: None,
            reconciled: None,
            truncated: None,
            warnings: Vec::new(),
        },
    }
}

fn make_call(store: &AnyStore, session: &SessionId, tool: &Arc<str>, number: isize) {
    let call = CallId::from(format!("call_{number:024}").as_str());
    let key = RecordKey::from_provider_id(&call);
    let claim = Claim {
        session: session.clone(),
        key: key.clone(),
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), Arc::clone(tool), "{\"a\":1}"),
        tool: Arc::clone(tool),
        call_id: Some(call.clone()),
        turn: 1,
        effect: EffectClass::Write,
        is_retrieval: false,
        budget: None,
        limits: Vec::new(),
        consume_token: None,
        by_grant: None,
        claimant: None,
        lease_ms: None,
        known_revision: 0,
        repeats_answered: false,
        is_looked_up: true,
        act: None,
        kept: None,
        hold: None,
        now: 1,
    };
    let Ok(ClaimResult::Granted { epoch, .. }) = store.claim(claim).now_or_never().unwrap() else {
        panic!("not granted")
    };
    let state = Some(RecordState::Settled(Arc::new(answer(&call))));
    let settlement = Settlement {
        session: session.clone(),
        key,
        epoch,
        state,
        is_heard: true,
        owed: None,
        changes: Vec::new(),
        now: 1,
    };
    assert_eq!(store.settle(settlement).now_or_never().unwrap(), Ok(true));
}

/// The bytes that each of so many records of writes takes.
fn record_bytes(records: isize) -> isize {
    let store = AnyStore::default();
    let (session, tool): (SessionId, Arc<str>) = ("s".into(), "send_message".into());
    let attach = AttachRequest {
        session: session.clone(),
        owner: toolgate::store::Owner::default(),
        state: SessionState::new("text"),
        tools_version: "v1".into(),
        resume_only: false,
        now: 1,
    };
    assert!(store.attach(attach).now_or_never().unwrap().unwrap().created);
    let before = allocated();
    for number in 0..records {
        make_call(&store, &session, &tool, number);
    }
    (allocated() - before) / records
}

#[test]
fn a_record_takes_little_memory() {
    // Of 100 records the answers are kept, of the others only that they ran.
    for (records, most) in [(100, 1310), (1000, 630), (4000, 630)] {
        let each = record_bytes(records);
        assert!((100..=most).contains(&each), "{each} bytes for each of {records}, and not {most}");
    }
}
