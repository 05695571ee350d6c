//! Attaching to a session, and beginning its turns.

use std::sync::Arc;
use std::time::Duration;

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::state::SessionState;
use crate::store::owed::DroppedResult;
use crate::store::owner::Owner;

/// A request to attach to a session, new or existing.
#[derive(Debug, Clone)]
pub struct AttachRequest {
    /// The session's id.
    pub session: SessionId,
    /// The session's owner.
    pub owner: Owner,
    /// The state of a new session.
    pub state: SessionState,
    /// The tool set of a new session.
    pub tools_version: Arc<str>,
    /// Whether the session must exist.
    pub resume_only: bool,
    /// The current time.
    pub now: EpochMs,
}

/// A session that was found or created.
#[derive(Debug, Clone)]
pub struct AttachedSession {
    /// True if the session was created.
    pub created: bool,
    /// How long the session had not been used.
    pub unused: Duration,
    /// The session's turn, from 1.
    pub turn: u32,
    /// The session's state.
    pub state: SessionState,
    /// The tool set that the session was last pinned to.
    pub tools_version: Arc<str>,
    /// The key of the fingerprints of its calls: the same for all processes that share the store.
    pub fingerprint_key: HashKey,
    /// The results that were owed for too long, and are dropped now.
    pub dropped: Vec<DroppedResult>,
}

/// Who begins a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnStarter {
    /// The host, which gets the message for the new turn.
    Host,
    /// The gate, for a host that does not begin turns. The message for the new turn stays in the state.
    Gate {
        /// The turn that ends: the first turn of a session may have had calls without having begun.
        ends: Option<u32>,
    },
}

/// A turn that was begun now, or earlier under the same id.
#[derive(Debug, Clone, PartialEq)]
pub struct BegunTurn {
    /// The turn's number, from 1.
    pub number: u32,
    /// False if the turn's id was known already.
    pub is_new: bool,
    /// The message for the new turn, removed from the state.
    pub pending_message: Option<String>,
    /// The state, if its revision differs from the caller's.
    pub state: Option<Box<SessionState>>,
}
