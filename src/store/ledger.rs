//! A session's records, and their eviction.
//!
//! A record is a row ([`CallRow`]), found by its key. The ledger holds the eviction order of the settled records and
//! the next epoch.

mod at_time;
mod entry;
mod eviction_order;
mod reconciling;
mod remains;
mod turn_calls;
mod uncertain;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::owed::DeferralStep;
use super::record::{Record, RecordState};
use super::rows::{Row, Rows};
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::definition::EffectClass;
use crate::response::ToolResponse;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, kept_call_id};
use crate::store::row_names::RowKey;

use eviction_order::{EvictionOrder, SettledRecord};
use turn_calls::TurnCalls;

pub use entry::TTL_MS;
pub(super) use entry::{CallRow, EntryState, LedgerEntry};
pub(super) use remains::LedgerRemains;

/// What a ledger has under the key of a call.
pub(super) enum FoundCall {
    /// The call is recorded.
    Recorded(Arc<Record>),
    /// The call may be made, for the first time or again: `lost` is its record if its claim was lost.
    Free { lost: Option<Arc<LedgerEntry>> },
}

/// The order of the settled records, and the next epoch. Started and unknown records are never evicted; an evicted
/// write leaves its row without its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ledger {
    settled: EvictionOrder,
    next_epoch: u64,
    /// The epoch of the write that was begun last; 0 for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    last_write: u64,
    #[serde(default, skip_serializing_if = "TurnCalls::is_empty")]
    turn_calls: TurnCalls,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(epoch: &u64) -> bool {
    *epoch == 0
}

impl Default for Ledger {
    fn default() -> Self {
        Self { settled: EvictionOrder::default(), next_epoch: 1, last_write: 0, turn_calls: TurnCalls::default() }
    }
}

/// Stores a record.
pub(super) fn put_record(rows: &mut dyn Rows, key: RecordKey, entry: Arc<LedgerEntry>) {
    let expires = entry.row_expires();
    rows.put(RowKey::Call(key), Row::Call(CallRow::Record(entry)), expires);
}

/// Stores an alias of a record. It ends with the record.
fn put_alias(rows: &mut dyn Rows, alias: &RecordKey, of: &RecordKey, entry: &LedgerEntry) {
    let row = Row::Call(CallRow::Alias { of: of.clone(), epoch: entry.epoch });
    rows.put(RowKey::Call(alias.clone()), row, entry.row_expires());
}

/// Stores the alias of a record that has changed, unless another record has taken the alias' key.
fn refresh_alias(rows: &mut dyn Rows, of: &RecordKey, entry: &LedgerEntry) {
    if let Some(alias) = &entry.alias
        && !matches!(rows.call(alias), Some(CallRow::Record(_)))
    {
        put_alias(rows, alias, of, entry);
    }
}

/// Returns the record under a key or an alias, with its own key.
fn resolve(key: &RecordKey, rows: &mut dyn Rows) -> Option<(RecordKey, Arc<LedgerEntry>)> {
    match rows.call(key)? {
        CallRow::Record(entry) => Some((key.clone(), entry)),
        CallRow::Alias { of, epoch } => match rows.call(&of)? {
            CallRow::Record(entry) if entry.epoch == epoch => Some((of, entry)),
            _ => None,
        },
    }
}

impl Ledger {
    /// Returns a record that has not expired.
    pub(super) fn find(&mut self, key: &RecordKey, rows: &mut dyn Rows, now: EpochMs) -> Option<Arc<Record>> {
        match self.find_call(key, rows, now) {
            FoundCall::Recorded(record) => Some(record),
            FoundCall::Free { .. } => None,
        }
    }

    /// Looks up a call before its claim.
    pub(super) fn find_call(&mut self, key: &RecordKey, rows: &mut dyn Rows, now: EpochMs) -> FoundCall {
        let Some((found_key, entry)) = resolve(key, rows) else { return FoundCall::Free { lost: None } };
        let place = SettledRecord::new(&found_key, &entry);
        if entry.state.is_open() || !entry.is_expired(now) {
            self.settled.promote(&place);
            return match entry.to_record(rows, now) {
                Some(record) => FoundCall::Recorded(record),
                // A record under an alias stays.
                None => FoundCall::Free { lost: (found_key == *key).then_some(entry) },
            };
        }
        self.settled.pop(&place);
        rows.remove(&RowKey::Answer(entry.epoch));
        rows.remove(&RowKey::Call(found_key));
        remove_alias(&entry, rows);
        FoundCall::Free { lost: None }
    }

