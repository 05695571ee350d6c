//! A session's records, and their eviction.

use std::collections::HashMap;
use std::collections::hash_map;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::answers::Answers;
use super::record::{Record, RecordState};
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::definition::EffectClass;
use crate::response::ToolResponse;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, kept_call_id};

/// The settled records kept per session; the least recently used are evicted first.
const MAX_SETTLED: NonZeroUsize = NonZeroUsize::new(100).unwrap();
/// The number of forgotten writes, and of open records, from which on expired entries are swept.
const MIN_SWEEP_SIZE: usize = 256;
/// The time that a settled record is kept, in milliseconds.
const TTL_MS: u64 = 24 * 60 * 60 * 1000;

/// A record without its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LedgerEntry {
    pub(super) fingerprint: Fingerprint,
    pub(super) call_id: Option<CallId>,
    pub(super) turn: u32,
    pub(super) epoch: u64,
    pub(super) claimed_at: EpochMs,
    pub(super) effect: EffectClass,
    /// The end of the claim's lease; `None` if it never ends.
    #[serde(rename = "lease")]
    pub(super) lease_expires: Option<EpochMs>,
    #[serde(rename = "held")]
    pub(super) state: EntryState,
}

/// The progress of a recorded call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EntryState {
    Started,
    Unknown,
    Settled { ok: bool },
    Forgotten { ok: bool },
}

impl LedgerEntry {
    /// The entry with its call id as it is kept.
    fn with_kept_id(self) -> Self {
        Self { call_id: self.call_id.as_ref().map(kept_call_id), ..self }
    }

    /// The key and its present form, if it has a form of an earlier version.
    fn upgraded_key(&self, key: &RecordKey) -> Option<(RecordKey, RecordKey)> {
        Some((key.clone(), key.upgrade(self.call_id.as_ref()?)?))
    }

    /// Whether the claim's lease has ended without a settlement.
    fn is_lease_expired(&self, now: EpochMs) -> bool {
        self.lease_expires.is_some_and(|until| until <= now)
    }

    fn is_expired(&self, now: EpochMs) -> bool {
        self.claimed_at.saturating_add(TTL_MS) <= now
    }

    /// The record at this time. `None` if the call may be made again.
    fn to_record(&self, answers: &mut dyn Answers, now: EpochMs) -> Option<Arc<Record>> {
        let state = match self.state {
            EntryState::Started | EntryState::Unknown if self.is_lease_expired(now) => {
                if self.effect.runs_again_when_lost() {
                    return None;
                }
                RecordState::Unknown
            }
            EntryState::Started => RecordState::Started,
            EntryState::Unknown => RecordState::Unknown,
            EntryState::Settled { ok } => match answers.get(self.epoch) {
                Some(answer) => RecordState::Settled(answer),
                // The store is damaged, but the call is known to have run.
                None => RecordState::Forgotten { ok },
            },
            EntryState::Forgotten { ok } => RecordState::Forgotten { ok },
        };
        Some(Arc::new(Record {
            fingerprint: self.fingerprint.clone(),
            call_id: self.call_id.clone(),
            turn: self.turn,
            epoch: self.epoch,
            claimed_at: self.claimed_at,
            effect: self.effect,
            state,
        }))
    }
}

/// What is kept of the records of an evicted session: its writes, and the keys under which they are found.
#[derive(Debug, Clone)]
pub(super) struct LedgerRemains {
    /// Unknown and forgotten records.
    writes: Box<[(RecordKey, LedgerEntry)]>,
    aliases: Box<[(RecordKey, RecordKey)]>,
    next_epoch: u64,
}

impl LedgerRemains {
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        let write = |(key, entry): &(RecordKey, LedgerEntry)| {
            let id = entry.call_id.as_ref().map_or(0, |id| id.as_str().len());
            size_of::<(RecordKey, LedgerEntry)>() + key.as_str().len() + id
        };
        let alias = |(a, b): &(RecordKey, RecordKey)| 2 * size_of::<RecordKey>() + a.as_str().len() + b.as_str().len();
        self.writes.iter().map(write).sum::<usize>() + self.aliases.iter().map(alias).sum::<usize>()
    }

    /// Settles an unknown write. False if it has another epoch or is not unknown.
    pub(super) fn settle(&mut self, key: &RecordKey, epoch: u64, state: Option<&RecordState>) -> bool {
        let is_claim = |entry: &LedgerEntry| entry.epoch == epoch && entry.state == EntryState::Unknown;
        let Some((_, entry)) = self.writes.iter_mut().find(|(other, entry)| other == key && is_claim(entry)) else {
            return false;
        };
        match state {
            Some(RecordState::Settled(answer)) => entry.state = EntryState::Forgotten { ok: answer.is_ok() },
            Some(RecordState::Forgotten { ok }) => entry.state = EntryState::Forgotten { ok: *ok },
            // The call left nothing: it may be made again.
            None => self.writes = self.writes.iter().filter(|(other, _)| other != key).cloned().collect(),
            Some(RecordState::Started | RecordState::Unknown) => {}
        }
        true
    }
}

