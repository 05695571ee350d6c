//! The settled records of a session, in the order in which they are evicted.

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::session::key::RecordKey;
use crate::session::lazy_lru::LazyLru;
use crate::store::ledger::entry::LedgerEntry;

/// The settled records kept with their answers per session.
pub(super) const MAX_SETTLED: usize = 100;

/// A settled record in the order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum SettledRecord {
    /// By its key: the row is deleted at the eviction, as a read can be made again.
    Read(RecordKey),
    /// By its epoch: the row stays, and the key is not needed, so the order of writes is small.
    Write(u64),
}

impl SettledRecord {
    pub(super) fn new(key: &RecordKey, entry: &LedgerEntry) -> Self {
        if entry.effect.may_leave_effects() { Self::Write(entry.epoch) } else { Self::Read(key.clone()) }
    }
}

/// The settled records with their epochs; the least recently used is evicted first.
#[derive(Debug, Clone, Default)]
pub(super) struct EvictionOrder(LazyLru<SettledRecord, u64>);

impl EvictionOrder {
    /// Adds a record as the most recently used one. Returns the one that is evicted by it, with its epoch.
    pub(super) fn push(&mut self, record: SettledRecord, epoch: u64) -> Option<(SettledRecord, u64)> {
        self.0.push(record, epoch);
        if self.0.len() > MAX_SETTLED { self.0.pop_lru() } else { None }
    }

    /// Makes a record the most recently used one.
    pub(super) fn promote(&mut self, record: &SettledRecord) {
        self.0.promote(record);
    }

    /// Removes a record. Returns its epoch.
    pub(super) fn pop(&mut self, record: &SettledRecord) -> Option<u64> {
        self.0.pop(record)
    }
}

/// The next to be evicted first: `epoch` is a write, `[first, last]` the writes of all epochs from the first to the last,
/// `[epoch, key]` a read. Each commit writes the order, and most writes are settled in the order of their epochs.
impl Serialize for EvictionOrder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut elements = serializer.serialize_seq(None)?;
        let mut records = self.0.iter().rev().peekable();
        while let Some((record, epoch)) = records.next() {
            match record {
                SettledRecord::Read(key) => elements.serialize_element(&(epoch, key))?,
                SettledRecord::Write(first) => {
                    let mut last = *first;
                    while let Some(next) = last.checked_add(1)
                        && records.next_if(|(record, _)| **record == SettledRecord::Write(next)).is_some()
                    {
                        last = next;
                    }
                    if last == *first {
                        elements.serialize_element(first)?;
                    } else {
                        elements.serialize_element(&(first, last))?;
                    }
                }
            }
        }
        elements.end()
    }
}

/// An element of the order as it is stored.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredRecords {
    Write(u64),
    /// The first and the last epoch.
    Writes(u64, u64),
    Read(u64, RecordKey),
}

impl<'de> Deserialize<'de> for EvictionOrder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut order = Self::default();
        for records in Vec::deserialize(deserializer)? {
            let (first, last) = match records {
                StoredRecords::Read(epoch, key) => {
                    order.push(SettledRecord::Read(key), epoch);
                    continue;
                }
                StoredRecords::Write(epoch) => (epoch, epoch),
                StoredRecords::Writes(first, last) => (first, last),
            };
            // Not more than are kept, whatever is stored.
            for epoch in first.max(last.saturating_sub(MAX_SETTLED as u64 - 1))..=last {
                order.push(SettledRecord::Write(epoch), epoch);
            }
        }
        Ok(order)
    }
}

#[cfg(test)]
mod tests;
