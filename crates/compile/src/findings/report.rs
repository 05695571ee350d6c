//! The findings of a build as data. Collected here, never printed; [`super::render`] renders them for a terminal.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::code::{Code, Severity};
use crate::text::location::{LineColumn, SourceLocation};

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Stable name of the finding.
    pub code: Code,
    /// Whether the finding fails the build.
    pub severity: Severity,
    /// Relative to the parent of the tools folder, with forward slashes: `tools/kb_search/schema.json`.
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, counted in Unicode scalar values.
    pub column: u32,
    /// The line of the first character after the span; equals `line` if the finding is about the whole file.
    pub end_line: u32,
    /// The column of the first character after the span.
    pub end_column: u32,
    /// JSON Pointer of the value in the file, if the finding is about a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
    /// The span in bytes of the source; empty for a finding about a whole file.
    #[serde(skip)]
    pub(crate) span: std::ops::Range<usize>,
}

/// The findings and the result of one build or check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BuildReport {
    /// True if there is no error; the artifact then matches the folders.
    pub ok: bool,
    /// The tool set's version; `None` if there are errors.
    pub version: Option<String>,
    /// The ids of the built tools, sorted; empty if there are errors.
    pub tools: Vec<String>,
    /// Sorted by file and position.
    pub diagnostics: Vec<Diagnostic>,
    #[serde(skip)]
    pub(crate) sources: Sources,
}

/// The texts of the files that findings are about, by their label.
pub(crate) type Sources = BTreeMap<String, Arc<str>>;

impl BuildReport {
    /// The number of findings of a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|found| found.severity == severity).count()
    }
}

/// A text without its middle if it is too long to read: findings quote their subject, which may be a whole file. The
/// end is kept because it contains the fault.
fn shortened(text: String) -> String {
    const BEFORE: usize = 600;
    const AFTER: usize = 300;
    if text.len() <= BEFORE + AFTER {
        return text;
    }
    let (before, after) = (text.floor_char_boundary(BEFORE), text.ceil_char_boundary(text.len() - AFTER));
    let part = |range| text.get(range).unwrap_or_default();
    format!("{} […] {}", part(0..before), part(after..text.len()))
}

/// Collects findings.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Diagnostic>,
    sources: Sources,
    /// The number of findings by file and code; findings beyond [`MOST_ALIKE`] are only counted.
    counts: BTreeMap<(String, Code), usize>,
}

/// Listed findings of one code in one file.
const MAX_PER_FILE_AND_CODE: usize = 200;

impl Findings {
    pub(crate) fn add(&mut self, code: Code, at: SourceLocation, message: impl Into<String>, help: impl Into<String>) {
        let alike = self.counts.entry((at.file.clone(), code)).or_default();
        *alike += 1;
        if *alike > MAX_PER_FILE_AND_CODE {
            return;
        }
        let (LineColumn { line, column }, end) = (at.start(), at.end());
        self.list.push(Diagnostic {
            code,
            severity: code.severity(),
            file: at.file.clone(),
            line,
            column,
            end_line: end.line,
            end_column: end.column,
            pointer: at.pointer,
            message: shortened(message.into()),
            help: shortened(help.into()),
            span: at.span,
        });
        if let Some(source) = at.source {
            self.sources.insert(at.file, source);
        }
    }

    /// Merges another collection, without the warnings whose code is in `accepted`.
    pub(crate) fn merge_unaccepted(&mut self, other: Self, accepted: &[String]) {
        let acknowledged =
            |code: Code| code.severity() == Severity::Warning && accepted.iter().any(|name| name == code.as_str());
        self.list.extend(other.list.into_iter().filter(|found| !acknowledged(found.code)));
        self.sources.extend(other.sources);
        for (kind, count) in other.counts.into_iter().filter(|((_, code), _)| !acknowledged(*code)) {
            *self.counts.entry(kind).or_default() += count;
        }
    }

    /// Whether there is a finding with this code.
    pub(crate) fn has_code(&self, code: Code) -> bool {
        self.list.iter().any(|found| found.code == code)
    }

    /// Whether there is an error in a file.
    pub(crate) fn has_errors_in(&self, file: &str) -> bool {
        self.list.iter().any(|found| found.severity == Severity::Error && found.file == file)
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.list.iter().any(|found| found.severity == Severity::Error)
    }

    /// The findings sorted by file and position, without duplicates, and the source texts of their files.
    pub(crate) fn into_sorted(mut self) -> (Vec<Diagnostic>, Sources) {
        for ((file, code), count) in std::mem::take(&mut self.counts) {
            if let Some(more) = count.checked_sub(MAX_PER_FILE_AND_CODE).filter(|more| *more > 0) {
                let message = format!("{more} more findings with this code in this file are not listed");
                self.add(code, SourceLocation::whole_file(file), message, "correct the listed ones first");
            }
        }
        self.list.sort_by(|a, b| {
            (&a.file, a.line, a.column, a.severity, a.code, &a.message)
                .cmp(&(&b.file, b.line, b.column, b.severity, b.code, &b.message))
        });
        self.list.dedup();
        (self.list, self.sources)
    }
}
