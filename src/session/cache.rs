//! Results that may answer a later equal call of the same session.
//!
//! In this process' memory, not in the store: a cache may forget at any time, so nothing is lost with it, and a hit
//! saves the work of a handler rather than a trip to a server. What it answers is recorded like any other call.
//!
//! A key holds the tool, its version, the mode (whose size cap shaped the data) and the canonical final arguments. Roles,
//! budgets and confirmation are judged before a call comes here, each time.

use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use crate::clock::EpochMs;
use crate::response::{Outcome, Truncated};

/// Results kept per session; the least recently used go first.
const KEPT: NonZeroUsize = NonZeroUsize::new(100).unwrap();
/// Bytes of results kept per session.
const KEPT_BYTES: usize = 512 * 1024;

/// What makes two calls equal for a cache.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CacheKey {
    /// The tool.
    pub tool: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// The mode.
    pub mode: Arc<str>,
    /// SHA-256 over the canonical final arguments.
    pub args: [u8; 32],
}

/// A result, ready to be told again.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The answer without its meta.
    pub outcome: Outcome,
    /// What was left out of its data.
    pub truncated: Option<Truncated>,
    /// The call that it is a result of: under its idempotency key all of its data is found.
    pub first: Arc<str>,
}

/// One session's results.
#[derive(Debug)]
pub struct ResultCache {
    kept: LruCache<CacheKey, (Kept, EpochMs)>,
    bytes: usize,
}

impl Default for ResultCache {
    fn default() -> Self {
        Self { kept: LruCache::new(KEPT), bytes: 0 }
    }
}

impl ResultCache {
    /// A result that has not expired.
    pub fn get(&mut self, key: &CacheKey, now: EpochMs) -> Option<Kept> {
        let (kept, expires) = self.kept.get(key)?;
        if *expires > now {
            return Some(kept.clone());
        }
        if let Some((old, _)) = self.kept.pop(key) {
            self.bytes -= size(&old);
        }
        None
    }

    /// Keeps a result until `expires`. One that is larger than all may be is not kept.
    pub fn put(&mut self, key: CacheKey, kept: Kept, expires: EpochMs) {
        let added = size(&kept);
        if added > KEPT_BYTES {
            return;
        }
        if let Some((_, (old, _))) = self.kept.push(key, (kept, expires)) {
            self.bytes -= size(&old);
        }
        self.bytes += added;
        while self.bytes > KEPT_BYTES
            && let Some((_, (old, _))) = self.kept.pop_lru()
        {
            self.bytes -= size(&old);
        }
    }
}

fn size(kept: &Kept) -> usize {
    kept.outcome.identity().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> CacheKey {
        CacheKey { tool: "t".into(), version: "1.0.0".into(), mode: "text".into(), args: [n; 32] }
    }

    fn result(bytes: usize) -> Kept {
        Kept {
            outcome: Outcome::success(Some(&format!("\"{}\"", "x".repeat(bytes))), "[]"),
            truncated: None,
            first: "tg_1".into(),
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
        assert_eq!((cache.kept.len(), cache.get(&key(155), 0)), (100, None));
        assert!(cache.get(&key(156), 0).is_some());
        for n in 0..8 {
            cache.put(key(n), result(100 * 1024), 100);
        }
        assert!(cache.bytes <= KEPT_BYTES && cache.kept.len() == 5, "{} bytes in {}", cache.bytes, cache.kept.len());
        cache.put(key(9), result(KEPT_BYTES), 100);
        assert_eq!(cache.get(&key(9), 0), None);
        cache.put(key(7), result(1), 100);
        let counted: usize = cache.kept.iter().map(|(_, (kept, _))| size(kept)).sum();
        assert_eq!(cache.bytes, counted);
    }
}
