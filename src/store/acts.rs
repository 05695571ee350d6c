//! The acts of a session: which of its recorded calls are the same act as a new call.
//!
//! An act is a row under a keyed hash of what makes calls equal: the tool and the values of its key. The row names the last
//! calls that made the act; it ends with the window. It is read and written within the claim, so of two equal calls that
//! race under different ids one is granted, and the other is its duplicate.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::act_name::ActName;
use super::act_row::{ActCall, ActRow};
use super::ledger::Ledger;
use super::reconcile::KeptCall;
use super::record::{Record, RecordState};
use super::rows::{Row, RowKey, Rows};
use crate::clock::EpochMs;
use crate::session::key::RecordKey;

/// The number of calls that are kept of one act: the last one counts, and those before it only if it turns out to have done
/// nothing.
const MAX_CALLS: usize = 4;

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

/// An act as it was found.
pub(super) struct FoundAct {
    /// The last equal act, unless the user knows of it.
    pub(super) done: Option<DoneAct>,
    /// The calls that still count.
    calls: Vec<ActCall>,
}

/// Looks for equal acts of other calls.
pub(super) fn find(act: &Act, own: &RecordKey, rows: &mut dyn Rows, now: EpochMs) -> FoundAct {
    let calls: Vec<_> = rows.act(&act.name.0).map(|row| row.0).unwrap_or_default();
    let counting = calls.into_iter().filter_map(|call| {
        let is_over = call.at.saturating_add(act.window_ms) <= now;
        if is_over || call.key == *own {
            return None;
        }
        let entry = Ledger::entry_of(&call.key, rows).filter(|entry| entry.epoch == call.epoch)?;
        let record = entry.to_record(rows, now).filter(|record| may_have_had_effects(&record.state))?;
        Some((call, record, entry.kept.clone()))
    });
    let counting: Vec<_> = counting.collect();
    let is_other = |call: &ActCall| call.within.is_none() || call.within != act.within;
    let is_meant = |record: &Record| act.turn.is_none_or(|turn| record.turn >= turn || !is_heard_success(record));
    let last = counting.iter().find(|(call, record, _)| is_other(call) && call.epoch > act.known && is_meant(record));
    let done = last.map(|(call, record, kept)| {
        let (key, record, kept) = (call.key.clone(), Arc::clone(record), kept.clone());
        DoneAct { key, record, kept }
    });
    FoundAct { done, calls: counting.into_iter().map(|(call, ..)| call).collect() }
}

/// A call that failed without effects has done nothing.
fn may_have_had_effects(state: &RecordState) -> bool {
    match state {
        RecordState::Settled(response) => response.outcome.error().is_none_or(|error| error.partial_side_effects),
        RecordState::Started | RecordState::Unknown | RecordState::Forgotten { .. } => true,
    }
}

/// A success whose answer a caller of the call itself got: the model has heard of it.
fn is_heard_success(record: &Record) -> bool {
    !record.is_deferred && !record.is_unheard && ActOutcome::from_state(&record.state) == ActOutcome::Committed
}

impl FoundAct {
    /// Notes the call that does the act now.
    pub(super) fn done_by(self, act: Act, key: RecordKey, epoch: u64, rows: &mut dyn Rows, now: EpochMs) {
        let mut calls = self.calls;
        calls.insert(0, ActCall { key, epoch, at: now, within: act.within });
        calls.truncate(MAX_CALLS);
        let expires = now.saturating_add(act.window_ms);
        rows.put(RowKey::Act(act.name.0), Row::Act(ActRow(calls)), Some(expires));
    }
}
