//! Where a finding points: a range of a file's text, and how people count it.

use std::ops::Range;
use std::sync::Arc;

/// Where a finding points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Relative to the parent of the tools folder, with forward slashes.
    pub(super) file: String,
    /// The file's text; absent where the finding is about the file as a whole.
    pub(super) source: Option<Arc<str>>,
    /// Bytes of `source`.
    pub(super) span: Range<usize>,
    /// JSON Pointer of the value, where the place is one of a JSON file.
    pub(super) pointer: Option<String>,
}

/// A position as people and editors count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    /// 1-based.
    pub(super) line: u32,
    /// 1-based, in Unicode scalar values.
    pub(super) column: u32,
}

impl Place {
    /// A finding about a file, or folder, as a whole.
    pub(super) fn whole(file: impl Into<String>) -> Self {
        Self { file: file.into(), source: None, span: 0..0, pointer: None }
    }

    pub(super) fn start(&self) -> Position {
        self.position(self.span.start)
    }

    /// Of the first character after the span.
    pub(super) fn end(&self) -> Position {
        self.position(self.span.end)
    }

    fn position(&self, offset: usize) -> Position {
        let text = self.source.as_deref().unwrap_or_default();
        let before = text.get(..text.floor_char_boundary(offset)).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Position { line: saturate(line), column: saturate(column) }
    }
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
