//! The answers of a session's recorded calls, which a store keeps apart from the session's document.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::response::ToolResponse;

/// The answers of a session's recorded calls, by the epoch of the claim.
pub(super) trait Answers {
    /// Returns an answer.
    fn get(&mut self, epoch: u64) -> Option<Arc<ToolResponse>>;
    /// Stores an answer.
    fn put(&mut self, epoch: u64, answer: Arc<ToolResponse>);
    /// Deletes an answer.
    fn remove(&mut self, epoch: u64);
}

impl Answers for BTreeMap<u64, Arc<ToolResponse>> {
    fn get(&mut self, epoch: u64) -> Option<Arc<ToolResponse>> {
        Self::get(self, &epoch).cloned()
    }

    fn put(&mut self, epoch: u64, answer: Arc<ToolResponse>) {
        self.insert(epoch, answer);
    }

    fn remove(&mut self, epoch: u64) {
        Self::remove(self, &epoch);
    }
}
