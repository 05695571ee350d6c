//! A call whose handler makes calls: the nested calls take their keys, their turn and their deadline from it.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::deadline::Deadline;
use super::fingerprint::canonical_digest;
use super::key::RecordKey;
use crate::call::CallId;
use crate::json::CanonicalJson;

/// The largest nesting depth of calls; the model's own call has depth 0.
pub const MAX_DEPTH: u32 = 4;

/// A tool, and SHA-256 over the canonical arguments.
type CallContent = (Arc<str>, [u8; 32]);

/// One attempt of a call whose handler makes calls.
#[derive(Debug)]
pub struct ParentCall {
    /// The key of the call's record.
    pub key: RecordKey,
    /// The key of the model's own call: this one, or the one at the top of the calls above it.
    pub root: RecordKey,
    /// Whether the user has confirmed the model's own call although it was done before: what its handler calls is meant
    /// again, too.
    pub does_again: bool,
    /// The epoch of its claim; `None` if the store does not have its record.
    pub claim: Option<u64>,
    /// The provider's id of the call, or of the nearest call above it that has an id.
    pub call_id: Option<CallId>,
    /// The call's turn.
    pub turn: u32,
    /// The number of calls above it.
    pub depth: u32,
    /// The tools, from the model's own call down to this call, of which only one call may run at a time.
    pub exclusive_tools: Vec<Arc<str>>,
    /// The call's deadline.
    pub deadline: Option<Arc<Deadline>>,
    /// The number of equal calls made so far, by content.
    equal_calls: Mutex<HashMap<CallContent, u32>>,
}

impl ParentCall {
    /// A call that has made no calls yet.
    #[must_use]
    pub fn new(
        key: RecordKey,
        call_id: Option<CallId>,
        turn: u32,
        depth: u32,
        alone: Vec<Arc<str>>,
        deadline: Option<Arc<Deadline>>,
    ) -> Self {
        let root = key.clone();
        Self {
            key,
            root,
            does_again: false,
            claim: None,
            call_id,
            turn,
            depth,
            exclusive_tools: alone,
            deadline,
            equal_calls: Mutex::default(),
        }
    }

    /// The same with the epoch of its claim.
    #[must_use]
    pub fn claimed(self, claim: Option<u64>) -> Self {
        Self { claim, ..self }
    }

    /// The same as a call of this parent's handler, or as one of the model, which does again what was done before.
    #[must_use]
    pub fn below(self, parent: Option<&Self>, does_again: bool) -> Self {
        let Some(parent) = parent else { return Self { does_again, ..self } };
        Self { root: parent.root.clone(), does_again: does_again || parent.does_again, ..self }
    }

    /// Returns the key of the next nested call. Another attempt that makes the same calls in the same order gets the
    /// same keys, so a recorded call is replayed and does not run again.
    #[must_use]
    pub fn next_nested_key(&self, tool: &Arc<str>, args: &CanonicalJson<'_>) -> RecordKey {
        let nth = {
            let mut equal = self.equal_calls.lock();
            let count = equal.entry((Arc::clone(tool), canonical_digest(args))).or_insert(0);
            *count += 1;
            *count
        };
        RecordKey::for_nested_call(&self.key, tool, args, nth)
    }
}