/// Records by key. Started and unknown records are never evicted; an evicted write leaves an entry that it has run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ledger {
    /// Started and unknown records.
    open: HashMap<RecordKey, LedgerEntry>,
    #[serde(serialize_with = "write_by_use", deserialize_with = "read_by_use")]
    settled: LruCache<RecordKey, LedgerEntry>,
    /// Evicted writes.
    forgotten: HashMap<RecordKey, LedgerEntry>,
    /// Aliases: the key of a call with an id, to the key of the record of the same call without an id.
    #[serde(rename = "twins")]
    aliases: HashMap<RecordKey, RecordKey>,
    /// The number of forgotten writes that triggers the next sweep. It doubles with the survivors, so that the cost of
    /// a sweep is amortized over the insertions.
    sweep_at: usize,
    next_epoch: u64,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            open: HashMap::new(),
            settled: LruCache::new(MAX_SETTLED),
            forgotten: HashMap::new(),
            aliases: HashMap::new(),
            sweep_at: MIN_SWEEP_SIZE,
            next_epoch: 1,
        }
    }
}

impl Ledger {
    /// Whether a call has been started and has not ended.
    pub(super) fn has_running(&self, now: EpochMs) -> bool {
        self.open.values().any(|entry| entry.state == EntryState::Started && !entry.is_lease_expired(now))
    }

    /// What is kept of the records if the session is evicted.
    pub(super) fn remains(&self, now: EpochMs) -> LedgerRemains {
        let closed = self.settled.iter().chain(&self.forgotten).filter(|(_, entry)| !entry.is_expired(now));
        let writes: Box<[_]> = closed
            .chain(&self.open)
            .filter(|(_, entry)| entry.effect.may_leave_effects())
            .map(|(key, entry)| {
                let state = match entry.state {
                    EntryState::Settled { ok } => EntryState::Forgotten { ok },
                    EntryState::Started => EntryState::Unknown,
                    state @ (EntryState::Unknown | EntryState::Forgotten { .. }) => state,
                };
                (key.clone(), LedgerEntry { state, ..entry.clone() })
            })
            .collect();
        let is_kept = |(_, target): &(&RecordKey, &RecordKey)| writes.iter().any(|(key, _)| key == *target);
        let aliases = self.aliases.iter().filter(is_kept).map(|(from, to)| (from.clone(), to.clone())).collect();
        LedgerRemains { writes, aliases, next_epoch: self.next_epoch }
    }

    /// The ledger of a session that is resumed after its eviction.
    pub(super) fn from_remains(remains: LedgerRemains) -> Self {
        let (open, forgotten) = remains.writes.into_iter().partition(|(_, entry)| entry.state == EntryState::Unknown);
        let aliases = remains.aliases.into_iter().collect();
        Self { open, forgotten, aliases, next_epoch: remains.next_epoch, ..Self::default() }
    }

    /// Replaces keys and call ids in a form of earlier versions by their present form.
    pub(super) fn upgrade_keys(&mut self) {
        for entries in [&mut self.open, &mut self.forgotten] {
            let earlier = entries.iter().filter_map(|(key, entry)| entry.upgraded_key(key));
            for (key, present) in earlier.collect::<Vec<_>>() {
                if let Some(entry) = entries.remove(&key) {
                    entries.insert(present, entry.with_kept_id());
                }
            }
        }
        if self.settled.iter().any(|(key, entry)| entry.upgraded_key(key).is_some()) {
            let mut settled = LruCache::new(MAX_SETTLED);
            while let Some((key, entry)) = self.settled.pop_lru() {
                let present = entry.upgraded_key(&key).map_or(key, |(_, present)| present);
                settled.push(present, entry.with_kept_id());
            }
            self.settled = settled;
        }
    }

