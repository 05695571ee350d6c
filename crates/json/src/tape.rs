//! The tape: a text and the byte ranges of its values.

use super::Node;
use super::entry::{Tag, TapeEntry};

/// A parsed JSON text. No object on it has a duplicate key.
///
/// ```
/// use toolgate_json::{Limits, Tape, canonicalize};
///
/// let tape = Tape::parse(r#"{ "query": "tea", "top_k": 5 }"#, &Limits::widest()).unwrap();
/// assert_eq!(tape.root().at("/query").unwrap().as_str().unwrap(), "tea");
/// assert_eq!(tape.root().get("top_k").unwrap().raw(), "5");
/// let repeated = Tape::parse(r#"{ "a": 1, "a": 2 }"#, &Limits::widest()).unwrap();
/// assert_eq!(repeated.root().get("a").unwrap().raw(), "2", "the last one counts, as in JavaScript");
/// assert_eq!(canonicalize(r#"{ "b": 1.0, "a": "\u00e9" }"#).unwrap(), r#"{"a":"é","b":1}"#);
/// ```
#[derive(Debug, Clone)]
pub struct Tape {
    text: String,
    entries: Vec<TapeEntry>,
    has_null: bool,
    depth: u32,
}

impl Default for Tape {
    /// The tape of `null`.
    fn default() -> Self {
        Self { text: "null".to_owned(), entries: vec![TapeEntry::new(Tag::Null, 0, 4, 1)], has_null: true, depth: 0 }
    }
}

impl Tape {
    pub(super) const fn from_parts(text: String, entries: Vec<TapeEntry>, has_null: bool, depth: u32) -> Self {
        Self { text, entries, has_null, depth }
    }

    pub(super) fn entries(&self) -> &[TapeEntry] {
        &self.entries
    }

    /// The nesting depth of arrays and objects; 0 for a scalar.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether the text contains a `null`.
    #[must_use]
    pub const fn has_null(&self) -> bool {
        self.has_null
    }

    /// The text, as received or as rewritten.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text without the tape.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// The root value.
    #[must_use]
    pub const fn root(&self) -> Node<'_> {
        Node::new(self, 0)
    }

    pub(super) fn entry(&self, index: u32) -> TapeEntry {
        self.entries.get(index as usize).copied().unwrap_or(TapeEntry::NULL)
    }

    /// The text from `start` to `end`; both are character boundaries on every parsed tape.
    pub(super) fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}
