//! The tape itself: a text and where its values stand in it.

use super::entry::{Entry, Tag};
use super::limits::Limits;
use super::parse::{self, Parsed};
use super::{Node, ParseError, unique};

/// A parsed JSON text. No object on it holds a key twice.
#[derive(Debug, Clone)]
pub struct Tape {
    text: String,
    entries: Vec<Entry>,
    has_null: bool,
    depth: u32,
}

impl Default for Tape {
    /// The tape of `null`.
    fn default() -> Self {
        Self { text: "null".to_owned(), entries: vec![Entry::new(Tag::Null, 0, 4, 1)], has_null: true, depth: 0 }
    }
}

impl Tape {
    /// Parses a text, taking exactly what `JSON.parse` takes (RFC 8259) within the limits.
    ///
    /// Of a key that is there twice the last value counts, at the place of the first, as in `JSON.parse`; the text is
    /// then rewritten without the others (and without white space).
    ///
    /// # Errors
    /// Where the text is not JSON, is too long or too deeply nested, or holds what [`Limits`] refuse or a number that no
    /// double can hold.
    pub fn parse(text: impl Into<String>, limits: &Limits) -> Result<Self, ParseError> {
        let (tape, has_duplicates) = Self::parse_once(text.into(), limits)?;
        if has_duplicates {
            let unique = unique::without_duplicates(&tape);
            return Ok(Self::parse_once(unique, limits)?.0);
        }
        Ok(tape)
    }

    fn parse_once(text: String, limits: &Limits) -> Result<(Self, bool), ParseError> {
        let parsed = parse::parse(&text, limits)?;
        let Parsed { entries, has_duplicates, has_null, depth } = parsed;
        Ok((Self { text, entries, has_null, depth }, has_duplicates))
    }

    pub(super) const fn from_parts(text: String, entries: Vec<Entry>, has_null: bool, depth: u32) -> Self {
        Self { text, entries, has_null, depth }
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How deep arrays and objects are nested; 0 for a scalar.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether there is a `null` anywhere.
    pub const fn has_null(&self) -> bool {
        self.has_null
    }

    /// The text, as it came or as it was rewritten.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, without the tape.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// The value that the text stands for.
    #[must_use]
    pub const fn root(&self) -> Node<'_> {
        Node::new(self, 0)
    }

    pub(super) fn entry(&self, index: u32) -> Entry {
        self.entries.get(index as usize).copied().unwrap_or(Entry::NULL)
    }

    /// The bytes from `start` to `end`, which stand at character boundaries on every tape that was parsed.
    pub(super) fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}
