//! The acts of a session: which of its recorded calls are the same act as a new call.
//!
//! An act is a row under a keyed hash of what makes calls equal: the tool and the values of its key. The row names the last
//! calls that made the act; it ends with the window. It is read and written within the claim, so of two equal calls that
//! race under different ids one is granted, and the other is its duplicate.

use std::sync::Arc;

use crate::clock::EpochMs;
use crate::session::key::RecordKey;
use crate::store::act_row::{ActCall, ActRow};
use crate::store::acts::{Act, ActOutcome, DoneAct};
use crate::store::ledger::Ledger;
use crate::store::owed_results::OwedResults;
use crate::store::record::{Record, RecordState};
use crate::store::row_names::RowKey;
use crate::store::rows::{Row, Rows};

/// The number of calls that are kept of one act: the last one counts, and those before it only if it turns out to have done
/// nothing.
const MAX_CALLS: usize = 4;

/// An act as it was found.
pub(in crate::store) struct FoundAct {
    /// The last equal act, unless the user knows of it.
    pub(in crate::store) done: Option<DoneAct>,
    /// The calls that still count.
    calls: Vec<ActCall>,
}

/// Looks for equal acts of other calls. `owed`: the results that no model has taken yet.
pub(in crate::store) fn find(
    act: &Act,
    own: &RecordKey,
    owed: &OwedResults,
    rows: &mut dyn Rows,
    now: EpochMs,
) -> FoundAct {
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
    let is_heard = |call: &ActCall, record: &Record| !owed.has(call.epoch) && is_heard_success(record);
    let is_meant =
        |call: &ActCall, record: &Record| act.turn.is_none_or(|turn| record.turn >= turn || !is_heard(call, record));
    let last =
        counting.iter().find(|(call, record, _)| is_other(call) && call.epoch > act.known && is_meant(call, record));
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

/// A success whose answer a caller of the call itself got: unless it is held, the model has heard of it.
fn is_heard_success(record: &Record) -> bool {
    !record.is_deferred && !record.is_unheard && ActOutcome::from_state(&record.state) == ActOutcome::Committed
}

impl FoundAct {
    /// Notes the call that does the act now.
    pub(in crate::store) fn done_by(self, act: Act, key: RecordKey, epoch: u64, rows: &mut dyn Rows, now: EpochMs) {
        let mut calls = self.calls;
        calls.insert(0, ActCall { key, epoch, at: now, within: act.within });
        calls.truncate(MAX_CALLS);
        let expires = now.saturating_add(act.window_ms);
        rows.put(RowKey::Act(act.name.0), Row::Act(ActRow(calls)), Some(expires));
    }
}
