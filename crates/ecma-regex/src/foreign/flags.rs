//! Flags inside a pattern, `(?i)` and `(?s:…)`, written out: ECMAScript before 2025 has none.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::NoForm;

/// The flags that hold at a place of the pattern.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    pub(super) ignores_case: bool,
    is_multiline: bool,
    dot_is_all: bool,
}

pub(super) const NO_FLAG: NoForm =
    "JavaScript has no flags inside a pattern: write out what they mean, such as `[Aa]` for `(?i)a`";

impl Flags {
    /// The flags after `letters`, such as `i` or `s-i`.
    pub(super) fn changed(mut self, letters: &str) -> Result<Self, NoForm> {
        let mut is_on = true;
        for letter in letters.chars() {
            match letter {
                '-' => is_on = false,
                'i' => self.ignores_case = is_on,
                'm' => self.is_multiline = is_on,
                's' => self.dot_is_all = is_on,
                // Unicode, which the flag `u` is too, and ASCII classes, which are ECMAScript's.
                'u' | 'a' if is_on => {}
                _ => return Err(NO_FLAG),
            }
        }
        Ok(self)
    }

    pub(super) const fn dot(self) -> &'static str {
        if self.dot_is_all { "[^]" } else { "." }
    }

    pub(super) const fn line_start(self) -> &'static str {
        if self.is_multiline { "(?<![^\\n])" } else { "^" }
    }

    pub(super) const fn line_end(self) -> &'static str {
        if self.is_multiline { "(?![^\\n])" } else { "$" }
    }

    /// A character that stands for itself outside a class.
    pub(super) fn literal(self, character: char) -> String {
        let others = self.other_cases(character, character);
        if others.is_empty() { escaped(character) } else { format!("[{}{others}]", escaped(character)) }
    }

    /// The other cases of a range of characters, as items of a class. Those of ASCII are ASCII: `ſ` is no `s`.
    pub(super) fn other_cases(self, from: char, to: char) -> String {
        if !self.ignores_case || from > to {
            return String::new();
        }
        let own = ClassUnicode::new([ClassUnicodeRange::new(from, to)]);
        let mut others = own.clone();
        if others.try_case_fold_simple().is_err() {
            return String::new();
        }
        others.difference(&own);
        if to.is_ascii() {
            others.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7f')]));
        }
        others.iter().map(|range| class_range(range.start(), range.end())).collect()
    }
}

/// A range of characters as items of a class.
fn class_range(from: char, to: char) -> String {
    match (from, to) {
        _ if from == to => escaped(from),
        _ => format!("{}-{}", escaped(from), escaped(to)),
    }
}

/// A character that stands for itself, in a class and outside: with a backslash if it needs one.
pub(super) fn escaped(character: char) -> String {
    if "^$\\.*+?()[]{}|".contains(character) { format!("\\{character}") } else { character.to_string() }
}
