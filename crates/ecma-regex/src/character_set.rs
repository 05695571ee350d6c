//! A set of characters with a quick answer for ASCII.

use regex_syntax::hir::ClassUnicode;

/// The characters that one term of a pattern matches.
#[derive(Debug)]
pub(super) struct CharacterSet {
    /// One bit for each ASCII character.
    ascii: u128,
    /// The first and last character of each range, in order.
    ranges: Box<[(char, char)]>,
}

impl CharacterSet {
    pub(super) fn new(class: &ClassUnicode) -> Self {
        let ranges: Box<[_]> = class.iter().map(|range| (range.start(), range.end())).collect();
        let bit = |code: u8| u128::from(is_in_ranges(&ranges, char::from(code))) << code;
        let ascii = (0..128).fold(0, |bits, code| bits | bit(code));
        Self { ascii, ranges }
    }

    pub(super) fn contains(&self, character: char) -> bool {
        if character.is_ascii() {
            return self.ascii >> u32::from(character) & 1 == 1;
        }
        is_in_ranges(&self.ranges, character)
    }
}

fn is_in_ranges(ranges: &[(char, char)], character: char) -> bool {
    let after = ranges.partition_point(|(from, _)| *from <= character);
    after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|(_, to)| character <= *to)
}
