//! What calls do, where another call may do the same.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::act_name::ActName;
use super::reconcile::KeptCall;
use super::record::{Record, RecordState};
use crate::clock::EpochMs;
use crate::session::key::RecordKey;

/// What a call does, if another call may do the same.
#[derive(Debug, Clone)]
pub struct Act {
    /// Its name.
    pub name: ActName,
    /// How long after it an equal act is its duplicate, in milliseconds.
    pub window_ms: u64,
    /// The turn, if a success of an earlier turn is no act to be asked about.
    pub turn: Option<u32>,
    /// The model's call whose handler does it: the acts of one such call are meant.
    pub within: Option<RecordKey>,
    /// The epoch of the last equal act that the user knows of and has confirmed it in spite of; 0 for none.
    pub known: u64,
    /// The principal whose session it must be; `None` for any.
    pub owner: Option<Arc<str>>,
}

/// An equal act that was done before.
#[derive(Debug, Clone)]
pub struct DoneAct {
    /// The key of its record.
    pub key: RecordKey,
    /// Its record.
    pub record: Arc<Record>,
    /// What is kept of the record's call.
    pub kept: Option<Arc<KeptCall>>,
}

impl DoneAct {
    /// The same, as a question says it.
    #[must_use]
    pub fn summary(&self) -> DoneBefore {
        let Record { epoch, claimed_at, .. } = *self.record;
        DoneBefore { epoch, at: claimed_at, outcome: ActOutcome::from_state(&self.record.state) }
    }
}

/// What a question says of an equal act that was done before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoneBefore {
    /// The epoch of its claim.
    pub epoch: u64,
    /// When it was begun.
    pub at: EpochMs,
    /// What became of it.
    pub outcome: ActOutcome,
}

/// What became of an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActOutcome {
    /// It is being done.
    Running,
    /// It is done.
    Committed,
    /// It has failed, and may have had effects.
    Failed,
    /// It was begun, and its outcome is not known.
    Unknown,
}

impl ActOutcome {
    /// What became of a recorded call.
    #[must_use]
    pub fn from_state(state: &RecordState) -> Self {
        match state {
            RecordState::Started => Self::Running,
            RecordState::Settled(response) if response.is_ok() => Self::Committed,
            RecordState::Forgotten { ok: true } => Self::Committed,
            RecordState::Settled(_) | RecordState::Forgotten { ok: false } => Self::Failed,
            RecordState::Unknown => Self::Unknown,
        }
    }

    /// The name in `details.outcome`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Committed => "committed",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}
