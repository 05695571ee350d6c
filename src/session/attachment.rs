//! Attachments: connections or requests of a session, each in a mode that never changes.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::tz::TimeZone;
use parking_lot::{Mutex, RwLock};
use tokio::time::Instant;

use super::cache::ResultCache;
use super::delivery::Delivery;
use super::early_cancellations::EarlyCancellations;
use super::loop_guard::LoopHistory;
use super::policy::Mode;
use super::state::{SessionState, StateChange};
use super::turns::{AttachmentTurns, DEFAULT_TURN_PAUSE, EarlierCalls};
use crate::call::SessionId;
use crate::json::HashKey;
use crate::registry::ToolSet;

/// The process-local part of a session, shared by its attachments.
#[derive(Debug)]
pub struct LiveSession {
    /// The session's id.
    pub id: SessionId,
    /// The local copy of the state. Locked for plain reads and writes only, never across an `await`.
    pub state: Mutex<SessionState>,
    /// The number of saves of local changes that are in progress.
    pending_saves: AtomicU32,
    /// The key of the fingerprints of the session's calls.
    pub fingerprint_key: HashKey,
    /// The calls of the current turn.
    pub loop_history: Mutex<LoopHistory>,
    /// The results that may answer later calls.
    pub result_cache: Mutex<ResultCache>,
    /// Admits calls one after another, in the order of their arrival, even if a call's text is parsed on a worker.
    /// Tokio's mutex is fair.
    pub admission: tokio::sync::Mutex<()>,
    /// The session's tool set.
    pub tools: RwLock<Arc<ToolSet>>,
    /// When a call was answered last, of the attachments whose host does not begin turns.
    last_answer: Mutex<Option<Instant>>,
    /// The modes of the connections whose host begins turns: it does so for the connection that takes their place, too.
    connections_with_turns: Mutex<BTreeSet<Arc<str>>>,
}

impl LiveSession {
    /// A session with this state.
    #[must_use]
    pub fn new(id: SessionId, state: SessionState, fingerprint_key: HashKey, tools: Arc<ToolSet>) -> Self {
        Self {
            id,
            state: Mutex::new(state),
            pending_saves: AtomicU32::new(0),
            fingerprint_key,
            loop_history: Mutex::default(),
            result_cache: Mutex::default(),
            admission: tokio::sync::Mutex::default(),
            tools: RwLock::new(tools),
            last_answer: Mutex::default(),
            connections_with_turns: Mutex::default(),
        }
    }

    /// Gives the session this tool set. Returns the one that it had, if that was another one.
    pub fn replace_tools(&self, tools: &Arc<ToolSet>) -> Option<Arc<ToolSet>> {
        if self.tools.read().version == tools.version {
            return None;
        }
        let mut current = self.tools.write();
        (current.version != tools.version).then(|| std::mem::replace(&mut *current, Arc::clone(tools)))
    }

    /// When a call was answered last, as far as this process knows.
    #[must_use]
    pub fn last_answer(&self) -> Option<Instant> {
        *self.last_answer.lock()
    }

    /// Changes the local copy. Returns the result of `change` and the changes to save; the caller must call
    /// [`saved`](Self::saved) when the save has ended or was abandoned.
    pub fn change_state<T>(&self, change: impl FnOnce(&mut SessionState) -> T) -> (T, Vec<StateChange>) {
        let mut state = self.state.lock();
        let before = state.revision();
        let done = change(&mut state);
        let changes = state.changes_since(before);
        if !changes.is_empty() {
            self.pending_saves.fetch_add(1, Ordering::AcqRel);
        }
        (done, changes)
    }

    /// Notes that a save has ended or was abandoned.
    pub fn save_finished(&self) {
        self.pending_saves.fetch_sub(1, Ordering::AcqRel);
    }

    /// The revision of the local copy.
    #[must_use]
    pub fn state_revision(&self) -> u64 {
        self.state.lock().revision()
    }

    /// Replaces the local copy with the store's state, which another process changed. Ignored while a save of local
    /// changes is in progress: a later call gets the merged state.
    pub fn update_from_store(&self, state: Option<Box<SessionState>>) {
        let Some(state) = state else { return };
        let mut view = self.state.lock();
        if self.pending_saves.load(Ordering::Acquire) == 0 {
            *view = *state;
        }
    }
}

/// Why an attachment no longer takes calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// The host detached it.
    Detached,
    /// A newer attachment of its mode replaced it.
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
    /// The roles held.
    pub roles: BTreeSet<String>,
    /// The available host services.
    pub services: BTreeSet<String>,
    /// The session's principal: who answers its questions.
    pub principal: Option<String>,
    /// The user's time zone, if the host knows it.
    pub time_zone: Option<TimeZone>,
    /// Whether its user can be asked.
    pub can_ask: bool,
    /// The cancellations that came before their calls.
    pub early_cancellations: Mutex<EarlyCancellations>,
    /// Whether it holds the results of its writes until it accepts them.
    pub holds_writes: bool,
    /// The results that it delivers and holds, from the first one on.
    delivery: OnceLock<Box<Delivery>>,
    /// When a turn begins for a host that does not begin turns.
    pub turns: Mutex<AttachmentTurns>,
    /// Whether this attachment supersedes older ones of its mode: a connection, not a request.
    is_connection: bool,
    turn: AtomicU32,
    close_reason: Mutex<Option<CloseReason>>,
}

