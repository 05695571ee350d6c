//! What a record is at a time: its claim may be lost, and its answer gone.

use std::sync::Arc;

use crate::clock::EpochMs;
use crate::store::ledger::entry::{EntryState, LedgerEntry};
use crate::store::record::{Record, RecordState};
use crate::store::rows::Rows;

impl LedgerEntry {
    /// The record at this time. `None` if the call may be made again.
    pub(in crate::store) fn to_record(&self, rows: &mut dyn Rows, now: EpochMs) -> Option<Arc<Record>> {
        let state = match self.state {
            EntryState::Started | EntryState::Unknown if self.is_lost(now) => {
                if self.effect.runs_again_when_lost() {
                    return None;
                }
                RecordState::Unknown
            }
            EntryState::Started => RecordState::Started,
            EntryState::Unknown => RecordState::Unknown,
            // An evicted write has no answer.
            EntryState::Settled { ok } => {
                rows.answer(self.epoch).map_or(RecordState::Forgotten { ok }, RecordState::Settled)
            }
            EntryState::Forgotten { ok } => RecordState::Forgotten { ok },
        };
        Some(Arc::new(Record {
            fingerprint: self.fingerprint.clone(),
            call_id: self.call_id.clone(),
            turn: self.turn,
            epoch: self.epoch,
            claimed_at: self.claimed_at,
            effect: self.effect,
            claimant: self.claimant.filter(|_| !self.left),
            is_deferred: self.answered,
            is_unheard: self.unheard,
            state,
        }))
    }
}
