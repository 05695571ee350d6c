//! The gate: owns the tool set, the sessions, the store, the observers, and takes each call from admission through
//! running to settling.
//!
//! It never blocks and never spawns threads of its own: what has to go on by itself is handed to the host's
//! [`Spawner`] as a future. With the memory store, everything up to the handler's start and everything from its end is
//! done in the poll that brought it.

mod attempts;
mod batch;
mod call_facts;
mod calls;
mod closing;
mod direct;
mod health;
mod late_results;
mod leases;
mod nested_calls;
mod open_session;
mod outage;
mod remote_join;
mod responses;
mod run_call;
mod running;
mod session;
mod sessions;
mod settling;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use crate::admit::ArgsLimits;
use crate::call::SessionId;
use crate::clock::Clock;
use crate::json::HashKey;
use crate::observe::Observer;
use crate::observe::audit::AuditKey;
use crate::observe::event::Event;
use crate::observe::listener::Listener;
use crate::registry::ToolSet;
use crate::run::Handlers;
use crate::run::concurrency::ConcurrencyLimits;
use crate::session::policy::{Mode, ModeOverrides};
use crate::store::Store;
use crate::store::memory::MemoryStore;
use late_results::LateResults;
use leases::Leases;
use open_session::OpenSession;

pub use direct::{DirectCall, ValidatedArgs};
pub use open_session::CreateError;
pub use session::{PendingQuestion, Session, TurnBegun};
pub use sessions::SessionOptions;

/// A future that goes on by itself.
pub type GateTask = Pin<Box<dyn Future<Output = ()> + Send>>;
/// Runs futures to their end.
pub type Spawner = Arc<dyn Fn(GateTask) + Send + Sync>;

/// Draws a number by chance.
pub type RandomSource = Arc<dyn Fn() -> u64 + Send + Sync>;

/// What happens to a session whose tool set is not the registry's any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Environment {
    /// Its next call is an error of the developer's.
    #[default]
    Development,
    /// It goes on with its own.
    Production,
}

/// Bounds of a gate.
#[derive(Debug, Clone, Copy)]
pub struct GateLimits {
    /// Of arguments.
    pub args: ArgsLimits,
    /// Sessions kept.
    pub max_sessions: usize,
    /// Milliseconds after which an unused session is dropped.
    pub session_idle_ms: u64,
    /// Calls that run and wait, per session.
    pub lanes: ConcurrencyLimits,
}

impl Default for GateLimits {
    fn default() -> Self {
        Self {
            args: ArgsLimits::default(),
            max_sessions: 10_000,
            session_idle_ms: 24 * 60 * 60 * 1000,
            lanes: ConcurrencyLimits::default(),
        }
    }
}

/// What a gate is made of.
pub struct GateParts {
    /// The tools.
    pub tools: Arc<ToolSet>,
    /// Where sessions live.
    pub store: Arc<dyn Store>,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    /// Where handlers live.
    pub handlers: Arc<dyn Handlers>,
    /// Who hears what happens.
    pub observer: Observer,
    /// Who is told of calls of attachments that listen.
    pub listener: Option<Arc<dyn Listener>>,
    /// For hashes in audit lines.
    pub audit_key: Option<AuditKey>,
    /// Runs futures.
    pub spawner: Spawner,
    /// Spreads retries over time.
    pub chance: RandomSource,
    /// Bounds.
    pub limits: GateLimits,
    /// Modes that the host adds or overrides.
    pub modes: HashMap<String, ModeOverrides>,
    /// Development or production.
    pub environment: Environment,
}

/// The gate.
pub struct Gate {
    parts: GateParts,
    tools: RwLock<Arc<ToolSet>>,
    sessions: Mutex<HashMap<SessionId, Arc<OpenSession>>>,
    late: LateResults,
    next_id: AtomicU64,
    /// When idle sessions are looked for again, epoch milliseconds.
    next_sweep: AtomicU64,
    closing: AtomicBool,
    locked: AtomicBool,
    /// For calls without a session; a session's store has its own.
    sketches: HashKey,
    /// Claims whose handlers run.
    leases: Leases,
    /// What stands in for the store's counters while it fails.
    outage: MemoryStore,
}

/// A registry that is locked takes no reload, and one that is not can't be told to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// A reload after `lock()`.
    #[error("the registry is locked: its version is what runs, and it is not reloaded")]
    Locked,
}

impl Gate {
    /// A gate over a tool set.
    #[must_use]
    pub fn new(mut parts: GateParts) -> Arc<Self> {
        // Nothing holds the first set once another is loaded and no session runs it.
        let tools = std::mem::replace(&mut parts.tools, Arc::new(ToolSet::empty()));
        let gate = Arc::new(Self {
            parts,
            tools: RwLock::new(Arc::clone(&tools)),
            sessions: Mutex::default(),
            late: LateResults::default(),
            next_id: AtomicU64::new(1),
            next_sweep: AtomicU64::new(0),
            closing: AtomicBool::new(false),
            locked: AtomicBool::new(false),
            sketches: HashKey::random(),
            leases: Leases::default(),
            outage: MemoryStore::default(),
        });
        gate.emit_loaded(&tools);
        gate
    }

    /// The tool set that new sessions get.
    #[must_use]
    pub fn tools(&self) -> Arc<ToolSet> {
        Arc::clone(&self.tools.read())
    }

    /// Replaces the tool set for sessions to come.
    ///
    /// # Errors
    /// Once locked.
    pub fn reload(&self, tools: &Arc<ToolSet>) -> Result<(), LockError> {
        if self.is_locked() {
            return Err(LockError::Locked);
        }
        *self.tools.write() = Arc::clone(tools);
        self.emit_loaded(tools);
        Ok(())
    }

    /// Takes no reload any more.
    pub fn lock(&self) {
        if !self.locked.swap(true, Ordering::AcqRel) {
            self.emit(None, &Event::RegistryLocked { registry_version: &self.tools().version });
        }
    }

    /// Whether it is locked.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.locked.load(Ordering::Acquire)
    }

    /// Counters per tool and mode.
    #[must_use]
    pub fn metrics(&self) -> Value {
        self.parts.observer.metrics()
    }

    /// A handler's own audit line.
    pub fn log(&self, session: Option<&str>, name: &str, tool_id: &str, call_id: Option<&str>, data: &Value) {
        self.emit(session, &Event::ToolLog { name, tool_id, call_id, data });
    }

    /// A mode by its name: the host's, a built-in one, or text's numbers under a new name.
    fn mode(&self, name: &str) -> Mode {
        let mode = Mode::from_name(name);
        match self.parts.modes.get(name) {
            Some(overrides) => mode.with_overrides(overrides),
            None => mode,
        }
    }

    fn emit(&self, session: Option<&str>, event: &Event<'_>) {
        self.parts.observer.emit(session, event);
    }

    fn emit_loaded(&self, tools: &ToolSet) {
        let event = Event::RegistryLoaded { registry_version: &tools.version, tools: tools.tools().len() };
        self.emit(None, &event);
    }

    fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    fn now(&self) -> crate::clock::EpochMs {
        self.parts.clock.now()
    }
}
