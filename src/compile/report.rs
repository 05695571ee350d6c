//! What a build found: values for machines, which [`super::render`] draws for people.
//!
//! Findings are collected here and nowhere printed; a rule only says what is wrong, where, and what would be right.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::code::{Code, Severity};
use super::place::{Place, Position};

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Stable name of the rule.
    pub code: Code,
    /// Whether it fails the build.
    pub severity: Severity,
    /// Relative to the parent of the tools folder, with forward slashes: `tools/kb_search/schema.json`.
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, counted in Unicode scalar values.
    pub column: u32,
    /// The line of the first character after the span; the same as `line` where the finding is about the whole file.
    pub end_line: u32,
    /// The column of the first character after the span.
    pub end_column: u32,
    /// JSON Pointer of the value in the file, where the finding is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
    /// The span in bytes of the source; empty for a finding about a whole file.
    #[serde(skip)]
    pub(super) span: std::ops::Range<usize>,
}

/// Everything that one build or check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BuildReport {
    /// True where there is no error; the artifact then says what the folders say.
    pub ok: bool,
    /// The tool set's version; `None` where errors kept it from being built.
    pub version: Option<String>,
    /// The ids of the tools that were built, sorted; empty where there are errors.
    pub tools: Vec<String>,
    /// Sorted by file and position.
    pub diagnostics: Vec<Diagnostic>,
    #[serde(skip)]
    pub(super) sources: Sources,
}

/// The texts of the files that findings are about, by their label.
pub(super) type Sources = BTreeMap<String, Arc<str>>;

impl BuildReport {
    /// How many findings have this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|found| found.severity == severity).count()
    }
}

/// Collects findings.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Diagnostic>,
    sources: Sources,
}

impl Findings {
    pub(super) fn add(&mut self, code: Code, at: Place, message: impl Into<String>, help: impl Into<String>) {
        let (Position { line, column }, end) = (at.start(), at.end());
        self.list.push(Diagnostic {
            code,
            severity: code.severity(),
            file: at.file.clone(),
            line,
            column,
            end_line: end.line,
            end_column: end.column,
            pointer: at.pointer,
            message: message.into(),
            help: help.into(),
            span: at.span,
        });
        if let Some(source) = at.source {
            self.sources.insert(at.file, source);
        }
    }

    /// Takes over another collection, without the warnings that `accepted` names.
    pub(super) fn absorb(&mut self, other: Self, accepted: &[String]) {
        let acknowledged = |found: &Diagnostic| {
            found.severity == Severity::Warning && accepted.iter().any(|code| code == found.code.as_str())
        };
        self.list.extend(other.list.into_iter().filter(|found| !acknowledged(found)));
        self.sources.extend(other.sources);
    }

    /// Whether there is a finding of this kind.
    pub(super) fn has(&self, code: Code) -> bool {
        self.list.iter().any(|found| found.code == code)
    }

    /// Whether there is an error in a file.
    pub(super) fn has_errors_in(&self, file: &str) -> bool {
        self.list.iter().any(|found| found.severity == Severity::Error && found.file == file)
    }

    pub(super) fn has_errors(&self) -> bool {
        self.list.iter().any(|found| found.severity == Severity::Error)
    }

    /// The findings by file and position, each once, with the sources that they are about.
    pub(super) fn into_sorted(mut self) -> (Vec<Diagnostic>, Sources) {
        self.list.sort_by(|a, b| {
            (&a.file, a.line, a.column, a.severity, a.code, &a.message)
                .cmp(&(&b.file, b.line, b.column, b.severity, b.code, &b.message))
        });
        self.list.dedup();
        (self.list, self.sources)
    }
}
