//! The full data of results that were shortened for a model, for the user's view. The key is the idempotency key, which
//! each answer of the call contains, also after a replay or a join.
//!
//! It lives in the process, not in the record: a store would hold megabytes that only the page now open can show. A
//! result that was evicted is shown as the model got it.

use std::sync::Arc;

use super::lazy_lru::LazyLru;

/// The bytes kept per session; the least recently used results are evicted first.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The full results of one session.
#[derive(Debug, Default)]
pub struct FullResults {
    by_key: LazyLru<Arc<str>, Arc<str>>,
    bytes: usize,
}

impl FullResults {
    /// Keeps the data of the call with this idempotency key, replacing older data.
    pub fn put(&mut self, key: Arc<str>, data: Arc<str>) {
        self.bytes += data.len();
        if let Some((_, old)) = self.by_key.push(key, data) {
            self.bytes -= old.len();
        }
        while self.bytes > MAX_BYTES
            && let Some((_, old)) = self.by_key.pop_lru()
        {
            self.bytes -= old.len();
        }
    }

    /// Returns the data of the call with this key if it is kept and has this length.
    pub fn get(&mut self, key: &str, bytes: u64) -> Option<Arc<str>> {
        self.by_key.get(key).filter(|data| u64::try_from(data.len()) == Ok(bytes)).cloned()
    }

    /// Keeps the data of one call for another call as well, which was answered with a cached result.
    pub fn copy_to(&mut self, from: &str, with: Arc<str>) {
        if let Some(data) = self.by_key.get(from).cloned() {
            self.put(with, data);
        }
    }

    /// Drops everything: the session has ended.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(bytes: usize) -> Arc<str> {
        "x".repeat(bytes).into()
    }

    #[test]
    fn found_by_its_key_and_its_length() {
        let mut full_results = FullResults::default();
        full_results.put("a".into(), data(10));
        assert_eq!(full_results.get("a", 10), Some(data(10)));
        assert_eq!(
            (full_results.get("a", 11), full_results.get("b", 10)),
            (None, None),
            "another result of the call, another call"
        );
        full_results.copy_to("a", "b".into());
        full_results.copy_to("none", "c".into());
        assert_eq!((full_results.get("b", 10), full_results.get("c", 10)), (Some(data(10)), None));
        full_results.put("a".into(), data(3));
        assert_eq!((full_results.get("a", 3), full_results.bytes), (Some(data(3)), 13));
    }

    #[test]
    fn bounded_in_bytes_and_the_least_recently_used_go() {
        let mut full_results = FullResults::default();
        for key in ["a", "b", "c", "d"] {
            full_results.put(key.into(), data(MAX_BYTES / 4));
        }
        assert!(full_results.get("a", (MAX_BYTES / 4) as u64).is_some());
        full_results.put("e".into(), data(1));
        assert!(
            full_results.by_key.get("a").is_some() && full_results.by_key.get("b").is_none(),
            "{:?}",
            full_results.by_key.len()
        );
        full_results.put("f".into(), data(MAX_BYTES + 1));
        assert_eq!((full_results.by_key.len(), full_results.bytes), (0, 0));
    }
}
