//! The characters that a pattern tells apart.

use std::collections::HashSet;

use oxc_regular_expression::ast::{
    CharacterClass, CharacterClassContents, CharacterClassContentsKind, CharacterClassEscapeKind, UnicodePropertyEscape,
};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

pub(super) fn single(value: u32) -> Option<ClassUnicode> {
    range(value, value)
}

fn range(from: u32, to: u32) -> Option<ClassUnicode> {
    Some(of(&[(char::from_u32(from)?, char::from_u32(to)?)]))
}

fn of(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|&(from, to)| ClassUnicodeRange::new(from, to)))
}

fn negated(mut class: ClassUnicode) -> ClassUnicode {
    class.negate();
    class
}

/// `.` without the flag `s` (ECMAScript 22.2.2.7 and 12.3).
pub(super) fn dot() -> ClassUnicode {
    negated(of(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')]))
}

/// `\w` (ECMAScript 22.2.2.9.5).
pub(super) fn word() -> ClassUnicode {
    of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')])
}

pub(super) fn escape(kind: CharacterClassEscapeKind) -> ClassUnicode {
    use CharacterClassEscapeKind as Kind;
    let digits = || of(&[('0', '9')]);
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
    of(&[
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

/// `\p{…}`: both languages name Unicode's properties alike. `None` for one that only ECMAScript knows.
pub(super) fn property(escape: &UnicodePropertyEscape<'_>) -> Option<ClassUnicode> {
    if escape.strings {
        return None;
    }
    let value = escape.value.map(|value| format!("={value}")).unwrap_or_default();
    let parsed = regex_syntax::parse(&format!(r"\p{{{}{value}}}", escape.name)).ok()?;
    let HirKind::Class(Class::Unicode(class)) = parsed.into_kind() else { return None };
    Some(if escape.negative { negated(class) } else { class })
}

/// `[…]`. `None` for one that matches more than one character, or a lone surrogate.
pub(super) fn bracketed(class: &CharacterClass<'_>) -> Option<ClassUnicode> {
    if class.strings {
        return None;
    }
    let mut parts = class.body.iter().map(item);
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

fn item(item: &CharacterClassContents<'_>) -> Option<ClassUnicode> {
    match item {
        CharacterClassContents::CharacterClassRange(bounds) => range(bounds.min.value, bounds.max.value),
        CharacterClassContents::CharacterClassEscape(found) => Some(escape(found.kind)),
        CharacterClassContents::UnicodePropertyEscape(found) => property(found),
        CharacterClassContents::Character(character) => single(character.value),
        CharacterClassContents::NestedCharacterClass(nested) => bracketed(nested),
        CharacterClassContents::ClassStringDisjunction(_) => None,
    }
}

/// The classes of a pattern over the fewest symbols that tell them apart. Each symbol stands for the characters that
/// are in the same classes.
pub(super) struct Symbols {
    /// A character for each symbol.
    characters: Vec<char>,
    /// For each class, the symbols in it.
    classes: Vec<Vec<bool>>,
}

impl Symbols {
    pub(super) fn new(classes: &[ClassUnicode]) -> Self {
        let mut symbols = Self { characters: Vec::new(), classes: vec![Vec::new(); classes.len()] };
        let mut known = HashSet::new();
        for character in samples(classes) {
            let inside: Vec<bool> = classes.iter().map(|class| contains(class, character)).collect();
            if !known.insert(inside.clone()) {
                continue;
            }
            symbols.characters.push(character);
            for (row, member) in symbols.classes.iter_mut().zip(inside) {
                row.push(member);
            }
        }
        symbols
    }

    /// The number of symbols.
    pub(super) fn count(&self) -> usize {
        self.characters.len()
    }

    pub(super) fn character(&self, symbol: usize) -> char {
        self.characters.get(symbol).copied().unwrap_or_default()
    }

    pub(super) fn is_in(&self, symbol: usize, class: usize) -> bool {
        self.classes.get(class).and_then(|row| row.get(symbol)).copied().unwrap_or(false)
    }

    /// A symbol that is in both classes.
    pub(super) fn common(&self, a: usize, b: usize) -> Option<usize> {
        let (a, b) = (self.classes.get(a)?, self.classes.get(b)?);
        a.iter().zip(b).position(|(a, b)| *a && *b)
    }
}

/// Characters among which every symbol has one, the readable ones first.
fn samples(classes: &[ClassUnicode]) -> Vec<char> {
    let readable = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain('!'..='~').chain([' ', '\t', '\n']);
    let bounds = classes.iter().flat_map(ClassUnicode::ranges).flat_map(|range| {
        // A class begins at a range's first character, and what follows the range is outside of it.
        [Some(range.start()), char::from_u32(u32::from(range.end()) + 1)].into_iter().flatten()
    });
    let mut others: Vec<char> = bounds.collect();
    others.sort_unstable();
    others.dedup();
    readable.chain(others).collect()
}

fn contains(class: &ClassUnicode, character: char) -> bool {
    let ranges = class.ranges();
    let after = ranges.partition_point(|range| range.start() <= character);
    after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|range| character <= range.end())
}
