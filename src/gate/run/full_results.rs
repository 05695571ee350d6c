//! The full data of results that were shortened for a model, for the user's view, under the idempotency key that each answer
//! of the call has, also after a replay or a join.
//!
//! They live in the process, not in the records: a store would hold megabytes that only the page now open can show. All
//! sessions share one bound; beyond it the oldest are dropped, and shown as the model got them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

use crate::call::SessionId;

/// The bytes that are kept by default.
pub(in crate::gate) const DEFAULT_MAX_BYTES: usize = 64 * 1024 * 1024;
/// What an entry takes beside its data, in bytes: many small ones are bounded, too.
const ENTRY_BYTES: usize = 256;

/// The full data of one result.
#[derive(Debug, Clone)]
pub(in crate::gate) struct FullResult {
    pub(in crate::gate) session: SessionId,
    /// Of the call, for the metrics.
    pub(in crate::gate) tool: Arc<str>,
    pub(in crate::gate) mode: Arc<str>,
    pub(in crate::gate) data: Arc<str>,
}

impl FullResult {
    fn bytes(&self) -> usize {
        self.data.len() + ENTRY_BYTES
    }
}

/// The full results of all sessions of this process.
#[derive(Debug)]
pub(in crate::gate) struct FullResults {
    kept: Mutex<Kept>,
    max_bytes: usize,
}

#[derive(Debug)]
struct Kept {
    /// In the order of their arrival, the oldest last: nothing is promoted.
    by_key: LruCache<Arc<str>, FullResult>,
    of_session: HashMap<SessionId, HashSet<Arc<str>>>,
    bytes: usize,
}

impl FullResults {
    pub(in crate::gate) fn new(max_bytes: usize) -> Self {
        let kept = Kept { by_key: LruCache::unbounded(), of_session: HashMap::new(), bytes: 0 };
        Self { kept: Mutex::new(kept), max_bytes }
    }

    /// Keeps the result of the call with this idempotency key, in place of an older one. Returns those that are dropped
    /// for it.
    pub(in crate::gate) fn put(&self, key: Arc<str>, result: FullResult) -> Vec<FullResult> {
        let mut kept = self.kept.lock();
        kept.remove(&key);
        kept.bytes += result.bytes();
        kept.of_session.entry(result.session.clone()).or_default().insert(Arc::clone(&key));
        kept.by_key.push(key, result);
        let mut dropped = Vec::new();
        while kept.bytes > self.max_bytes
            && let Some(oldest) = kept.by_key.peek_lru().map(|(key, _)| Arc::clone(key))
        {
            dropped.extend(kept.remove(&oldest));
        }
        dropped
    }

    /// The data of a call of this session if it is kept and has this length.
    pub(in crate::gate) fn get(&self, session: &SessionId, key: &str, bytes: u64) -> Option<Arc<str>> {
        let kept = self.kept.lock();
        let result = kept.by_key.peek(key).filter(|result| result.session == *session)?;
        (u64::try_from(result.data.len()) == Ok(bytes)).then(|| Arc::clone(&result.data))
    }

    /// The result of a call, for another call that is answered with it.
    pub(in crate::gate) fn find(&self, key: &str) -> Option<FullResult> {
        self.kept.lock().by_key.peek(key).cloned()
    }

    /// Forgets the results of a session that has ended.
    pub(in crate::gate) fn forget(&self, session: &SessionId) {
        let mut kept = self.kept.lock();
        for key in kept.of_session.get(session).cloned().unwrap_or_default() {
            kept.remove(&key);
        }
    }
}

impl Kept {
    fn remove(&mut self, key: &Arc<str>) -> Option<FullResult> {
        let removed = self.by_key.pop(key)?;
        self.bytes -= removed.bytes();
        if let Some(keys) = self.of_session.get_mut(&removed.session) {
            keys.remove(key);
            if keys.is_empty() {
                self.of_session.remove(&removed.session);
            }
        }
        Some(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(session: &str, bytes: usize) -> FullResult {
        FullResult { session: session.into(), tool: "t".into(), mode: "text".into(), data: "x".repeat(bytes).into() }
    }

    fn has(results: &FullResults, session: &str, key: &str, bytes: u64) -> bool {
        results.get(&session.into(), key, bytes).is_some()
    }

    #[test]
    fn found_by_its_session_its_key_and_its_length() {
        let results = FullResults::new(DEFAULT_MAX_BYTES);
        assert!(results.put("a".into(), result("one", 10)).is_empty());
        assert!(has(&results, "one", "a", 10));
        assert!(!has(&results, "one", "a", 11), "another result of the call");
        assert!(!has(&results, "one", "b", 10) && !has(&results, "two", "a", 10), "another call, another session");
        results.put("a".into(), result("one", 3));
        assert!(has(&results, "one", "a", 3) && results.find("a").is_some() && results.find("b").is_none());
        assert_eq!(results.kept.lock().bytes, 3 + ENTRY_BYTES);
    }

    #[test]
    fn bounded_over_all_sessions_and_the_oldest_go() {
        let results = FullResults::new(4 * (100 + ENTRY_BYTES));
        for (session, key) in [("one", "a"), ("two", "b"), ("one", "c"), ("two", "d")] {
            assert!(results.put(key.into(), result(session, 100)).is_empty());
        }
        assert!(has(&results, "one", "a", 100), "looking at it does not keep it");
        let dropped: Vec<_> = results.put("e".into(), result("two", 101)).iter().map(|old| old.data.len()).collect();
        assert_eq!(dropped, [100, 100]);
        assert!(!has(&results, "one", "a", 100) && !has(&results, "two", "b", 100) && has(&results, "two", "e", 101));
        let all = results.put("f".into(), result("one", 4 * (100 + ENTRY_BYTES)));
        assert_eq!(all.len(), 4, "what is larger than the bound is not kept either");
        let kept = results.kept.lock();
        assert_eq!((kept.by_key.len(), kept.of_session.len(), kept.bytes), (0, 0, 0));
    }

    #[test]
    fn forgotten_with_their_session() {
        let results = FullResults::new(DEFAULT_MAX_BYTES);
        for (session, key) in [("one", "a"), ("one", "b"), ("two", "c")] {
            results.put(key.into(), result(session, 5));
        }
        results.forget(&"one".into());
        results.forget(&"unknown".into());
        assert!(!has(&results, "one", "a", 5) && !has(&results, "one", "b", 5) && has(&results, "two", "c", 5));
        assert_eq!(results.kept.lock().bytes, 5 + ENTRY_BYTES);
    }
}
