//! The gate: owns the tool set, the sessions, the store and the observers, and takes each call through admission,
//! running and settling.
//!
//! The gate never blocks and spawns no threads: futures that run on their own go to the host's [`Spawner`]. With the
//! memory store, a call reaches its handler's start within one poll, and settles within the poll that ends the handler.
//!
//! | here | what it has |
//! |---|---|
//! | `sessions/` | sessions, their attachments and turns, and what their answers cost the model |
//! | `calls/` | a call from its arrival to its answer: its callers, and equal calls that wait for it |
//! | `run/` | the run of an admitted call: its attempts, its lease and its end, also where it outlasts its callers |
//! | `consent/` | what users say: to confirmations, wherever they are answered, and to grants |
//! | `nested/` | calls that handlers make |
//! | `reconcile/` | records of uncertain outcome, of which their tools find out what happened |
//! | `delivery/` | owed results, until an attachment has accepted them |
//! | `health`, `store_probe`, `closing` | the gate as a whole |

mod calls;
mod closing;
mod consent;
mod delivery;
mod health;
mod nested;
mod reconcile;
mod run;
mod sessions;
mod store_probe;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::RwLock;
use serde_json::Value;

use crate::admit::{AdmittedCall, ArgsLimits};
use crate::clock::Clock;
use crate::observe::FullResultChange;
use crate::observe::Observer;
use crate::observe::audit::installation_key::InstallationKey;
use crate::observe::event::Event;
use crate::observe::listener::Listener;
use crate::registry::ToolSet;
use crate::run::Handlers;
use crate::run::concurrency::ConcurrencyLimits;
use crate::schema::RepairRules;
use crate::session::policy::{Mode, ModeOverrides};
use crate::store::AnyStore;
use run::aside::Asides;
use run::full_results::{FullResult, FullResults};
use run::late_results::LateResults;
use run::leases::Leases;
use sessions::open_session::OpenSession;
use sessions::open_sessions::OpenSessions;
pub use sessions::session_monitor::ContextLimits;
use store_probe::StoreProbe;

pub use calls::arguments::ValidatedArgs;
pub use calls::caller::ResponseSink;

pub use crate::admit::{Approver, UserConfirmation};
pub use calls::outcome::SeenOutcome;
pub use consent::confirming::ConfirmedAnswer;
pub use consent::elsewhere::{ExpiryNews, FoundConfirmation};
pub use consent::grants::GrantView;
pub use delivery::results::{BackgroundCall, TakenResult};
pub use reconcile::reconcile_all::{ReconcileReport, ReconciledCall};
pub use run::external_completion::ExternalCompletion;
pub use run::handler_log::HandlerLogEntry;
pub use run::running::HostCaller;
pub use sessions::attachment::{PendingQuestion, Session, TurnBegun, UserDenial};
pub use sessions::open_session::CreateError;
pub use sessions::opening::SessionOptions;

/// A future that runs on its own.
pub type GateTask = Pin<Box<dyn Future<Output = ()> + Send>>;
/// Runs futures to their end.
pub type Spawner = Arc<dyn Fn(GateTask) + Send + Sync>;

/// Returns a random number.
pub type RandomSource = Arc<dyn Fn() -> u64 + Send + Sync>;

/// What happens to a session whose tool set differs from the registry's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Environment {
    /// The session is refused, as an error of the developer.
    #[default]
    Development,
    /// The session keeps its own tool set.
    Production,
}

/// The limits of a gate.
#[derive(Debug, Clone, Copy)]
pub struct GateLimits {
    /// The bounds of arguments.
    pub args: ArgsLimits,
    /// The largest result of a handler, in bytes of JSON text.
    pub max_result_bytes: usize,
    /// The bytes of full results that are kept beside shortened ones, of all sessions.
    pub full_result_bytes: usize,
    /// The largest number of sessions in memory.
    pub max_sessions: usize,
    /// Milliseconds after which an unused session is dropped.
    pub session_idle_ms: u64,
    /// How long a result that no attachment took is kept for its session, in milliseconds.
    pub owed_result_ms: u64,
    /// The concurrency limits of each session.
    pub concurrency: ConcurrencyLimits,
    /// The limits of the context monitor.
    pub context: ContextLimits,
}

impl Default for GateLimits {
    fn default() -> Self {
        Self {
            args: ArgsLimits::default(),
            max_result_bytes: 16 * 1024 * 1024,
            full_result_bytes: run::full_results::DEFAULT_MAX_BYTES,
            max_sessions: 10_000,
            session_idle_ms: 24 * 60 * 60 * 1000,
            owed_result_ms: 7 * 24 * 60 * 60 * 1000,
            concurrency: ConcurrencyLimits::default(),
            context: ContextLimits::default(),
        }
    }
}

