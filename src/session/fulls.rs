//! Data that was shortened for a model, whole, for its user's view: found by the idempotency key that each answer of the
//! call tells, a replay's and a join's too.
//!
//! It lives in the process, beside the record and not in it: a store would carry megabytes for what only the page that is
//! open now may show. Whatever is not here any more is shown as the model has it.

use std::sync::Arc;

use lru::LruCache;

/// Bytes kept per session; the least recently used go first.
const KEPT_BYTES: usize = 4 * 1024 * 1024;

/// One session's full data.
#[derive(Debug)]
pub struct Fulls {
    kept: LruCache<Arc<str>, Arc<str>>,
    bytes: usize,
}

impl Default for Fulls {
    fn default() -> Self {
        Self { kept: LruCache::unbounded(), bytes: 0 }
    }
}

impl Fulls {
    /// Keeps the data of the call with this idempotency key, in place of what it had.
    pub fn put(&mut self, key: Arc<str>, data: Arc<str>) {
        self.bytes += data.len();
        if let Some((_, old)) = self.kept.push(key, data) {
            self.bytes -= old.len();
        }
        while self.bytes > KEPT_BYTES
            && let Some((_, old)) = self.kept.pop_lru()
        {
            self.bytes -= old.len();
        }
    }

    /// The data of the call with this key, where it is kept and as long as it is told to be.
    pub fn get(&mut self, key: &str, bytes: u64) -> Option<Arc<str>> {
        self.kept.get(key).filter(|data| u64::try_from(data.len()) == Ok(bytes)).cloned()
    }

    /// What one call had is another's as well: it was answered with a kept result.
    pub fn share(&mut self, from: &str, with: Arc<str>) {
        if let Some(data) = self.kept.get(from).cloned() {
            self.put(with, data);
        }
    }

    /// The session has ended.
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
        let mut fulls = Fulls::default();
        fulls.put("a".into(), data(10));
        assert_eq!(fulls.get("a", 10), Some(data(10)));
        assert_eq!((fulls.get("a", 11), fulls.get("b", 10)), (None, None), "another result of the call, another call");
        fulls.share("a", "b".into());
        fulls.share("none", "c".into());
        assert_eq!((fulls.get("b", 10), fulls.get("c", 10)), (Some(data(10)), None));
        fulls.put("a".into(), data(3));
        assert_eq!((fulls.get("a", 3), fulls.bytes), (Some(data(3)), 13));
    }

    #[test]
    fn bounded_in_bytes_and_the_least_recently_used_go() {
        let mut fulls = Fulls::default();
        for key in ["a", "b", "c", "d"] {
            fulls.put(key.into(), data(KEPT_BYTES / 4));
        }
        assert!(fulls.get("a", (KEPT_BYTES / 4) as u64).is_some());
        fulls.put("e".into(), data(1));
        assert!(fulls.kept.contains("a") && !fulls.kept.contains("b"), "{:?}", fulls.kept.len());
        fulls.put("f".into(), data(KEPT_BYTES + 1));
        assert_eq!((fulls.kept.len(), fulls.bytes), (0, 0));
    }
}
