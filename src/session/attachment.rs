//! An attachment: one connection or request of a session, in one mode that never changes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, RwLock};

use super::cache::ResultCache;
use super::fulls::Fulls;
use super::loops::LoopMemory;
use super::policy::Mode;
use super::state::{Change, State};
use crate::call::SessionId;
use crate::json::SketchKey;
use crate::registry::ToolSet;

/// What the attachments of one session share in this process.
#[derive(Debug)]
pub struct LiveSession {
    /// Its name.
    pub id: SessionId,
    /// The local view of the state. Locked for plain reads and writes only, never across an `await`.
    pub state: Mutex<State>,
    /// Changes of the local view that are on their way to the store.
    saving: AtomicU32,
    /// Under which calls are told apart.
    pub sketches: SketchKey,
    /// What was called in the current turn.
    pub loops: Mutex<LoopMemory>,
    /// Results that may answer later calls.
    pub results: Mutex<ResultCache>,
    /// Data that was shortened for a model, whole.
    pub fulls: Mutex<Fulls>,
    /// Calls are admitted one after another, in the order of their arrival, even where one's text is parsed on a
    /// worker. Tokio's mutex is fair.
    pub admission: tokio::sync::Mutex<()>,
    /// The tool set that the session started with.
    pub tools: RwLock<Arc<ToolSet>>,
}

impl LiveSession {
    /// A session's local view.
    #[must_use]
    pub fn new(id: SessionId, state: State, sketches: SketchKey, tools: Arc<ToolSet>) -> Self {
        Self {
            id,
            state: Mutex::new(state),
            saving: AtomicU32::new(0),
            sketches,
            loops: Mutex::default(),
            results: Mutex::default(),
            fulls: Mutex::default(),
            admission: tokio::sync::Mutex::default(),
            tools: RwLock::new(tools),
        }
    }

    /// Changes the local view. Returns what `change` does and which changes are to be kept; [`saved`](Self::saved) is
    /// told when they are, or will not be.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> (T, Vec<Change>) {
        let mut state = self.state.lock();
        let before = state.revision();
        let done = change(&mut state);
        let changes = state.since(before);
        if !changes.is_empty() {
            self.saving.fetch_add(1, Ordering::AcqRel);
        }
        (done, changes)
    }

    /// Changes have reached the store, or have been given up.
    pub fn saved(&self) {
        self.saving.fetch_sub(1, Ordering::AcqRel);
    }

    /// The revision of the local view.
    #[must_use]
    pub fn known(&self) -> u64 {
        self.state.lock().revision()
    }

    /// The state as the store has it: another process changed it. It waits for the next time where changes of our own
    /// are on their way.
    pub fn hear(&self, state: Option<Box<State>>) {
        let Some(state) = state else { return };
        let mut view = self.state.lock();
        if self.saving.load(Ordering::Acquire) == 0 {
            *view = *state;
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
