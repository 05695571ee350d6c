//! What a memory store keeps of a session that it evicted: enough that no other principal gets the id and no recorded
//! write runs again.
//!
//! Bounded in number and bytes. A tombstone without writes gives way to newer ones; one with writes stays until the
//! session's time to live ends, and if there is no room for another, the sessions with writes are not evicted.

use std::mem::size_of;

use lru::LruCache;

use super::ledger::LedgerRemains;
use super::record::RecordState;
use super::usage::TurnNumbers;
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::session::key::RecordKey;
use crate::store::error::StoreError;
use crate::store::owner::Owner;

/// The number of tombstones of one store.
const MAX_TOMBSTONES: usize = 100_000;
/// The memory of all tombstones of one store, in bytes.
const MAX_TOMBSTONE_BYTES: usize = 64 * 1024 * 1024;

/// The remains of one session.
#[derive(Debug, Clone)]
pub(super) struct Tombstone {
    pub(super) owner: Owner,
    pub(super) has_ended: bool,
    pub(super) used_at: EpochMs,
    /// A repeated call without an id is found by its turn, so the turns go on where they were.
    pub(super) turns: TurnNumbers,
    pub(super) writes: LedgerRemains,
}

impl Tombstone {
    /// Refuses the session's resumption by another owner or after its end.
    pub(super) fn check(&self, owner: &Owner) -> Result<(), StoreError> {
        if self.owner != *owner {
            return Err(StoreError::WrongPrincipal);
        }
        if self.has_ended { Err(StoreError::SessionEnded) } else { Ok(()) }
    }

    /// Whether the session leaves nothing that a new session under its id would break.
    fn is_needless(&self) -> bool {
        self.owner.is_open() && !self.has_ended && self.writes.is_empty()
    }

    fn bytes(&self, id: &SessionId) -> usize {
        size_of::<Self>() + id.as_str().len() + self.owner.bytes() + self.turns.bytes() + self.writes.bytes()
    }
}

/// The limits of the tombstones.
#[derive(Debug, Clone, Copy)]
struct TombstoneLimits {
    number: usize,
    bytes: usize,
}

/// Tombstones by session, the oldest first.
#[derive(Debug)]
struct TombstoneQueue {
    by_session: LruCache<SessionId, Tombstone>,
    bytes: usize,
}

impl Default for TombstoneQueue {
    fn default() -> Self {
        Self { by_session: LruCache::unbounded(), bytes: 0 }
    }
}

impl TombstoneQueue {
    fn add(&mut self, id: SessionId, tombstone: Tombstone) {
        self.bytes += tombstone.bytes(&id);
        self.by_session.push(id, tombstone);
    }

    fn take(&mut self, id: &SessionId) -> Option<Tombstone> {
        let taken = self.by_session.pop(id)?;
        self.bytes = self.bytes.saturating_sub(taken.bytes(id));
        Some(taken)
    }

    /// Drops the oldest. False if there is none.
    fn drop_oldest(&mut self) -> bool {
        let Some((id, oldest)) = self.by_session.pop_lru() else { return false };
        self.bytes = self.bytes.saturating_sub(oldest.bytes(&id));
        true
    }

    fn drop_idle(&mut self, idle_since: EpochMs) {
        let is_idle = |(_, tombstone): &(&SessionId, &Tombstone)| tombstone.used_at < idle_since;
        let idle: Vec<SessionId> = self.by_session.iter().filter(is_idle).map(|(id, _)| id.clone()).collect();
        for id in idle {
            self.take(&id);
        }
    }
}

/// The tombstones of a store.
#[derive(Debug)]
pub(super) struct Tombstones {
    with_writes: TombstoneQueue,
    without_writes: TombstoneQueue,
    limits: TombstoneLimits,
}

impl Default for Tombstones {
    fn default() -> Self {
        Self::with_limits(TombstoneLimits { number: MAX_TOMBSTONES, bytes: MAX_TOMBSTONE_BYTES })
    }
}

impl Tombstones {
    fn with_limits(limits: TombstoneLimits) -> Self {
        Self { with_writes: TombstoneQueue::default(), without_writes: TombstoneQueue::default(), limits }
    }

    pub(super) fn get(&self, id: &SessionId) -> Option<&Tombstone> {
        self.with_writes.by_session.peek(id).or_else(|| self.without_writes.by_session.peek(id))
    }

    pub(super) fn take(&mut self, id: &SessionId) -> Option<Tombstone> {
        self.with_writes.take(id).or_else(|| self.without_writes.take(id))
    }

    /// Whether a session may leave this tombstone. Only a tombstone with writes needs room.
    pub(super) fn has_room(&self, id: &SessionId, tombstone: &Tombstone) -> bool {
        tombstone.writes.is_empty()
            || (self.with_writes.by_session.len() < self.limits.number
                && self.with_writes.bytes + tombstone.bytes(id) <= self.limits.bytes)
    }

    /// Adds a tombstone. The oldest without writes make room for it.
    pub(super) fn add(&mut self, id: SessionId, tombstone: Tombstone) {
        if tombstone.is_needless() {
            return;
        }
        let queue = if tombstone.writes.is_empty() { &mut self.without_writes } else { &mut self.with_writes };
        queue.add(id, tombstone);
        while self.is_over() && self.without_writes.drop_oldest() {}
    }

    fn is_over(&self) -> bool {
        self.with_writes.by_session.len() + self.without_writes.by_session.len() > self.limits.number
            || self.with_writes.bytes + self.without_writes.bytes > self.limits.bytes
    }

    /// Drops the tombstones of sessions that were last used before `idle_since`.
    pub(super) fn drop_idle(&mut self, idle_since: EpochMs) {
        if idle_since > 0 {
            self.with_writes.drop_idle(idle_since);
            self.without_writes.drop_idle(idle_since);
        }
    }

    /// Records the outcome of a write whose result came after the eviction. False if there is no such write.
    pub(super) fn settle(&mut self, id: &SessionId, key: &RecordKey, epoch: u64, state: Option<&RecordState>) -> bool {
        let Some(tombstone) = self.with_writes.by_session.peek_mut(id) else { return false };
        let before = tombstone.bytes(id);
        let settled = tombstone.writes.settle(key, epoch, state);
        self.with_writes.bytes = (self.with_writes.bytes + tombstone.bytes(id)).saturating_sub(before);
        settled
    }
}

#[cfg(test)]
mod tests;