/// The parts of a gate.
pub struct GateParts {
    /// The tools.
    pub tools: Arc<ToolSet>,
    /// The session store.
    pub store: AnyStore,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    /// The host of the handlers.
    pub handlers: Arc<dyn Handlers>,
    /// Receives the events.
    pub observer: Observer,
    /// Is notified of the calls of attachments that listen.
    pub listener: Option<Arc<dyn Listener>>,
    /// The key of hashes in audit lines, and of fingerprints of calls without a session.
    pub audit_key: Arc<InstallationKey>,
    /// Runs the gate's futures.
    pub spawner: Spawner,
    /// Draws the pauses before retries.
    pub random: RandomSource,
    /// The limits.
    pub limits: GateLimits,
    /// The modes that the host adds or overrides.
    pub modes: HashMap<String, ModeOverrides>,
    /// The rules by which nearly right arguments may be repaired.
    pub repair: RepairRules,
    /// Development or production.
    pub environment: Environment,
}

/// The gate.
pub struct Gate {
    parts: GateParts,
    tools: RwLock<Arc<ToolSet>>,
    sessions: OpenSessions,
    late_results: LateResults,
    full_results: FullResults,
    next_id: AtomicU64,
    closing: AtomicBool,
    locked: AtomicBool,
    /// The claims whose handlers run.
    leases: Leases,
    /// Replaces the store's counters while the store fails.
    outage_store: AnyStore,
    store_probe: StoreProbe,
    asides: Asides,
}

/// An operation that the lock of the registry forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// A reload after `lock()`.
    #[error("the registry is locked: its version is what runs, and it is not reloaded")]
    Locked,
}

impl Gate {
    /// A gate over `parts.tools`.
    #[must_use]
    pub fn new(mut parts: GateParts) -> Arc<Self> {
        // `parts` must not keep the first tool set alive after a reload.
        let tools = std::mem::replace(&mut parts.tools, Arc::new(ToolSet::empty()));
        let gate = Arc::new(Self {
            full_results: FullResults::new(parts.limits.full_result_bytes),
            parts,
            tools: RwLock::new(Arc::clone(&tools)),
            sessions: OpenSessions::default(),
            late_results: LateResults::default(),
            next_id: AtomicU64::new(1),
            closing: AtomicBool::new(false),
            locked: AtomicBool::new(false),
            leases: Leases::default(),
            outage_store: AnyStore::default(),
            store_probe: StoreProbe::default(),
            asides: Asides::default(),
        });
        gate.emit_loaded(&tools);
        gate
    }

    /// The tool set of new sessions.
    #[must_use]
    pub fn tools(&self) -> Arc<ToolSet> {
        Arc::clone(&self.tools.read())
    }

    /// The gate's limits.
    #[must_use]
    pub const fn limits(&self) -> &GateLimits {
        &self.parts.limits
    }

    /// Replaces the tool set of new sessions.
    ///
    /// # Errors
    /// If the registry is locked.
    pub fn reload(&self, tools: &Arc<ToolSet>) -> Result<(), LockError> {
        if self.is_locked() {
            return Err(LockError::Locked);
        }
        *self.tools.write() = Arc::clone(tools);
        self.emit_loaded(tools);
        Ok(())
    }

    /// Keeps the full data of a result that was shortened, for the user's view. A result that comes after the end of its session
    /// is not kept.
    fn keep_full_result(&self, open: &OpenSession, call: &AdmittedCall, full: Option<Arc<str>>) {
        let Some(data) = full.filter(|_| open.live.state.lock().is_active()) else { return };
        let (tool, mode) = (Arc::clone(&call.tool.id), Arc::clone(&call.header.mode.name));
        self.parts.observer.count_full_result(&tool, &mode, FullResultChange::Kept(data.len()));
        let result = FullResult { session: open.live.id.clone(), tool, mode, data };
        for old in self.full_results.put(Arc::clone(&call.idempotency_key), result) {
            self.parts.observer.count_full_result(&old.tool, &old.mode, FullResultChange::Dropped(old.data.len()));
        }
    }

    /// Forbids further reloads.
    pub fn lock(&self) {
        if !self.locked.swap(true, Ordering::AcqRel) {
            self.emit(None, &Event::RegistryLocked { registry_version: &self.tools().version });
        }
    }

    /// Whether the registry is locked.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.locked.load(Ordering::Acquire)
    }

    /// The counters per tool and mode.
    #[must_use]
    pub fn metrics(&self) -> Value {
        self.parts.observer.metrics()
    }

    /// The mode with this name: a built-in one or, for an unknown name, the numbers of `text`; with the host's
    /// overrides.
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
