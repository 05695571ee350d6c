//! A session's records in memory, and which of them make room.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use super::{Record, RecordState};
use crate::clock::EpochMs;
use crate::session::key::RecordKey;

/// Results kept per session; the least recently used go first.
const KEPT: NonZeroUsize = NonZeroUsize::new(100).unwrap();
/// Forgotten writes that are kept without a look at their age.
const SWEEP_FROM: usize = 256;
/// How long a record is kept.
const TTL_MS: u64 = 24 * 60 * 60 * 1000;

/// Records by key. Started and unknown ones are never evicted; an evicted write leaves that it ran.
#[derive(Debug)]
pub(super) struct Ledger {
    /// Started and unknown.
    open: HashMap<RecordKey, Arc<Record>>,
    settled: LruCache<RecordKey, Arc<Record>>,
    /// Evicted writes.
    forgotten: HashMap<RecordKey, Arc<Record>>,
    /// Keys of calls with an id, to the key of their twin without one.
    twins: HashMap<RecordKey, RecordKey>,
    /// How many forgotten writes there are when those past their time are dropped: each sweep pays for as many new ones.
    sweep_at: usize,
    next_epoch: u64,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            open: HashMap::new(),
            settled: LruCache::new(KEPT),
            forgotten: HashMap::new(),
            twins: HashMap::new(),
            sweep_at: SWEEP_FROM,
            next_epoch: 1,
        }
    }
}

impl Ledger {
    /// A record that is not past its time.
    pub(super) fn find(&mut self, key: &RecordKey, now: EpochMs) -> Option<Arc<Record>> {
        let key = self.twins.get(key).unwrap_or(key).clone();
        if let Some(record) = self.open.get(&key) {
            return Some(Arc::clone(record));
        }
        let record = self.settled.get(&key).or_else(|| self.forgotten.get(&key)).cloned()?;
        if record.claimed_at + TTL_MS > now {
            return Some(record);
        }
        self.settled.pop(&key);
        self.forgotten.remove(&key);
        None
    }

    /// Records a call as started. Returns the claim's epoch.
    pub(super) fn open(&mut self, key: RecordKey, mut record: Record) -> u64 {
        record.epoch = self.next_epoch;
        self.next_epoch += 1;
        let epoch = record.epoch;
        self.open.insert(key, Arc::new(record));
        epoch
    }

    /// Compare-and-set: false where the record is not this epoch's any more.
    pub(super) fn settle(&mut self, key: &RecordKey, epoch: u64, state: Option<RecordState>, now: EpochMs) -> bool {
        let Some(open) = self.open.get(key).filter(|record| record.epoch == epoch) else { return false };
        let Some(state) = state else {
            self.open.remove(key);
            self.twins.retain(|_, unnamed| unnamed != key);
            return true;
        };
        let record = Arc::new(Record { state, ..Record::clone(open) });
        match record.state {
            RecordState::Started | RecordState::Unknown => {
                self.open.insert(key.clone(), record);
            }
            RecordState::Settled(_) | RecordState::Forgotten { .. } => {
                self.open.remove(key);
                self.keep(key, record, now);
            }
        }
        true
    }

    /// Makes `named` another name of the record under `unnamed`, unless it has one already.
    pub(super) fn adopt(&mut self, unnamed: &RecordKey, named: &RecordKey, now: EpochMs) -> Option<Arc<Record>> {
        if self.twins.values().any(|taken| taken == unnamed) {
            return None;
        }
        let record = self.find(unnamed, now).filter(|record| record.call_id.is_none())?;
        self.twins.insert(named.clone(), unnamed.clone());
        Some(record)
    }

    fn keep(&mut self, key: &RecordKey, record: Arc<Record>, now: EpochMs) {
        let Some((old_key, old)) = self.settled.push(key.clone(), record) else { return };
        if old_key == *key {
            return;
        }
        self.twins.retain(|_, unnamed| *unnamed != old_key);
        if let (true, RecordState::Settled(response)) = (old.writes, &old.state) {
            let state = RecordState::Forgotten { ok: response.is_ok() };
            if self.forgotten.len() >= self.sweep_at {
                self.forgotten.retain(|_, record| record.claimed_at + TTL_MS > now);
                self.sweep_at = (2 * self.forgotten.len()).max(SWEEP_FROM);
            }
            self.forgotten.insert(old_key, Arc::new(Record { state, ..Record::clone(&old) }));
        }
    }
}
