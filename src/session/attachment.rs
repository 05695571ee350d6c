//! An attachment: one connection or request of a session, in one mode that never changes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, RwLock};

use super::cache::ResultCache;
use super::loops::LoopMemory;
use super::policy::Mode;
use super::state::State;
use crate::call::SessionId;
use crate::registry::ToolSet;

/// What the attachments of one session share in this process.
#[derive(Debug)]
pub struct LiveSession {
    /// Its name.
    pub id: SessionId,
    /// The local view of the state. Locked for plain reads and writes only, never across an `await`.
    pub state: Mutex<State>,
    /// What was called in the current turn.
    pub loops: Mutex<LoopMemory>,
    /// Results that may answer later calls.
    pub results: Mutex<ResultCache>,
    /// Calls are admitted one after another, in the order of their arrival, even where one's text is parsed on a
    /// worker. Tokio's mutex is fair.
    pub admission: tokio::sync::Mutex<()>,
    /// The tool set that the session started with.
    pub tools: RwLock<Arc<ToolSet>>,
}

impl LiveSession {
    /// A session's local view.
    #[must_use]
    pub fn new(id: SessionId, state: State, tools: Arc<ToolSet>) -> Self {
        Self {
            id,
            state: Mutex::new(state),
            loops: Mutex::default(),
            results: Mutex::default(),
            admission: tokio::sync::Mutex::default(),
            tools: RwLock::new(tools),
        }
    }
}

/// Why an attachment takes no calls any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// The host left.
    Detached,
    /// A newer attachment of its mode took its place.
    Superseded,
}

/// One connection or request.
#[derive(Debug)]
pub struct Attachment {
    /// Unique in this process.
    pub id: u64,
    /// The session.
    pub session: Arc<LiveSession>,
    /// The policy profile.
    pub mode: Arc<Mode>,
    /// Roles held.
    pub roles: BTreeSet<String>,
    /// Host services at hand.
    pub services: BTreeSet<String>,
    turn: AtomicU32,
    closed: Mutex<Option<Closed>>,
}

impl Attachment {
    /// An open attachment at the given turn.
    #[must_use]
    pub fn new(
        id: u64,
        session: Arc<LiveSession>,
        mode: Arc<Mode>,
        roles: BTreeSet<String>,
        services: BTreeSet<String>,
        turn: u32,
    ) -> Self {
        Self { id, session, mode, roles, services, turn: AtomicU32::new(turn), closed: Mutex::new(None) }
    }

    /// The attachment's turn, from 1.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turn.load(Ordering::Acquire)
    }

    /// Makes a turn the attachment's.
    pub fn enter_turn(&self, turn: u32) {
        self.turn.store(turn, Ordering::Release);
    }

    /// Why it takes no calls, where it takes none.
    #[must_use]
    pub fn closed(&self) -> Option<Closed> {
        *self.closed.lock()
    }

    /// Why it may do nothing any more, as a word and as a sentence; `None` where it may.
    #[must_use]
    pub fn inactive(&self) -> Option<(&'static str, &'static str)> {
        match self.closed() {
            Some(Closed::Superseded) => Some(("superseded", "a newer connection took this one's place")),
            Some(Closed::Detached) => Some(("detached", "this connection has left the session")),
            None if self.session.state.lock().is_active() => None,
            None => Some(("ended", "the session has ended")),
        }
    }

    /// Closes it; the first reason stays. True where it was open.
    pub fn close(&self, reason: Closed) -> bool {
        let mut closed = self.closed.lock();
        let was_open = closed.is_none();
        closed.get_or_insert(reason);
        was_open
    }

    /// The tool set that this session runs.
    #[must_use]
    pub fn tools(&self) -> Arc<ToolSet> {
        Arc::clone(&self.session.tools.read())
    }
}
