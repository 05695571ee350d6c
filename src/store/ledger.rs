//! A session's records, and which of them make room.

use std::collections::HashMap;
use std::collections::hash_map;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::document::Answers;
use super::{Record, RecordState};
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::definition::EffectClass;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;

/// Results kept per session; the least recently used go first.
const KEPT: NonZeroUsize = NonZeroUsize::new(100).unwrap();
/// Forgotten writes, and open records, that are kept without a look at their age.
const SWEEP_FROM: usize = 256;
/// How long a record is kept.
const TTL_MS: u64 = 24 * 60 * 60 * 1000;

/// A record without its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) fingerprint: Fingerprint,
    pub(super) call_id: Option<CallId>,
    pub(super) turn: u32,
    pub(super) epoch: u64,
    pub(super) claimed_at: EpochMs,
    pub(super) effect: EffectClass,
    /// Until when its claim is held; `None` for ever.
    pub(super) lease: Option<EpochMs>,
    pub(super) held: Held,
}

/// How far a recorded call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Held {
    Started,
    Unknown,
    Settled { ok: bool },
    Forgotten { ok: bool },
}

impl Entry {
    /// Whoever claimed it has gone without settling it.
    fn is_lost(&self, now: EpochMs) -> bool {
        self.lease.is_some_and(|until| until <= now)
    }

    fn is_past(&self, now: EpochMs) -> bool {
        self.claimed_at.saturating_add(TTL_MS) <= now
    }

    /// The record as it stands now. `None` where the call may be made again.
    fn record(&self, answers: &mut dyn Answers, now: EpochMs) -> Option<Arc<Record>> {
        let state = match self.held {
            Held::Started | Held::Unknown if self.is_lost(now) => {
                if self.effect.runs_again_when_lost() {
                    return None;
                }
                RecordState::Unknown
            }
            Held::Started => RecordState::Started,
            Held::Unknown => RecordState::Unknown,
            Held::Settled { ok } => match answers.get(self.epoch) {
                Some(answer) => RecordState::Settled(answer),
                // A damaged store: it is known to have run all the same.
                None => RecordState::Forgotten { ok },
            },
            Held::Forgotten { ok } => RecordState::Forgotten { ok },
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

/// Records by key. Started and unknown ones are never evicted; an evicted write leaves that it ran.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ledger {
    /// Started and unknown.
    open: HashMap<RecordKey, Entry>,
    #[serde(serialize_with = "write_by_use", deserialize_with = "read_by_use")]
    settled: LruCache<RecordKey, Entry>,
    /// Evicted writes.
    forgotten: HashMap<RecordKey, Entry>,
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
    pub(super) fn find(&mut self, key: &RecordKey, answers: &mut dyn Answers, now: EpochMs) -> Option<Arc<Record>> {
        let key = self.twins.get(key).unwrap_or(key);
        if let Some(entry) = self.open.get(key) {
            return entry.record(answers, now);
        }
        let key = key.clone();
        let entry = self.settled.get(&key).or_else(|| self.forgotten.get(&key))?;
        if !entry.is_past(now) {
            return entry.record(answers, now);
        }
        answers.remove(entry.epoch);
        self.settled.pop(&key);
        self.forgotten.remove(&key);
        None
    }

    /// Records a call as started. Returns the claim's epoch.
    pub(super) fn open(&mut self, key: RecordKey, mut entry: Entry, now: EpochMs) -> u64 {
        if self.open.len() >= SWEEP_FROM {
            self.open.retain(|_, entry| !(entry.is_lost(now) && entry.effect.runs_again_when_lost()));
        }
        let epoch = self.next_epoch;
        self.next_epoch += 1;
        entry.epoch = epoch;
        self.open.insert(key, entry);
        epoch
    }

    /// Holds a claim for longer. False where the record is not this epoch's any more.
    pub(super) fn renew(&mut self, key: &RecordKey, epoch: u64, until: EpochMs) -> bool {
        let Some(entry) = self.open.get_mut(key).filter(|entry| entry.epoch == epoch) else { return false };
        entry.lease = Some(until);
        true
    }

    /// Compare-and-set: false where the record is not this epoch's any more.
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
                self.twins.retain(|_, unnamed| unnamed != key);
                return true;
            }
            Some(RecordState::Started) => return true,
            Some(RecordState::Unknown) => {
                open.get_mut().held = Held::Unknown;
                return true;
            }
            Some(RecordState::Settled(answer)) => {
                let ok = answer.is_ok();
                answers.put(epoch, answer);
                Held::Settled { ok }
            }
            Some(RecordState::Forgotten { ok }) => Held::Forgotten { ok },
        };
        let entry = Entry { held, ..open.remove() };
        self.keep(key, entry, answers, now);
        true
    }

    /// Makes `named` another name of the record under `unnamed`, unless it has one already.
    pub(super) fn adopt(
        &mut self,
        unnamed: &RecordKey,
        named: &RecordKey,
        answers: &mut dyn Answers,
        now: EpochMs,
    ) -> Option<Arc<Record>> {
        if self.twins.values().any(|taken| taken == unnamed) {
            return None;
        }
        let record = self.find(unnamed, answers, now).filter(|record| record.call_id.is_none())?;
        self.twins.insert(named.clone(), unnamed.clone());
        Some(record)
    }

    fn keep(&mut self, key: &RecordKey, entry: Entry, answers: &mut dyn Answers, now: EpochMs) {
        let Some((old_key, old)) = self.settled.push(key.clone(), entry) else { return };
        answers.remove(old.epoch);
        if old_key == *key {
            return;
        }
        self.twins.retain(|_, unnamed| *unnamed != old_key);
        if let (true, Held::Settled { ok }) = (old.effect.may_leave_effects(), old.held) {
            if self.forgotten.len() >= self.sweep_at {
                self.forgotten.retain(|_, entry| !entry.is_past(now));
                self.sweep_at = (2 * self.forgotten.len()).max(SWEEP_FROM);
            }
            self.forgotten.insert(old_key, Entry { held: Held::Forgotten { ok }, ..old });
        }
    }
}

/// From the one that goes first to the one that goes last.
fn write_by_use<S: Serializer>(settled: &LruCache<RecordKey, Entry>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(settled.iter().rev())
}

fn read_by_use<'de, D: Deserializer<'de>>(deserializer: D) -> Result<LruCache<RecordKey, Entry>, D::Error> {
    let mut settled = LruCache::new(KEPT);
    for (key, entry) in Vec::<(RecordKey, Entry)>::deserialize(deserializer)? {
        settled.push(key, entry);
    }
    Ok(settled)
}
