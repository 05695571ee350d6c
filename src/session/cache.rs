//! The result cache: results that may answer a later equal call of the same session.
//!
//! It lives in this process' memory, not in the store: losing an entry costs one run of a handler, and a hit needs no
//! round trip to a server. A call that the cache answers is recorded like any other call.
//!
//! A key contains the tool, its version, the mode (whose size cap shaped the data) and the canonical final arguments.
//! Roles, budgets and confirmation are checked for every call before the cache is read.

use std::sync::Arc;

use super::lazy_lru::LazyLru;
use crate::clock::EpochMs;
use crate::response::{Outcome, Truncated};

/// The number of results kept per session; the least recently used are evicted first.
const MAX_RESULTS: usize = 100;
/// The bytes of results kept per session.
const MAX_BYTES: usize = 512 * 1024;

/// The key of a cached result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CacheKey {
    /// The tool.
    pub tool: Arc<str>,
    /// The tool's version.
    pub version: Arc<str>,
    /// The mode.
    pub mode: Arc<str>,
    /// SHA-256 over the canonical final arguments.
    pub args: [u8; 32],
}

/// A cached result.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedResult {
    /// The response without its meta.
    pub outcome: Outcome,
    /// The values removed from its data, if it was shortened.
    pub truncated: Option<Truncated>,
    /// The idempotency key of the call that produced the result: the full data is kept under it.
    pub source_idempotency_key: Arc<str>,
}

/// The cached results of one session.
#[derive(Debug, Default)]
pub struct ResultCache {
    entries: LazyLru<CacheKey, (CachedResult, EpochMs)>,
    bytes: usize,
}

impl ResultCache {
    /// Returns a result that has not expired.
    pub fn get(&mut self, key: &CacheKey, now: EpochMs) -> Option<CachedResult> {
        let (kept, expires) = self.entries.get(key)?;
        if *expires > now {
            return Some(kept.clone());
        }
        if let Some((old, _)) = self.entries.pop(key) {
            self.bytes -= result_bytes(&old);
        }
        None
    }

    /// Keeps a result until `expires`. A result larger than the whole cache is ignored.
    pub fn put(&mut self, key: CacheKey, kept: CachedResult, expires: EpochMs) {
        let added = result_bytes(&kept);
        if added > MAX_BYTES {
            return;
        }
        if let Some((_, (old, _))) = self.entries.push(key, (kept, expires)) {
            self.bytes -= result_bytes(&old);
        }
        self.bytes += added;
        while (self.bytes > MAX_BYTES || self.entries.len() > MAX_RESULTS)
            && let Some((_, (old, _))) = self.entries.pop_lru()
        {
            self.bytes -= result_bytes(&old);
        }
    }
}

fn result_bytes(kept: &CachedResult) -> usize {
    kept.outcome.identity().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> CacheKey {
        CacheKey { tool: "t".into(), version: "1.0.0".into(), mode: "text".into(), args: [n; 32] }
    }

    fn result(bytes: usize) -> CachedResult {
        CachedResult {
            outcome: Outcome::success(Some(&format!("\"{}\"", "x".repeat(bytes))), "[]"),
            truncated: None,
            source_idempotency_key: "tg_1".into(),
        }
    }

    #[test]
    fn until_it_expires() {
        let mut cache = ResultCache::default();
        cache.put(key(1), result(1), 100);
        assert_eq!(cache.get(&key(1), 99), Some(result(1)));
        assert_eq!(cache.get(&key(1), 100), None);
        assert_eq!(cache.bytes, 0);
    }

    #[test]
    fn bounded_in_number_and_in_bytes() {
        let mut cache = ResultCache::default();
        for n in 0..=u8::MAX {
            cache.put(key(n), result(10), 100);
        }
        assert_eq!((cache.entries.len(), cache.get(&key(155), 0)), (100, None));
        assert!(cache.get(&key(156), 0).is_some());
        for n in 0..8 {
            cache.put(key(n), result(100 * 1024), 100);
        }
        assert!(
            cache.bytes <= MAX_BYTES && cache.entries.len() == 5,
            "{} bytes in {}",
            cache.bytes,
            cache.entries.len()
        );
        cache.put(key(9), result(MAX_BYTES), 100);
        assert_eq!(cache.get(&key(9), 0), None);
        cache.put(key(7), result(1), 100);
        let counted: usize = cache.entries.iter().map(|(_, (kept, _))| result_bytes(kept)).sum();
        assert_eq!(cache.bytes, counted);
    }
}
