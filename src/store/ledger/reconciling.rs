//! The claims of reconciles, on the records that they are about.

use std::sync::Arc;

use super::{Ledger, SettledRecord, put_record, resolve};
use crate::clock::EpochMs;
use crate::session::key::RecordKey;
use crate::store::ledger::entry::{EntryState, LedgerEntry};
use crate::store::reconcile::ReconcileHold;
use crate::store::record::Record;
use crate::store::row_names::RowKey;
use crate::store::rows::Rows;

impl Ledger {
    /// The record under a key or an alias, with its own key, by its epoch.
    pub(in crate::store) fn entry_at(
        key: &RecordKey,
        epoch: u64,
        rows: &mut dyn Rows,
    ) -> Option<(RecordKey, Arc<LedgerEntry>)> {
        resolve(key, rows).filter(|(_, entry)| entry.epoch == epoch)
    }

    /// The record under a key or an alias, as it is. `None` if there is none, or if the call may be made again.
    pub(in crate::store) fn record_at(key: &RecordKey, rows: &mut dyn Rows, now: EpochMs) -> Option<Arc<Record>> {
        resolve(key, rows).and_then(|(_, entry)| entry.to_record(rows, now))
    }

    /// A new number for a claim. It differs from every epoch.
    pub(in crate::store) const fn next_number(&mut self) -> u64 {
        let number = self.next_epoch;
        self.next_epoch += 1;
        number
    }

    /// Holds a record for a reconcile, or for the pause after one.
    pub(in crate::store) fn hold(key: &RecordKey, entry: &LedgerEntry, hold: ReconcileHold, rows: &mut dyn Rows) {
        let entry = LedgerEntry { reconcile: Some(Box::new(hold)), ..entry.clone() };
        put_record(rows, key.clone(), Arc::new(entry));
    }

    /// Makes a record open again, so that it can be settled in another way.
    pub(in crate::store) fn reopen(&mut self, key: &RecordKey, entry: &LedgerEntry, rows: &mut dyn Rows) {
        if entry.state.is_open() {
            return;
        }
        self.settled.pop(&SettledRecord::new(key, entry));
        rows.remove(&RowKey::Answer(entry.epoch));
        put_record(rows, key.clone(), Arc::new(LedgerEntry { state: EntryState::Unknown, ..entry.clone() }));
    }
}
