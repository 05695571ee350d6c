//! The answers of one session's calls, as far as they are here. A job that asks for another one is done again once it is.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::response::ToolResponse;
use crate::store::document::Answers;

#[derive(Debug, Default)]
pub(super) struct RemoteAnswers {
    /// Fetched; `None` where there is none.
    pub(super) fetched: HashMap<u64, Option<Arc<ToolResponse>>>,
    /// Asked for, and not here.
    pub(super) missing: BTreeSet<u64>,
    pub(super) put: BTreeMap<u64, Arc<ToolResponse>>,
    pub(super) removed: BTreeSet<u64>,
}

impl RemoteAnswers {
    /// Before the jobs are done again: what was fetched stays.
    pub(super) fn start(&mut self) {
        self.missing.clear();
        self.put.clear();
        self.removed.clear();
    }
}

impl Answers for RemoteAnswers {
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
