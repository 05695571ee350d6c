//! The locally fetched answers of one session's calls. A job that reads another answer runs again after its fetch.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::response::ToolResponse;
use crate::store::answers::Answers;

#[derive(Debug, Default)]
pub(super) struct RedisAnswers {
    /// Fetched answers; `None` if the server has none.
    pub(super) fetched: HashMap<u64, Option<Arc<ToolResponse>>>,
    /// Answers that were read but are not fetched yet.
    pub(super) missing: BTreeSet<u64>,
    pub(super) put: BTreeMap<u64, Arc<ToolResponse>>,
    pub(super) removed: BTreeSet<u64>,
}

impl RedisAnswers {
    /// Resets everything but the fetched answers, before the jobs run again.
    pub(super) fn restart(&mut self) {
        self.missing.clear();
        self.put.clear();
        self.removed.clear();
    }
}

impl Answers for RedisAnswers {
    fn get(&mut self, epoch: u64) -> Option<Arc<ToolResponse>> {
        if let Some(answer) = self.put.get(&epoch) {
            return Some(Arc::clone(answer));
        }
        if let Some(fetched) = self.fetched.get(&epoch) {
            return fetched.clone();
        }
        self.missing.insert(epoch);
        None
    }

    fn put(&mut self, epoch: u64, answer: Arc<ToolResponse>) {
        self.put.insert(epoch, answer);
    }

    fn remove(&mut self, epoch: u64) {
        if self.put.remove(&epoch).is_none() {
            self.removed.insert(epoch);
        }
    }
}
