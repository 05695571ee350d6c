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

/// A text without its middle where that is longer than anybody reads: findings quote what they are about, and that may
/// be a whole file. What is wrong with it is said at the end.
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
pub(super) struct Findings {
    list: Vec<Diagnostic>,
    sources: Sources,
    /// By file and code, how many there are; more than [`MOST_ALIKE`] are only counted.
    counts: BTreeMap<(String, Code), usize>,
}

/// More findings of one kind in one file than anybody goes through at once.
const MOST_ALIKE: usize = 200;

impl Findings {
    pub(super) fn add(&mut self, code: Code, at: Place, message: impl Into<String>, help: impl Into<String>) {
        let alike = self.counts.entry((at.file.clone(), code)).or_default();
        *alike += 1;
        if *alike > MOST_ALIKE {
            return;
        }
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
            message: shortened(message.into()),
            help: shortened(help.into()),
            span: at.span,
        });
        if let Some(source) = at.source {
            self.sources.insert(at.file, source);
        }
    }

    /// Takes over another collection, without the warnings that `accepted` names.
    pub(super) fn absorb(&mut self, other: Self, accepted: &[String]) {
        let acknowledged =
            |code: Code| code.severity() == Severity::Warning && accepted.iter().any(|name| name == code.as_str());
        self.list.extend(other.list.into_iter().filter(|found| !acknowledged(found.code)));
        self.sources.extend(other.sources);
        for (kind, count) in other.counts.into_iter().filter(|((_, code), _)| !acknowledged(*code)) {
            *self.counts.entry(kind).or_default() += count;
        }
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
        for ((file, code), count) in std::mem::take(&mut self.counts) {
            if let Some(more) = count.checked_sub(MOST_ALIKE).filter(|more| *more > 0) {
                let message = format!("{more} more findings of this kind in this file are not listed");
                self.add(code, Place::whole(file), message, "begin with those that are");
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
