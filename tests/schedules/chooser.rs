//! Seeded choices. A choice depends on its seed and its name only, so that removing one operation from a schedule
//! leaves the choices of the others as they are.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A stream of choices.
#[derive(Debug, Clone)]
pub struct Chooser(u64);

impl Chooser {
    /// The stream of a name.
    pub fn named(seed: u64, name: impl Hash) -> Self {
        // `DefaultHasher::new` has fixed keys.
        let mut hasher = DefaultHasher::new();
        (seed, name).hash(&mut hasher);
        Self(hasher.finish())
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of the items.
    pub fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[usize::try_from(self.below(items.len() as u64)).unwrap()]
    }
}
