//! What a memory store keeps of the records of an evicted session.

use std::collections::HashSet;
use std::sync::Arc;

use super::entry::{CallRow, EntryState, LedgerEntry};
use super::{Ledger, put_record};
use crate::clock::EpochMs;
use crate::session::key::RecordKey;
use crate::store::record::RecordState;
use crate::store::row_names::RowKey;
use crate::store::rows::{MemoryRows, Row, Rows};

/// The writes of an evicted session, and the keys under which they are found.
#[derive(Debug, Clone)]
pub(in crate::store) struct LedgerRemains {
    /// Unknown and forgotten records.
    writes: Box<[(RecordKey, Arc<LedgerEntry>)]>,
    next_epoch: u64,
}

impl LedgerRemains {
    pub(in crate::store) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The memory in bytes.
    pub(in crate::store) fn bytes(&self) -> usize {
        let write = |(key, entry): &(RecordKey, Arc<LedgerEntry>)| {
            let id = entry.call_id.as_ref().map_or(0, |id| id.as_str().len());
            let alias = entry.alias.as_ref().map_or(0, |alias| alias.as_str().len());
            let kept = entry
                .kept
                .as_ref()
                .map_or(0, |kept| kept.args.as_ref().map_or(0, |args| args.len()) + kept.session.len());
            size_of::<(RecordKey, Arc<LedgerEntry>)>()
                + size_of::<LedgerEntry>()
                + key.as_str().len()
                + id
                + alias
                + kept
        };
        self.writes.iter().map(write).sum()
    }

    /// Settles an unknown write. False if it has another epoch or is not unknown.
    pub(in crate::store) fn settle(&mut self, key: &RecordKey, epoch: u64, state: Option<&RecordState>) -> bool {
        let is_claim = |entry: &LedgerEntry| entry.epoch == epoch && entry.state == EntryState::Unknown;
        let Some((_, entry)) = self.writes.iter_mut().find(|(other, entry)| other == key && is_claim(entry)) else {
            return false;
        };
        match state {
            Some(RecordState::Settled(answer)) => {
                Arc::make_mut(entry).state = EntryState::Forgotten { ok: answer.is_ok() };
            }
            Some(RecordState::Forgotten { ok }) => Arc::make_mut(entry).state = EntryState::Forgotten { ok: *ok },
            // The call left nothing: it may be made again.
            None => self.writes = self.writes.iter().filter(|(other, _)| other != key).cloned().collect(),
            Some(RecordState::Started | RecordState::Unknown) => {}
        }
        true
    }
}

impl Ledger {
    /// What is kept of the records if the session is evicted. A session that has ended never makes a call again, so only
    /// its unknown writes are kept, which may still be settled.
    pub(in crate::store) fn remains(&self, rows: &MemoryRows, now: EpochMs, has_ended: bool) -> LedgerRemains {
        let aliases: HashSet<&RecordKey> =
            rows.calls().filter_map(|(key, row)| matches!(row, CallRow::Alias { .. }).then_some(key)).collect();
        let remaining = |(key, row): (&RecordKey, &CallRow)| {
            let CallRow::Record(entry) = row else { return None };
            let is_over = !entry.state.is_open() && (has_ended || entry.is_expired(now));
            if is_over || !entry.effect.may_leave_effects() {
                return None;
            }
            let state = match entry.state {
                EntryState::Settled { ok } => EntryState::Forgotten { ok },
                EntryState::Started => EntryState::Unknown,
                state @ (EntryState::Unknown | EntryState::Forgotten { .. }) => state,
            };
            let alias = entry.alias.clone().filter(|alias| aliases.contains(alias));
            Some((key.clone(), Arc::new(LedgerEntry { state, alias, ..LedgerEntry::clone(entry) })))
        };
        LedgerRemains { writes: rows.calls().filter_map(remaining).collect(), next_epoch: self.next_epoch }
    }

    /// The ledger of a session that is resumed after its eviction.
    pub(in crate::store) fn from_remains(remains: LedgerRemains, rows: &mut dyn Rows) -> Self {
        for (key, entry) in remains.writes {
            if let Some(alias) = &entry.alias {
                let row = Row::Call(CallRow::Alias { of: key.clone(), epoch: entry.epoch });
                rows.put(RowKey::Call(alias.clone()), row, entry.row_expires());
            }
            put_record(rows, key, entry);
        }
        Self { next_epoch: remains.next_epoch, ..Self::default() }
    }
}

#[cfg(test)]
mod tests;
