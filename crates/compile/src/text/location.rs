//! The source location of a finding: a byte range of a file's text, and its line and column.

use std::ops::Range;
use std::sync::Arc;

/// The source location of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceLocation {
    /// Relative to the parent of the tools folder, with forward slashes.
    pub(crate) file: String,
    /// The file's text; absent if the finding is about the file as a whole.
    pub(crate) source: Option<Arc<str>>,
    /// Bytes of `source`.
    pub(crate) span: Range<usize>,
    /// JSON Pointer of the value, if the location is a JSON value.
    pub(crate) pointer: Option<String>,
}

/// A position as editors count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LineColumn {
    /// 1-based.
    pub(crate) line: u32,
    /// 1-based, in Unicode scalar values.
    pub(crate) column: u32,
}

impl SourceLocation {
    /// The location of a file or folder as a whole.
    pub(crate) fn whole_file(file: impl Into<String>) -> Self {
        Self { file: file.into(), source: None, span: 0..0, pointer: None }
    }

    pub(crate) fn start(&self) -> LineColumn {
        self.position(self.span.start)
    }

    /// The position of the first character after the span.
    pub(crate) fn end(&self) -> LineColumn {
        self.position(self.span.end)
    }

    fn position(&self, offset: usize) -> LineColumn {
        let text = self.source.as_deref().unwrap_or_default();
        let before = text.get(..text.floor_char_boundary(offset)).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        LineColumn { line: saturating_u32(line), column: saturating_u32(column) }
    }
}

fn saturating_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
