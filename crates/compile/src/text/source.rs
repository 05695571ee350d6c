//! A text file of a tool, and the locations of words and JSON values in it.
//!
//! In a schema module the location of a value is that of its literal, which [`crate::literal`] finds.

use std::ops::Range;
use std::sync::Arc;

use super::escape_offsets;
use super::js_spans;
use super::json_spans::{JsonSpanIndex, ValueSpan};
use super::location::SourceLocation;
use toolgate_json::pointer;

/// U+FEFF, which some editors write at the start of a file.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file's text, without a byte order mark.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    /// The name that findings show.
    pub(crate) label: String,
    pub(crate) text: Arc<str>,
    /// Whether the file begins with a byte order mark, as editors on Windows write it. Guides and handlers may have
    /// one: Markdown and JavaScript ignore it.
    pub(crate) has_bom: bool,
    json_origin: JsonOrigin,
    spans: JsonSpanIndex,
}

/// How a file contains a JSON value.
#[derive(Debug, Clone, Copy)]
enum JsonOrigin {
    /// As its text, if the file is JSON.
    Text,
    /// As the default export of a JavaScript module.
    DefaultExport,
}

impl SourceFile {
    pub(crate) fn new(label: String, text: &str) -> Self {
        Self::with_origin(label, text, JsonOrigin::Text)
    }

    /// A JavaScript module whose default export is the value that JSON Pointers refer to.
    pub(crate) fn js_module(label: String, text: &str) -> Self {
        Self::with_origin(label, text, JsonOrigin::DefaultExport)
    }

    fn with_origin(label: String, text: &str, holds: JsonOrigin) -> Self {
        let unmarked = text.strip_prefix(BYTE_ORDER_MARK);
        let (text, has_mark) = (Arc::from(unmarked.unwrap_or(text)), unmarked.is_some());
        Self { label, text, has_bom: has_mark, json_origin: holds, spans: JsonSpanIndex::default() }
    }

    pub(crate) fn whole_file(&self) -> SourceLocation {
        SourceLocation::whole_file(self.label.clone())
    }

    /// The location of a byte range, widened to character boundaries and limited to the text.
    pub(crate) fn at_span(&self, span: Range<usize>) -> SourceLocation {
        let start = self.text.floor_char_boundary(span.start);
        let end = self.text.ceil_char_boundary(span.end).max(start);
        SourceLocation {
            file: self.label.clone(),
            source: Some(Arc::clone(&self.text)),
            span: start..end,
            pointer: None,
        }
    }

    /// The location of the word, or else of the one character, that begins at a byte offset.
    pub(crate) fn at_word(&self, offset: usize) -> SourceLocation {
        let start = self.text.floor_char_boundary(offset);
        let rest = self.text.get(start..).unwrap_or_default();
        let word = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(rest.len());
        let one = rest.chars().next().filter(|c| !c.is_control()).map_or(0, char::len_utf8);
        self.at_span(start..start + word.max(one))
    }

    /// The text from a byte offset on.
    pub(crate) fn text_from(&self, offset: usize) -> &str {
        self.text.get(self.text.floor_char_boundary(offset)..).unwrap_or_default()
    }

    /// The location of a byte range, or of the word at its start if the range is empty.
    pub(crate) fn at_span_or_word(&self, span: Range<usize>) -> SourceLocation {
        if span.is_empty() { self.at_word(span.start) } else { self.at_span(span) }
    }

    /// The location of a JSON parser's error, whose column counts bytes.
    pub(crate) fn at_json_error(&self, error: &serde_json::Error) -> SourceLocation {
        self.at_json_error_within(&(0..self.text.len()), error)
    }

    /// The location of the value at a JSON Pointer, or of its nearest existing ancestor.
    pub(crate) fn at_value(&self, pointer: &str) -> SourceLocation {
        self.at_pointer(self.value_span(pointer).value, pointer)
    }

    /// The location of the member's name at a JSON Pointer, or of the value if it has no name.
    pub(crate) fn at_key(&self, pointer: &str) -> SourceLocation {
        let spot = self.value_span(pointer);
        self.at_pointer(spot.key.unwrap_or(spot.value), pointer)
    }

    /// The location of the value at a JSON Pointer in the JSON text at `within`.
    pub(crate) fn at_value_within(&self, within: &Range<usize>, pointer: &str) -> SourceLocation {
        let inner = self.text.get(within.clone()).unwrap_or_default();
        let value = JsonSpanIndex::default().locate(inner, pointer).value;
        self.at_span(within.start + value.start..within.start + value.end)
    }

    /// The location of a JSON parser's error in the JSON text at `within`.
    pub(crate) fn at_json_error_within(&self, within: &Range<usize>, error: &serde_json::Error) -> SourceLocation {
        let inner = self.text.get(within.clone()).unwrap_or_default();
        let start: usize = inner.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        self.at_word(within.start + start + error.column().saturating_sub(1))
    }

    fn value_span(&self, pointer: &str) -> ValueSpan {
        match self.json_origin {
            JsonOrigin::Text => self.spans.locate(&self.text, pointer),
            JsonOrigin::DefaultExport => js_spans::locate(&self.text, pointer),
        }
    }

    /// The location of a JavaScript position: a 1-based line, and a 1-based column in UTF-16 code units.
    pub(crate) fn at_utf16(&self, line: u32, column: u32) -> SourceLocation {
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

    /// The location of a byte range of the decoded text of the JSON string at `string`.
    pub(crate) fn at_string_part(&self, string: SourceLocation, part: &Range<usize>) -> SourceLocation {
        let written = self.text.get(string.span.clone());
        // The escapes of JavaScript strings are not mapped.
        let (JsonOrigin::Text, Some(written)) = (self.json_origin, written) else { return string };
        let part = escape_offsets::span_in_json_string(written, part);
        let start = string.span.start;
        SourceLocation { pointer: string.pointer, ..self.at_span(start + part.start..start + part.end) }
    }

    fn at_pointer(&self, span: Range<usize>, pointer: &str) -> SourceLocation {
        SourceLocation { pointer: Some(pointer.to_owned()), ..self.at_span(span) }
    }
}

/// The text with LF line endings, so that it does not depend on the system that checked it out.
pub(crate) fn normalize_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The JSON Pointer of a path of names.
pub(crate) fn pointer_from_names(names: &[&str]) -> String {
    names.iter().fold(String::new(), |mut pointer, name| {
        pointer::push(&mut pointer, name);
        pointer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, pointer: &str, of: fn(&SourceFile, &str) -> SourceLocation) -> (u32, u32) {
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
        let file = SourceFile::js_module("x".into(), "a\n😀é = broken\n");
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
