//! A cache of the most recently used entries that takes memory with its first entry: most sessions have none. The owner
//! bounds it.

use std::borrow::Borrow;
use std::hash::Hash;

use lru::LruCache;

/// Entries in the order of their use.
#[derive(Debug, Clone)]
pub(crate) struct LazyLru<K: Hash + Eq, V>(Option<Box<LruCache<K, V>>>);

impl<K: Hash + Eq, V> Default for LazyLru<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: Hash + Eq, V> LazyLru<K, V> {
    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |entries| entries.len())
    }

    /// Returns a value, which becomes the most recently used one.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.as_mut()?.get(key)
    }

    /// Makes an entry the most recently used one.
    pub(crate) fn promote(&mut self, key: &K) {
        if let Some(entries) = &mut self.0 {
            entries.promote(key);
        }
    }

    /// Adds an entry. Returns the one that it replaced.
    pub(crate) fn push(&mut self, key: K, value: V) -> Option<(K, V)> {
        // Not with a capacity, whose memory would be taken at once.
        self.0.get_or_insert_with(|| Box::new(LruCache::unbounded())).push(key, value)
    }

    /// Removes an entry.
    pub(crate) fn pop(&mut self, key: &K) -> Option<V> {
        self.0.as_mut()?.pop(key)
    }

    /// Removes the least recently used entry.
    pub(crate) fn pop_lru(&mut self) -> Option<(K, V)> {
        self.0.as_mut()?.pop_lru()
    }

    /// The entries, the most recently used first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.iter().flat_map(|entries| entries.iter())
    }
}
