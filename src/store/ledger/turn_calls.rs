//! The calls of the latest turn that came under ids of their own, by what they do: an equal call of the turn whose id can't be
//! trusted is one of them.

use serde::{Deserialize, Serialize};

use super::RecordKey;
use crate::session::fingerprint::Fingerprint;
use crate::store::ledger::entry::LedgerEntry;

/// The number of calls that are known; the oldest is forgotten first. No turn of a built-in mode has as many.
const MAX_CALLS: usize = 32;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct TurnCall {
    /// A part of the keyed hash of the arguments: the record has all of it.
    args: u64,
    key: RecordKey,
}

/// The calls of one turn.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct TurnCalls {
    turn: u32,
    calls: Vec<TurnCall>,
}

impl TurnCalls {
    pub(super) const fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Notes a call that is recorded under its id.
    pub(super) fn add(&mut self, key: &RecordKey, entry: &LedgerEntry) {
        let has_own_id = entry.call_id.is_some() && !key.is_of_content() && !key.is_of_handler();
        if !has_own_id || entry.turn < self.turn {
            return;
        }
        if entry.turn > self.turn {
            *self = Self { turn: entry.turn, calls: Vec::new() };
        }
        self.calls.retain(|call| call.key != *key);
        if self.calls.len() == MAX_CALLS {
            self.calls.remove(0);
        }
        self.calls.push(TurnCall { args: hash_of(&entry.fingerprint), key: key.clone() });
    }

    /// The keys of the turn's calls with these arguments, the latest first. Which tool they are of, their records say.
    pub(super) fn with_args_of(&self, fingerprint: &Fingerprint, turn: u32) -> Vec<RecordKey> {
        if turn != self.turn || self.calls.is_empty() {
            return Vec::new();
        }
        let args = hash_of(fingerprint);
        self.calls.iter().rev().filter(|call| call.args == args).map(|call| call.key.clone()).collect()
    }
}

fn hash_of(fingerprint: &Fingerprint) -> u64 {
    fingerprint.args_hash().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
