//! A session as this process holds it, and why one can't be had.

use std::sync::Arc;

use parking_lot::Mutex;

use super::call_facts::TurnStats;
use super::nested_calls::ParentAttempts;
use super::running::RunningCalls;
use crate::admit::Backpressure;
use crate::registry::CompiledTool;
use crate::run::concurrency::{Concurrency, ConcurrencyLimits, SlotOwner, SlotRequest};
use crate::session::attachment::{Attachment, LiveSession};
use crate::session::state::StateError;
use crate::store::StoreError;

/// A session of this process: its local view, what runs in it, who is attached.
pub(super) struct OpenSession {
    pub(super) live: Arc<LiveSession>,
    pub(super) running: RunningCalls,
    pub(super) parent_attempts: ParentAttempts,
    pub(super) concurrency: Arc<Concurrency>,
    pub(super) own_slots: SessionSlots,
    pub(super) slots_of_parents: SessionSlots,
    pub(super) attachments: Mutex<Vec<Arc<Attachment>>>,
    pub(super) turn_stats: Mutex<TurnStats>,
}

impl OpenSession {
    pub(super) fn new(live: LiveSession, limits: ConcurrencyLimits) -> Self {
        let lanes = Concurrency::new(limits);
        Self {
            own_slots: SessionSlots { lanes: Arc::clone(&lanes), seat: SlotOwner::Call },
            slots_of_parents: SessionSlots { lanes: Arc::clone(&lanes), seat: SlotOwner::Parent },
            live: Arc::new(live),
            running: RunningCalls::default(),
            parent_attempts: ParentAttempts::default(),
            concurrency: lanes,
            attachments: Mutex::default(),
            turn_stats: Mutex::default(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.attachments.lock().is_empty() && self.running.is_empty()
    }
}

/// Whether there is room for calls that take these seats.
pub(super) struct SessionSlots {
    lanes: Arc<Concurrency>,
    seat: SlotOwner,
}

impl Backpressure for SessionSlots {
    fn queued_if_full(&self, tool: &CompiledTool) -> Option<usize> {
        self.lanes.is_full(&SlotRequest::for_tool(tool, self.seat))
    }
}

/// Why there is no session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// An option has a value it does not take.
    #[error("{0}")]
    Option(String),
    /// It is somebody else's, has ended, or the store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The registry is closed.
    #[error("the registry is closed")]
    Closed,
    /// It was made with a tool set that is not loaded any more.
    #[error("the session was made with tool set {session}, the registry now has {registry}")]
    Version {
        /// The session's.
        session: Arc<str>,
        /// The registry's.
        registry: Arc<str>,
    },
}

impl From<StateError> for CreateError {
    fn from(error: StateError) -> Self {
        Self::Option(format!("`state`: {error}"))
    }
}
