//! Character classes of a pattern, and the alphabet: the fewest symbols that distinguish them.

use std::collections::HashSet;

use oxc_regular_expression::ast::{
    CharacterClass, CharacterClassContents, CharacterClassContentsKind, CharacterClassEscapeKind, UnicodePropertyEscape,
};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

pub(super) fn single_character(value: u32) -> Option<ClassUnicode> {
    character_range(value, value)
}

fn character_range(from: u32, to: u32) -> Option<ClassUnicode> {
    Some(from_ranges(&[(char::from_u32(from)?, char::from_u32(to)?)]))
}

fn from_ranges(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|&(from, to)| ClassUnicodeRange::new(from, to)))
}

fn negated(mut class: ClassUnicode) -> ClassUnicode {
    class.negate();
    class
}

/// `.` without the flag `s` (ECMAScript 22.2.2.7 and 12.3).
pub(super) fn dot() -> ClassUnicode {
    negated(from_ranges(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')]))
}

/// `\w` (ECMAScript 22.2.2.9.5).
pub(super) fn word() -> ClassUnicode {
    from_ranges(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')])
}

pub(super) fn class_escape(kind: CharacterClassEscapeKind) -> ClassUnicode {
    use CharacterClassEscapeKind as Kind;
    let digits = || from_ranges(&[('0', '9')]);
    match kind {
        Kind::D => digits(),
        Kind::NegativeD => negated(digits()),
        Kind::S => space(),
        Kind::NegativeS => negated(space()),
        Kind::W => word(),
        Kind::NegativeW => negated(word()),
    }
}

/// White space and line ends (ECMAScript 12.2 and 12.3).
fn space() -> ClassUnicode {
    from_ranges(&[
        ('\t', '\r'),
        (' ', ' '),
        ('\u{a0}', '\u{a0}'),
        ('\u{1680}', '\u{1680}'),
        ('\u{2000}', '\u{200a}'),
        ('\u{2028}', '\u{2029}'),
        ('\u{202f}', '\u{202f}'),
        ('\u{205f}', '\u{205f}'),
        ('\u{3000}', '\u{3000}'),
        ('\u{feff}', '\u{feff}'),
    ])
}

/// `\p{…}`: ECMAScript and `regex_syntax` use the same names. `None` for a property that only ECMAScript supports.
pub(super) fn unicode_property(escape: &UnicodePropertyEscape<'_>) -> Option<ClassUnicode> {
    if escape.strings {
        return None;
    }
    let value = escape.value.map(|value| format!("={value}")).unwrap_or_default();
    let parsed = regex_syntax::parse(&format!(r"\p{{{}{value}}}", escape.name)).ok()?;
    let HirKind::Class(Class::Unicode(class)) = parsed.into_kind() else { return None };
    Some(if escape.negative { negated(class) } else { class })
}

/// `[…]`. `None` if the class contains strings of several characters, or a lone surrogate.
pub(super) fn bracketed(class: &CharacterClass<'_>) -> Option<ClassUnicode> {
    if class.strings {
        return None;
    }
    let mut parts = class.body.iter().map(class_item);
    let mut all = parts.next().unwrap_or_else(|| Some(ClassUnicode::empty()))?;
    for part in parts {
        let part = part?;
        match class.kind {
            CharacterClassContentsKind::Union => all.union(&part),
            CharacterClassContentsKind::Intersection => all.intersect(&part),
            CharacterClassContentsKind::Subtraction => all.difference(&part),
        }
    }
    Some(if class.negative { negated(all) } else { all })
}

fn class_item(item: &CharacterClassContents<'_>) -> Option<ClassUnicode> {
    match item {
        CharacterClassContents::CharacterClassRange(bounds) => character_range(bounds.min.value, bounds.max.value),
        CharacterClassContents::CharacterClassEscape(found) => Some(class_escape(found.kind)),
        CharacterClassContents::UnicodePropertyEscape(found) => unicode_property(found),
        CharacterClassContents::Character(character) => single_character(character.value),
        CharacterClassContents::NestedCharacterClass(nested) => bracketed(nested),
        CharacterClassContents::ClassStringDisjunction(_) => None,
    }
}

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