impl Attachment {
    /// An open attachment at this turn.
    #[must_use]
    pub fn new(
        id: u64,
        session: Arc<LiveSession>,
        mode: Arc<Mode>,
        roles: BTreeSet<String>,
        services: BTreeSet<String>,
        turn: u32,
    ) -> Self {
        Self {
            id,
            session,
            mode,
            roles,
            services,
            early_cancellations: Mutex::default(),
            delivery: OnceLock::new(),
            turns: Mutex::new(AttachmentTurns::new(DEFAULT_TURN_PAUSE, EarlierCalls::None, false)),
            is_connection: false,
            turn: AtomicU32::new(turn),
            close_reason: Mutex::new(None),
            time_zone: None,
            can_ask: true,
            holds_writes: false,
            principal: None,
        }
    }

    /// The attachment of a principal.
    #[must_use]
    pub fn of_principal(self, principal: Option<String>) -> Self {
        Self { principal, ..self }
    }

    /// The attachment of a user who can be asked, or not.
    #[must_use]
    pub fn asking(self, can_ask: bool) -> Self {
        Self { can_ask, ..self }
    }

    /// The attachment that holds the results of its writes until it accepts them, or not.
    #[must_use]
    pub fn holding_writes(self, holds_writes: bool) -> Self {
        Self { holds_writes, ..self }
    }

    /// The attachment of a user in this time zone, by its IANA name. An unknown one is ignored.
    #[must_use]
    pub fn in_time_zone(self, name: Option<&str>) -> Self {
        Self { time_zone: name.and_then(|name| TimeZone::get(name).ok()), ..self }
    }

    /// The attachment of a connection: it takes the place of an older one of its mode, whose host may begin turns.
    #[must_use]
    pub fn as_connection(mut self) -> Self {
        self.is_connection = true;
        if self.session.connections_with_turns.lock().contains(&self.mode.name) {
            self.turns.get_mut().host_begins();
        }
        self
    }

    /// Sets the pause that begins a turn, and what is known of the session's earlier calls.
    #[must_use]
    pub fn with_turns(mut self, pause: Option<Duration>, earlier: EarlierCalls) -> Self {
        self.turns = Mutex::new(AttachmentTurns::new(pause.unwrap_or(DEFAULT_TURN_PAUSE), earlier, false));
        self
    }

    /// Whether it delivers results of background calls.
    #[must_use]
    pub fn delivers_results(&self) -> bool {
        self.delivery.get().is_some_and(|delivery| delivery.takes())
    }

    /// The results that it delivers or holds, if there has been one.
    #[must_use]
    pub fn known_delivery(&self) -> Option<&Delivery> {
        self.delivery.get().map(|delivery| &**delivery)
    }

    /// The results that it delivers and holds.
    pub fn delivery(&self) -> &Delivery {
        self.delivery.get_or_init(Box::default)
    }

    /// Notes that the host begins turns.
    pub fn host_begins_turns(&self) {
        self.turns.lock().host_begins();
        if self.is_connection {
            self.session.connections_with_turns.lock().insert(Arc::clone(&self.mode.name));
        }
    }

    /// Notes that a call was answered; see [`AttachmentTurns::answered`].
    pub fn call_answered(&self, at: Option<Instant>) {
        self.turns.lock().answered(at);
        if at.is_some() {
            *self.session.last_answer.lock() = at;
        }
    }

    /// The attachment's turn, from 1.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turn.load(Ordering::Acquire)
    }

    /// Sets the attachment's turn.
    pub fn enter_turn(&self, turn: u32) {
        self.turn.store(turn, Ordering::Release);
    }

    /// Why it no longer takes calls; `None` while it is open.
    #[must_use]
    pub fn close_reason(&self) -> Option<CloseReason> {
        *self.close_reason.lock()
    }

    /// Why it is inactive, as a code and as a sentence; `None` if it is active.
    #[must_use]
    pub fn inactive_reason(&self) -> Option<(&'static str, &'static str)> {
        match self.close_reason() {
            Some(CloseReason::Superseded) => Some(("superseded", "a newer connection took this one's place")),
            Some(CloseReason::Detached) => Some(("detached", "this connection has left the session")),
            None if self.session.state.lock().is_active() => None,
            None => Some(("ended", "the session has ended")),
        }
    }

    /// Closes it; the first reason stays. Returns true if it was open.
    pub fn close(&self, reason: CloseReason) -> bool {
        let mut closed = self.close_reason.lock();
        let was_open = closed.is_none();
        closed.get_or_insert(reason);
        was_open
    }

    /// The session's tool set.
    #[must_use]
    pub fn tools(&self) -> Arc<ToolSet> {
        Arc::clone(&self.session.tools.read())
    }
}