    /// Looks up a call that may have no id of its own: then an equal call of the turn that came under one is the same call. The key of
    /// that one, and what is found.
    ///
    /// A read that is known by its content alone is not the same any more once a write has begun after it.
    pub(super) fn find_same(
        &mut self,
        key: &RecordKey,
        content: Option<(&Fingerprint, u32)>,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> (Option<RecordKey>, FoundCall) {
        let found = self.find_call(key, rows, now);
        let Some((fingerprint, turn)) = content.filter(|_| key.is_of_content()) else { return (None, found) };
        match found {
            FoundCall::Recorded(record) if self.is_outdated(&record) => (None, FoundCall::Free { lost: None }),
            FoundCall::Recorded(_) => (None, found),
            FoundCall::Free { .. } => {
                let named = self.turn_calls.with_args_of(fingerprint, turn).into_iter().find_map(|named| {
                    let record = self.find(&named, rows, now)?;
                    let is_same = record.fingerprint.matches(fingerprint) && !self.is_outdated(&record);
                    is_same.then_some((named, record))
                });
                named.map_or((None, found), |(named, record)| (Some(named), FoundCall::Recorded(record)))
            }
        }
    }

    /// Whether a write has begun since a read was answered: the same read can have another answer now.
    fn is_outdated(&self, record: &Record) -> bool {
        record.effect == EffectClass::Read && record.state.is_answered() && record.epoch < self.last_write
    }

    /// Records a call as started. `lost` is its record before, if its claim was lost. Returns the claim's epoch.
    pub(super) fn record_started(
        &mut self,
        key: RecordKey,
        mut entry: LedgerEntry,
        lost: Option<&LedgerEntry>,
        rows: &mut dyn Rows,
    ) -> u64 {
        let epoch = self.next_epoch;
        self.next_epoch += 1;
        entry.epoch = epoch;
        if entry.effect.may_leave_effects() {
            self.last_write = epoch;
        }
        self.turn_calls.add(&key, &entry);
        // The row of a settled record may have expired and be deleted before the ledger forgets it.
        if let Some(expired) = self.settled.pop(&SettledRecord::Read(key.clone())) {
            rows.remove(&RowKey::Answer(expired));
        }
        if let Some(lost) = lost {
            entry.alias.clone_from(&lost.alias);
            entry.question = entry.question.take().or_else(|| lost.question.clone());
        }
        refresh_alias(rows, &key, &entry);
        put_record(rows, key, Arc::new(entry.with_kept_id()));
        epoch
    }

    /// Extends a claim's lease. False if the record has another epoch or is not open.
    pub(super) fn renew(key: &RecordKey, epoch: u64, until: EpochMs, rows: &mut dyn Rows) -> bool {
        let Some(entry) = open_claim(key, epoch, rows).filter(|entry| !entry.left) else { return false };
        let entry = LedgerEntry { lease_expires: Some(until), ..Arc::unwrap_or_clone(entry) };
        refresh_alias(rows, key, &entry);
        put_record(rows, key.clone(), Arc::new(entry));
        true
    }

    /// Takes a step of a started call out of its process. The record; `None` if it has another epoch or has ended.
    pub(super) fn defer(
        key: &RecordKey,
        epoch: u64,
        (step, keep_ms): (&DeferralStep, u64),
        rows: &mut dyn Rows,
    ) -> Option<Arc<LedgerEntry>> {
        let entry = open_claim(key, epoch, rows).filter(|entry| entry.is_started())?;
        let mut entry = Arc::unwrap_or_clone(entry).deferred(step);
        // Its outcome is kept as long as its result is owed.
        entry.keep_for(keep_ms);
        let entry = Arc::new(entry);
        refresh_alias(rows, key, &entry);
        put_record(rows, key.clone(), Arc::clone(&entry));
        Some(entry)
    }

    /// The record under a key of its own.
    pub(super) fn entry_of(key: &RecordKey, rows: &mut dyn Rows) -> Option<Arc<LedgerEntry>> {
        if let CallRow::Record(entry) = rows.call(key)? { Some(entry) } else { None }
    }

    /// Settles a record by compare-and-set. Returns the record before; `None` if it has another epoch or is not open.
    pub(super) fn settle(
        &mut self,
        key: &RecordKey,
        epoch: u64,
        (state, is_heard): (Option<RecordState>, bool),
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> Option<Arc<LedgerEntry>> {
        let mut before = open_claim(key, epoch, rows)?;
        if before.answered || before.left {
            // It may have run for days: the time that its record is kept begins with its end.
            let age = now.saturating_sub(before.claimed_at);
            Arc::make_mut(&mut before).keep_for(age.saturating_add(TTL_MS));
        }
        // What is certain is not reconciled.
        let is_uncertain = state.as_ref().is_some_and(RecordState::is_uncertain);
        let kept = before.kept.clone().filter(|_| is_uncertain);
        let with_state =
            |state| LedgerEntry { state, kept, reconcile: None, unheard: !is_heard, ..LedgerEntry::clone(&before) };
        match state {
            None => {
                rows.remove(&RowKey::Call(key.clone()));
                remove_alias(&before, rows);
            }
            Some(RecordState::Started) => {}
            Some(RecordState::Unknown) => put_record(rows, key.clone(), Arc::new(with_state(EntryState::Unknown))),
            Some(RecordState::Settled(answer)) => {
                let entry = with_state(EntryState::Settled { ok: answer.is_ok() });
                rows.put(RowKey::Answer(epoch), Row::Answer(with_kept_ids(answer)), None);
                self.insert_settled(key, entry, rows);
            }
            Some(RecordState::Forgotten { ok }) => {
                self.insert_settled(key, with_state(EntryState::Forgotten { ok }), rows);
            }
        }
        Some(before)
    }

    /// Makes `named` an alias of the record under `unnamed`, unless the record has an alias already or `named` is the
    /// key of a record.
    pub(super) fn alias_record(
        &mut self,
        unnamed: &RecordKey,
        named: &RecordKey,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> Option<Arc<Record>> {
        if !unnamed.is_of_content() || self.find(named, rows, now).is_some() {
            return None;
        }
        let Some(CallRow::Record(entry)) = rows.call(unnamed) else { return None };
        if entry.alias.is_some() {
            return None;
        }
        let record = self.find(unnamed, rows, now).filter(|record| !self.is_outdated(record))?;
        put_alias(rows, named, unnamed, &entry);
        let entry = LedgerEntry { alias: Some(named.clone()), ..Arc::unwrap_or_clone(entry) };
        put_record(rows, unnamed.clone(), Arc::new(entry));
        Some(record)
    }

    /// Stores a settled record and evicts the least recently used one beyond the limit.
    fn insert_settled(&mut self, key: &RecordKey, entry: LedgerEntry, rows: &mut dyn Rows) {
        refresh_alias(rows, key, &entry);
        let evicted = self.settled.push(SettledRecord::new(key, &entry), entry.epoch);
        put_record(rows, key.clone(), Arc::new(entry));
        let Some((evicted, epoch)) = evicted else { return };
        rows.remove(&RowKey::Answer(epoch));
        if let SettledRecord::Read(key) = evicted {
            rows.remove(&RowKey::Call(key));
        }
    }
}

/// Returns the open record of a claim.
fn open_claim(key: &RecordKey, epoch: u64, rows: &mut dyn Rows) -> Option<Arc<LedgerEntry>> {
    match rows.call(key)? {
        CallRow::Record(entry) if entry.epoch == epoch && entry.state.is_open() => Some(entry),
        _ => None,
    }
}

fn remove_alias(entry: &LedgerEntry, rows: &mut dyn Rows) {
    if let Some(alias) = &entry.alias
        && matches!(rows.call(alias), Some(CallRow::Alias { .. }))
    {
        rows.remove(&RowKey::Call(alias.clone()));
    }
}

/// The answer with its call ids as they are kept; a replay has the id of its own call.
fn with_kept_ids(mut answer: Arc<ToolResponse>) -> Arc<ToolResponse> {
    let is_long = |id: &Option<CallId>| id.as_ref().is_some_and(|id| kept_call_id(id) != *id);
    if is_long(&answer.meta.call_id) || is_long(&answer.meta.parent_call_id) {
        let meta = &mut Arc::make_mut(&mut answer).meta;
        meta.call_id = meta.call_id.as_ref().map(kept_call_id);
        meta.parent_call_id = meta.parent_call_id.as_ref().map(kept_call_id);
    }
    answer
}

#[cfg(test)]
mod tests;
