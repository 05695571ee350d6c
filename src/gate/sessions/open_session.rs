//! A session as this process holds it, and the errors of creating one.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::admit::Backpressure;
use crate::gate::delivery::result_waits::ResultWaits;
use crate::gate::nested::nested_calls::ParentAttempts;
use crate::gate::run::running::RunningCalls;
use crate::gate::sessions::session_monitor::SessionMonitor;
use crate::gate::sessions::turn_stats::TurnStats;
use crate::registry::CompiledTool;
use crate::run::concurrency::{Concurrency, ConcurrencyLimits, SlotOwner, SlotRequest};
use crate::session::attachment::{Attachment, LiveSession};
use crate::session::state::StateError;
use crate::session::turns::EarlierCalls;
use crate::store::{AttachedSession, StoreError};

/// A session in this process: its local view, its running calls, its attachments.
pub(in crate::gate) struct OpenSession {
    pub(in crate::gate) live: Arc<LiveSession>,
    pub(in crate::gate) running: RunningCalls,
    pub(in crate::gate) parent_attempts: Arc<ParentAttempts>,
    pub(in crate::gate) concurrency: Arc<Concurrency>,
    pub(in crate::gate) own_backpressure: SlotBackpressure,
    pub(in crate::gate) parent_backpressure: SlotBackpressure,
    /// Made with the first wait for a result: most sessions have none.
    pub(in crate::gate) result_waits: OnceLock<Box<ResultWaits>>,
    pub(in crate::gate) attachments: Mutex<Vec<Arc<Attachment>>>,
    pub(in crate::gate) turn_stats: Mutex<TurnStats>,
    pub(in crate::gate) monitor: Mutex<SessionMonitor>,
}

impl OpenSession {
    pub(in crate::gate) fn new(live: LiveSession, limits: ConcurrencyLimits) -> Self {
        let concurrency = Concurrency::new(limits);
        Self {
            own_backpressure: SlotBackpressure { concurrency: Arc::clone(&concurrency), owner: SlotOwner::Call },
            parent_backpressure: SlotBackpressure { concurrency: Arc::clone(&concurrency), owner: SlotOwner::Parent },
            live: Arc::new(live),
            running: RunningCalls::default(),
            parent_attempts: Arc::default(),
            concurrency,
            result_waits: OnceLock::new(),
            attachments: Mutex::default(),
            turn_stats: Mutex::default(),
            monitor: Mutex::default(),
        }
    }

    /// What a new attachment knows of the session's earlier calls: of another process, only when it last used the
    /// session.
    pub(in crate::gate) fn earlier_calls(&self, attached: &AttachedSession) -> EarlierCalls {
        let now = Instant::now();
        if attached.created {
            EarlierCalls::None
        } else if !self.running.is_empty() {
            EarlierCalls::AnsweredAt(now)
        } else {
            let elsewhere = now.checked_sub(attached.unused).unwrap_or(now);
            EarlierCalls::AnsweredAt(self.live.last_answer().unwrap_or(elsewhere))
        }
    }

    /// Wakes the waits for a result: there may be one, or there will be none.
    pub(in crate::gate) fn results_changed(&self) {
        if let Some(waits) = self.result_waits.get() {
            waits.changed.notify_waiters();
        }
    }

    pub(in crate::gate) fn is_idle(&self) -> bool {
        self.attachments.lock().is_empty() && self.running.is_empty()
    }
}

/// The back-pressure of calls with one kind of slot owner.
pub(in crate::gate) struct SlotBackpressure {
    concurrency: Arc<Concurrency>,
    owner: SlotOwner,
}

impl Backpressure for SlotBackpressure {
    fn queued_if_full(&self, tool: &CompiledTool) -> Option<usize> {
        self.concurrency.queued_if_full(&SlotRequest::for_tool(tool, self.owner))
    }
}

/// The error of creating or resuming a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// An option has an invalid value.
    #[error("{0}")]
    Option(String),
    /// The session belongs to another principal or has ended, or the store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The registry is closed.
    #[error("the registry is closed")]
    Closed,
    /// The session was created with a tool set that is no longer loaded.
    #[error("the session was made with tool set {session}, the registry now has {registry}")]
    Version {
        /// The session's version.
        session: Arc<str>,
        /// The registry's version.
        registry: Arc<str>,
    },
}

impl From<StateError> for CreateError {
    fn from(error: StateError) -> Self {
        Self::Option(format!("`state`: {error}"))
    }
}
