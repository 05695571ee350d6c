//! A text file of a tool with the places in it: where a word, or a JSON value, stands.
//!
//! In a module that gives the JSON, a value stands where its literal does; [`super::literal`] finds it.

use std::ops::Range;
use std::sync::Arc;

use super::escapes;
use super::literal;
use super::place::Place;
use super::spots::{Spot, Spots};
use toolgate_json::pointer;

/// What some editors begin a file with.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file's text, without a byte order mark.
#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    /// The name that findings show.
    pub(super) label: String,
    pub(super) text: Arc<str>,
    /// Whether the file itself begins with a byte order mark. Guides and handlers may: editors of Windows write it, and
    /// Markdown and JavaScript pass over it.
    pub(super) has_mark: bool,
    holds: Holds,
    spots: Spots,
}

/// How a file holds a JSON value.
#[derive(Debug, Clone, Copy)]
enum Holds {
    /// As its text, where it holds one.
    Text,
    /// As the default export of a JavaScript module.
    Export,
}

impl SourceFile {
    pub(super) fn new(label: String, text: &str) -> Self {
        Self::holding(label, text, Holds::Text)
    }

    /// A JavaScript module whose default export is the value that pointers lead into.
    pub(super) fn module(label: String, text: &str) -> Self {
        Self::holding(label, text, Holds::Export)
    }

    fn holding(label: String, text: &str, holds: Holds) -> Self {
        let unmarked = text.strip_prefix(BYTE_ORDER_MARK);
        let (text, has_mark) = (Arc::from(unmarked.unwrap_or(text)), unmarked.is_some());
        Self { label, text, has_mark, holds, spots: Spots::default() }
    }

    pub(super) fn whole(&self) -> Place {
        Place::whole(self.label.clone())
    }

    /// The place of a range of bytes; what is past the end, or inside a character, is moved before it.
    pub(super) fn at(&self, span: Range<usize>) -> Place {
        let start = self.text.floor_char_boundary(span.start);
        let end = self.text.ceil_char_boundary(span.end).max(start);
        Place { file: self.label.clone(), source: Some(Arc::clone(&self.text)), span: start..end, pointer: None }
    }

    /// The place of the word, or else the one character, that begins at a byte offset.
    pub(super) fn at_word(&self, offset: usize) -> Place {
        let start = self.text.floor_char_boundary(offset);
        let rest = self.text.get(start..).unwrap_or_default();
        let word = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(rest.len());
        let one = rest.chars().next().filter(|c| !c.is_control()).map_or(0, char::len_utf8);
        self.at(start..start + word.max(one))
    }

    /// The place of a range of bytes, or of the word at its beginning where it is empty.
    pub(super) fn at_span_or_word(&self, span: Range<usize>) -> Place {
        if span.is_empty() { self.at_word(span.start) } else { self.at(span) }
    }

    /// The place that a JSON parser's error names; its column counts bytes.
    pub(super) fn at_json_error(&self, error: &serde_json::Error) -> Place {
        self.at_json_error_within(&(0..self.text.len()), error)
    }

    /// The place of the value at a JSON Pointer, or of the nearest value above it that exists.
    pub(super) fn at_value(&self, pointer: &str) -> Place {
        self.at_pointer(self.spot(pointer).value, pointer)
    }

    /// The place of the member's name at a JSON Pointer, or of the value where it has none.
    pub(super) fn at_key(&self, pointer: &str) -> Place {
        let spot = self.spot(pointer);
        self.at_pointer(spot.key.unwrap_or(spot.value), pointer)
    }

    /// The place of the value at a JSON Pointer in the JSON that stands at `within`.
    pub(super) fn at_value_within(&self, within: &Range<usize>, pointer: &str) -> Place {
        let inner = self.text.get(within.clone()).unwrap_or_default();
        let value = Spots::default().locate(inner, pointer).value;
        self.at(within.start + value.start..within.start + value.end)
    }

