//! A session as this process holds it, and why one can't be had.

use std::sync::Arc;

use parking_lot::Mutex;

use super::facts::Tally;
use super::running::Running;
use super::within::Callings;
use crate::admit::Room;
use crate::registry::CompiledTool;
use crate::run::lanes::{LaneLimits, Lanes, Seat, Want};
use crate::session::attachment::{Attachment, LiveSession};
use crate::session::state::StateError;
use crate::store::StoreError;

/// A session of this process: its local view, what runs in it, who is attached.
pub(super) struct OpenSession {
    pub(super) live: Arc<LiveSession>,
    pub(super) running: Running,
    pub(super) callings: Callings,
    pub(super) lanes: Arc<Lanes>,
    pub(super) own_seats: Seats,
    pub(super) seats_of_parents: Seats,
    pub(super) attachments: Mutex<Vec<Arc<Attachment>>>,
    pub(super) tally: Mutex<Tally>,
}

impl OpenSession {
    pub(super) fn new(live: LiveSession, limits: LaneLimits) -> Self {
        let lanes = Lanes::new(limits);
        Self {
            own_seats: Seats { lanes: Arc::clone(&lanes), seat: Seat::Own },
            seats_of_parents: Seats { lanes: Arc::clone(&lanes), seat: Seat::OfParent },
            live: Arc::new(live),
            running: Running::default(),
            callings: Callings::default(),
            lanes,
            attachments: Mutex::default(),
            tally: Mutex::default(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.attachments.lock().is_empty() && self.running.is_empty()
    }
}

/// Whether there is room for calls that take these seats.
pub(super) struct Seats {
    lanes: Arc<Lanes>,
    seat: Seat,
}

impl Room for Seats {
    fn is_full(&self, tool: &CompiledTool) -> Option<usize> {
        self.lanes.is_full(&Want::of(tool, self.seat))
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
