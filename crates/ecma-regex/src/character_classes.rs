//! The sets of characters that the terms of a pattern match, as ECMAScript defines them for the flag `u`.

use oxc_regular_expression::ast::{
    CharacterClass, CharacterClassContents, CharacterClassContentsKind, CharacterClassEscapeKind, UnicodePropertyEscape,
};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// One code point. Empty for a lone surrogate, which no text contains.
pub(super) fn single_character(value: u32) -> ClassUnicode {
    character_range(value, value)
}

/// The code points of a range, without surrogates.
fn character_range(from: u32, to: u32) -> ClassUnicode {
    let from = if (FIRST_SURROGATE..=LAST_SURROGATE).contains(&from) { LAST_SURROGATE + 1 } else { from };
    let to = if (FIRST_SURROGATE..=LAST_SURROGATE).contains(&to) { FIRST_SURROGATE - 1 } else { to };
    match (char::from_u32(from), char::from_u32(to)) {
        (Some(from), Some(to)) if from <= to => from_ranges(&[(from, to)]),
        _ => ClassUnicode::empty(),
    }
}

const FIRST_SURROGATE: u32 = 0xd800;
const LAST_SURROGATE: u32 = 0xdfff;

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

/// Whether a character is in [`word`].
pub(super) fn is_word_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// `\d`, `\s`, `\w` and their negations.
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
    let class = match (&*escape.name, escape.value.as_deref()) {
        // No text contains a surrogate.
        ("General_Category" | "gc", Some("Cs" | "Surrogate")) => ClassUnicode::empty(),
        (name, _) => known_property(&format!("{name}{value}"))?,
    };
    Some(if escape.negative { negated(class) } else { class })
}

fn known_property(name: &str) -> Option<ClassUnicode> {
    match regex_syntax::parse(&format!(r"\p{{{name}}}")).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        // A property of one character.
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(from_ranges(&text.chars().map(|character| (character, character)).collect::<Vec<_>>()))
        }
        _ => None,
    }
}

/// `[…]`. `None` if the class contains strings of several characters, or such a property.
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
        CharacterClassContents::CharacterClassRange(bounds) => {
            Some(character_range(bounds.min.value, bounds.max.value))
        }
        CharacterClassContents::CharacterClassEscape(found) => Some(class_escape(found.kind)),
        CharacterClassContents::UnicodePropertyEscape(found) => unicode_property(found),
        CharacterClassContents::Character(character) => Some(single_character(character.value)),
        CharacterClassContents::NestedCharacterClass(nested) => bracketed(nested),
        CharacterClassContents::ClassStringDisjunction(_) => None,
    }
}