    /// The place that a JSON parser's error names, of JSON that stands at `within`.
    pub(super) fn at_json_error_within(&self, within: &Range<usize>, error: &serde_json::Error) -> Place {
        let inner = self.text.get(within.clone()).unwrap_or_default();
        let start: usize = inner.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        self.at_word(within.start + start + error.column().saturating_sub(1))
    }

    fn spot(&self, pointer: &str) -> Spot {
        match self.holds {
            Holds::Text => self.spots.locate(&self.text, pointer),
            Holds::Export => literal::locate(&self.text, pointer),
        }
    }

    /// The place that JavaScript names: a 1-based line, and a 1-based column in UTF-16 code units.
    pub(super) fn at_utf16(&self, line: u32, column: u32) -> Place {
        let start: usize = self.text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
        let rest = self.text.get(start..).unwrap_or_default();
        let mut units = column.saturating_sub(1) as usize;
        let before = rest.chars().take_while(|c| *c != '\n').take_while(|c| {
            let fits = units >= c.len_utf16();
            units = units.saturating_sub(c.len_utf16());
            fits
        });
        self.at_word(start + before.map(char::len_utf8).sum::<usize>())
    }

    /// The place of a range of bytes of the text that the JSON string at a place is written for.
    pub(super) fn at_part(&self, string: Place, part: &Range<usize>) -> Place {
        let written = self.text.get(string.span.clone());
        // How a module writes a text is JavaScript's business.
        let (Holds::Text, Some(written)) = (self.holds, written) else { return string };
        let part = escapes::written(written, part);
        let start = string.span.start;
        Place { pointer: string.pointer, ..self.at(start + part.start..start + part.end) }
    }

    fn at_pointer(&self, span: Range<usize>, pointer: &str) -> Place {
        Place { pointer: Some(pointer.to_owned()), ..self.at(span) }
    }
}

/// The text with every line ending as LF, so that it reads the same whichever system checked it out.
pub(super) fn normalize_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Names as a JSON Pointer.
pub(super) fn pointer(names: &[&str]) -> String {
    names.iter().fold(String::new(), |mut pointer, name| {
        pointer::push(&mut pointer, name);
        pointer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, pointer: &str, of: fn(&SourceFile, &str) -> Place) -> (u32, u32) {
        let start = of(&SourceFile::new("x".into(), text), pointer).start();
        (start.line, start.column)
    }

    #[test]
    fn members_and_items_are_found_by_pointer() {
        let text = "\u{feff}\n{ \"\\u0061\": 1,\n  \"é/\": [ {}, { \"x\": 2 } ] }";
        assert_eq!(place(text, "", SourceFile::at_value), (2, 1));
        assert_eq!(place(text, "/a", SourceFile::at_key), (2, 3));
        assert_eq!(place(text, "/a", SourceFile::at_value), (2, 13));
        assert_eq!(place(text, "/é~1/1/x", SourceFile::at_key), (3, 17));
        assert_eq!(place(text, "/é~1/1/x", SourceFile::at_value), (3, 22));
    }

    #[test]
    fn what_is_absent_stands_at_what_is_there() {
        assert_eq!(place("{\n \"a\": {} }", "/a/b/c", SourceFile::at_value), (2, 7));
        assert_eq!(place("[1]", "/7", SourceFile::at_key), (1, 1));
    }

    #[test]
    fn columns_of_javascript_count_utf16() {
        let file = SourceFile::module("x".into(), "a\n😀é = broken\n");
        let start = |line, column| {
            let start = file.at_utf16(line, column).start();
            (start.line, start.column)
        };
        assert_eq!(start(2, 7), (2, 6), "the emoji is two units");
        assert_eq!(start(1, 1), (1, 1));
        assert_eq!(start(1, 99), (1, 2), "past the line's end");
        assert_eq!(start(99, 1), (3, 1), "past the last line");
    }
}
