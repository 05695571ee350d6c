//! The alphabet of a pattern: the fewest symbols that distinguish its character classes.

use std::collections::HashSet;

use regex_syntax::hir::ClassUnicode;

/// The alphabet of a pattern: the fewest symbols that distinguish its classes. A symbol represents the characters that
/// are in the same classes.
pub(super) struct Alphabet {
    /// A character for each symbol.
    representatives: Vec<char>,
    /// For each class, the symbols in it.
    class_symbols: Vec<Vec<bool>>,
}

impl Alphabet {
    pub(super) fn new(classes: &[ClassUnicode]) -> Self {
        let mut symbols = Self { representatives: Vec::new(), class_symbols: vec![Vec::new(); classes.len()] };
        let mut known = HashSet::new();
        for character in sample_characters(classes) {
            let inside: Vec<bool> = classes.iter().map(|class| class_contains(class, character)).collect();
            if !known.insert(inside.clone()) {
                continue;
            }
            symbols.representatives.push(character);
            for (row, member) in symbols.class_symbols.iter_mut().zip(inside) {
                row.push(member);
            }
        }
        symbols
    }

    /// The number of symbols.
    pub(super) fn count(&self) -> usize {
        self.representatives.len()
    }

    pub(super) fn representative(&self, symbol: usize) -> char {
        self.representatives.get(symbol).copied().unwrap_or_default()
    }

    pub(super) fn is_in_class(&self, symbol: usize, class: usize) -> bool {
        self.class_symbols.get(class).and_then(|row| row.get(symbol)).copied().unwrap_or(false)
    }

    /// A symbol that is in both classes.
    pub(super) fn common_symbol(&self, a: usize, b: usize) -> Option<usize> {
        let (a, b) = (self.class_symbols.get(a)?, self.class_symbols.get(b)?);
        a.iter().zip(b).position(|(a, b)| *a && *b)
    }
}

/// Characters with at least one representative of each symbol, printable ones first.
fn sample_characters(classes: &[ClassUnicode]) -> Vec<char> {
    let readable = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain('!'..='~').chain([' ', '\t', '\n']);
    let bounds = classes.iter().flat_map(ClassUnicode::ranges).flat_map(|range| {
        // Membership in a class changes only at the first character of a range and at the one after its end.
        [Some(range.start()), char::from_u32(u32::from(range.end()) + 1)].into_iter().flatten()
    });
    let mut others: Vec<char> = bounds.collect();
    others.sort_unstable();
    others.dedup();
    readable.chain(others).collect()
}

fn class_contains(class: &ClassUnicode, character: char) -> bool {
    let ranges = class.ranges();
    let after = ranges.partition_point(|range| range.start() <= character);
    after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|range| character <= range.end())
}
