//! A session as this process holds it, and why one can't be had.

use std::sync::Arc;

use parking_lot::Mutex;

use super::facts::Tally;
use super::running::Running;
use crate::session::attachment::{Attachment, LiveSession};
use crate::session::state::StateError;
use crate::store::StoreError;

/// A session of this process: its local view, what runs in it, who is attached.
pub(super) struct OpenSession {
    pub(super) live: Arc<LiveSession>,
    pub(super) running: Running,
    pub(super) attachments: Mutex<Vec<Arc<Attachment>>>,
    pub(super) tally: Mutex<Tally>,
}

impl OpenSession {
    pub(super) fn new(live: LiveSession) -> Self {
        Self {
            live: Arc::new(live),
            running: Running::default(),
            attachments: Mutex::default(),
            tally: Mutex::default(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.attachments.lock().is_empty() && self.running.is_empty()
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
