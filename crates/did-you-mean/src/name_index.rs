//! An index of many names: the nearest one is found without a look at each.
//!
//! An edit changes at most three of a name's letter pairs, so a near name shares one of the rarest pairs of the given
//! name. The index lists the names by pair and length. The work of a search is limited: beyond the limit the names with
//! the most shared pairs are compared.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{CharCounts, MAX_COMPARED_BYTES, Similarity, max_edits, normalize};

/// The number of list entries that a search reads.
const MAX_VISITED: usize = 1024;
/// The number of names whose distance a search computes. A set of so many names needs no index.
const MAX_COMPARED: usize = 32;
/// The number of letter pairs that one edit changes: a swap of two letters changes three.
const PAIRS_PER_EDIT: usize = 3;
/// Before the first letter and after the last one.
const EDGE: char = '\0';

/// A pair of neighbouring letters, and the length of the normalized name in characters.
type PairKey = (char, char, usize);

/// An index of names for [`crate::suggest`], whose result it gives for all but the most unusual sets of names: those in
/// which hundreds of names have the rarest pairs of the given name.
#[derive(Debug)]
pub struct NameIndex {
    names: Box<[Arc<str>]>,
    counts: Box<[CharCounts]>,
    /// The positions of the names with a pair; empty for a small set.
    by_pair: HashMap<PairKey, Vec<u32>>,
}

/// The work of one search.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct SearchWork {
    visited: usize,
    compared: usize,
}

impl NameIndex {
    /// Indexes names. Of equally near names a search returns the first.
    #[must_use]
    pub fn build(names: impl IntoIterator<Item = Arc<str>>) -> Self {
        let names: Box<[Arc<str>]> = names.into_iter().collect();
        let counts = names.iter().map(|name| CharCounts::from_name(name)).collect();
        let index = Self { names, counts, by_pair: HashMap::new() };
        if index.is_small() { index } else { index.with_pairs() }
    }

    fn with_pairs(mut self) -> Self {
        for (name, position) in self.names.iter().zip(0..) {
            if name.len() <= MAX_COMPARED_BYTES {
                let (pairs, length) = letter_pairs(&normalize(name));
                for (first, second) in pairs {
                    self.by_pair.entry((first, second, length)).or_default().push(position);
                }
            }
        }
        self
    }

    /// Whether each name is compared.
    const fn is_small(&self) -> bool {
        self.names.len() <= MAX_COMPARED
    }

    /// The name nearest to `name` among those that `is_candidate` accepts by their position, as [`crate::suggest`]
    /// finds it.
    pub fn nearest(&self, name: &str, is_candidate: impl Fn(usize) -> bool) -> Option<&str> {
        self.search(name, is_candidate).0
    }

    fn search(&self, name: &str, is_candidate: impl Fn(usize) -> bool) -> (Option<&str>, SearchWork) {
        let mut work = SearchWork::default();
        if name.len() > MAX_COMPARED_BYTES {
            return (None, work);
        }
        let (letters, plain) = (CharCounts::from_name(name), normalize(name));
        let similarity = Similarity::to(name, &plain);
        let pairs = letter_pairs(&plain);
        // Most names have few errors, and the fewer there are, the fewer lists have to be read.
        let least_edits = if self.is_small() { max_edits(name) } else { 0 };
        for edits in least_edits..=max_edits(name) {
            // By the least number of edits, then by the number of shared pairs: the nearest names come first.
            let mut ranked: Vec<(usize, usize, usize)> = self
                .names_within(edits, &pairs, &mut work)
                .into_iter()
                .filter(|(position, _)| is_candidate(*position))
                .filter_map(|(position, shared)| {
                    let min_edits = self.counts.get(position)?.min_edits(&letters);
                    (min_edits <= edits).then_some((min_edits, usize::MAX - shared, position))
                })
                .collect();
            ranked.sort_unstable();
            let left = MAX_COMPARED.saturating_sub(work.compared);
            let compared = ranked.iter().take(left).filter_map(|&(_, _, position)| {
                work.compared += 1;
                Some((similarity.distance(self.names.get(position)?)?, position))
            });
            if let Some((_, position)) = compared.min().filter(|(distance, _)| *distance <= edits) {
                return (self.names.get(position).map(|name| &**name), work);
            }
        }
        (None, work)
    }

    /// The positions of the names that may be within so many edits, each with the number of pairs by which it was
    /// found: such a name has one of any so many pairs as those edits can't all change.
    fn names_within(&self, edits: usize, (pairs, length): &LetterPairs, work: &mut SearchWork) -> Vec<(usize, usize)> {
        if self.is_small() {
            return (0..self.names.len()).map(|position| (position, 0)).collect();
        }
        let mut positions: Vec<u32> = Vec::new();
        for length in length.saturating_sub(edits)..=length.saturating_add(edits) {
            let list = |&(first, second): &(char, char)| self.by_pair.get(&(first, second, length));
            let mut lists: Vec<&[u32]> = pairs.iter().map(|pair| list(pair).map_or(&[][..], Vec::as_slice)).collect();
            lists.sort_by_key(|list| list.len());
            let rarest = lists.into_iter().take(PAIRS_PER_EDIT * edits + 1).flatten();
            let left = MAX_VISITED.saturating_sub(work.visited + positions.len());
            positions.extend(rarest.take(left));
        }
        work.visited += positions.len();
        positions.sort_unstable();
        let same = positions.chunk_by(|one, other| one == other);
        same.filter_map(|same| Some((*same.first()? as usize, same.len()))).collect()
    }
}

/// The different pairs of neighbouring letters of a normalized name, and its length in characters.
type LetterPairs = (Vec<(char, char)>, usize);

/// The different pairs of neighbouring letters of a normalized name, with its edges.
fn letter_pairs(plain: &str) -> LetterPairs {
    let after = plain.chars().chain([EDGE]);
    let mut pairs: Vec<(char, char)> = [EDGE].into_iter().chain(plain.chars()).zip(after).collect();
    let length = pairs.len().saturating_sub(1);
    pairs.sort_unstable();
    pairs.dedup();
    (pairs, length)
}

#[cfg(test)]
mod tests;
