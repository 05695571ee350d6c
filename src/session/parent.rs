//! A call as the calls that its handler makes see it: they are named after it, counted in its turn and bounded by it.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::fingerprint::canonical_digest;
use super::key::RecordKey;
use crate::call::CallId;
use crate::json::Canonical;

/// Calls within calls: a model's own call may make one, which may make one, and so on, as deep as this.
pub const DEEPEST: u32 = 4;

/// A tool, and SHA-256 over the canonical arguments.
type Asked = (Arc<str>, [u8; 32]);

/// One attempt of a call that makes calls.
#[derive(Debug)]
pub struct Parent {
    /// Its record's key.
    pub key: RecordKey,
    /// The provider's id of it, or of the nearest call above it that has one.
    pub call_id: Option<CallId>,
    /// The turn that it belongs to.
    pub turn: u32,
    /// Calls above it.
    pub depth: u32,
    /// Tools, from the model's own call down to it, of which only one call may run at a time.
    pub alone: Vec<Arc<str>>,
    /// When it is given up.
    pub deadline: Option<Instant>,
    /// Equal calls that it has made so far.
    equal: Mutex<HashMap<Asked, u32>>,
}

impl Parent {
    /// A call that has made none yet.
    #[must_use]
    pub fn new(
        key: RecordKey,
        call_id: Option<CallId>,
        turn: u32,
        depth: u32,
        alone: Vec<Arc<str>>,
        deadline: Option<Instant>,
    ) -> Self {
        Self { key, call_id, turn, depth, alone, deadline, equal: Mutex::default() }
    }

    /// The key of the next call that it makes. Another attempt that makes the same calls in the same order makes them
    /// under the same keys: what was recorded of one is its answer, and it does not run again.
    #[must_use]
    pub fn next_key(&self, tool: &Arc<str>, args: &Canonical<'_>) -> RecordKey {
        let nth = {
            let mut equal = self.equal.lock();
            let count = equal.entry((Arc::clone(tool), canonical_digest(args))).or_insert(0);
            *count += 1;
            *count
        };
        RecordKey::within(&self.key, tool, args, nth)
    }
}