    /// Returns a record that has not expired.
    pub(super) fn find(&mut self, key: &RecordKey, answers: &mut dyn Answers, now: EpochMs) -> Option<Arc<Record>> {
        let key = self.aliases.get(key).unwrap_or(key);
        if let Some(entry) = self.open.get(key) {
            return entry.to_record(answers, now);
        }
        let key = key.clone();
        let entry = self.settled.get(&key).or_else(|| self.forgotten.get(&key))?;
        if !entry.is_expired(now) {
            return entry.to_record(answers, now);
        }
        answers.remove(entry.epoch);
        self.settled.pop(&key);
        self.forgotten.remove(&key);
        None
    }

    /// Records a call as started. Returns the claim's epoch.
    pub(super) fn record_started(&mut self, key: RecordKey, mut entry: LedgerEntry, now: EpochMs) -> u64 {
        if self.open.len() >= MIN_SWEEP_SIZE {
            self.open.retain(|_, entry| !(entry.is_lease_expired(now) && entry.effect.runs_again_when_lost()));
        }
        let epoch = self.next_epoch;
        self.next_epoch += 1;
        entry.epoch = epoch;
        self.open.insert(key, entry.with_kept_id());
        epoch
    }

    /// Extends a claim's lease. False if the record has another epoch or is not open.
    pub(super) fn renew(&mut self, key: &RecordKey, epoch: u64, until: EpochMs) -> bool {
        let Some(entry) = self.open.get_mut(key).filter(|entry| entry.epoch == epoch) else { return false };
        entry.lease_expires = Some(until);
        true
    }

    /// Settles a record by compare-and-set. False if the record has another epoch or is not open.
    pub(super) fn settle(
        &mut self,
        key: &RecordKey,
        epoch: u64,
        state: Option<RecordState>,
        answers: &mut dyn Answers,
        now: EpochMs,
    ) -> bool {
        let hash_map::Entry::Occupied(mut open) = self.open.entry(key.clone()) else { return false };
        if open.get().epoch != epoch {
            return false;
        }
        let held = match state {
            None => {
                open.remove();
                self.aliases.retain(|_, unnamed| unnamed != key);
                return true;
            }
            Some(RecordState::Started) => return true,
            Some(RecordState::Unknown) => {
                open.get_mut().state = EntryState::Unknown;
                return true;
            }
            Some(RecordState::Settled(answer)) => {
                let ok = answer.is_ok();
                answers.put(epoch, with_kept_ids(answer));
                EntryState::Settled { ok }
            }
            Some(RecordState::Forgotten { ok }) => EntryState::Forgotten { ok },
        };
        let entry = LedgerEntry { state: held, ..open.remove() };
        self.insert_settled(key, entry, answers, now);
        true
    }

    /// Makes `named` an alias of the record under `unnamed`, unless the record has an alias already.
    pub(super) fn alias_record(
        &mut self,
        unnamed: &RecordKey,
        named: &RecordKey,
        answers: &mut dyn Answers,
        now: EpochMs,
    ) -> Option<Arc<Record>> {
        if self.aliases.values().any(|taken| taken == unnamed) {
            return None;
        }
        let record = self.find(unnamed, answers, now).filter(|record| record.call_id.is_none())?;
        self.aliases.insert(named.clone(), unnamed.clone());
        Some(record)
    }

    fn insert_settled(&mut self, key: &RecordKey, entry: LedgerEntry, answers: &mut dyn Answers, now: EpochMs) {
        let Some((old_key, old)) = self.settled.push(key.clone(), entry) else { return };
        answers.remove(old.epoch);
        if old_key == *key {
            return;
        }
        self.aliases.retain(|_, unnamed| *unnamed != old_key);
        if let (true, EntryState::Settled { ok }) = (old.effect.may_leave_effects(), old.state) {
            if self.forgotten.len() >= self.sweep_at {
                self.forgotten.retain(|_, entry| !entry.is_expired(now));
                self.sweep_at = (2 * self.forgotten.len()).max(MIN_SWEEP_SIZE);
            }
            self.forgotten.insert(old_key, LedgerEntry { state: EntryState::Forgotten { ok }, ..old });
        }
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

/// Writes the records in eviction order, the next to be evicted first.
fn write_by_use<S: Serializer>(settled: &LruCache<RecordKey, LedgerEntry>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(settled.iter().rev())
}

fn read_by_use<'de, D: Deserializer<'de>>(deserializer: D) -> Result<LruCache<RecordKey, LedgerEntry>, D::Error> {
    let mut settled = LruCache::new(MAX_SETTLED);
    for (key, entry) in Vec::<(RecordKey, LedgerEntry)>::deserialize(deserializer)? {
        settled.push(key, entry);
    }
    Ok(settled)
}

#[cfg(test)]
mod tests;
