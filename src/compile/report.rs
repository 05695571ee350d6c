//! What a build found: the report that people read in a terminal and machines read as JSON.
//!
//! Findings are collected here and nowhere printed; a rule only says what is wrong, where, and what would be right.

use std::fmt::Write as _;

use serde::Serialize;

use super::source::Place;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The tool set is not written.
    Error,
    /// The tool set is written; the finding can be acknowledged with its code in `lintAccepted`.
    Warning,
}

impl Severity {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Stable name of the rule.
    pub code: &'static str,
    /// Whether it fails the build.
    pub severity: Severity,
    /// Relative to the parent of the tools folder, with forward slashes: `tools/kb_search/schema.json`.
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, counted in Unicode scalar values.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
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
}

impl BuildReport {
    /// How many findings have this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|found| found.severity == severity).count()
    }
}

/// Collects findings.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Diagnostic>);

impl Findings {
    pub(super) fn error(&mut self, code: &'static str, at: Place, message: impl Into<String>, help: impl Into<String>) {
        self.push(code, Severity::Error, at, message.into(), help.into());
    }

    pub(super) fn warning(
        &mut self,
        code: &'static str,
        at: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(code, Severity::Warning, at, message.into(), help.into());
    }

    fn push(&mut self, code: &'static str, severity: Severity, at: Place, message: String, help: String) {
        let Place { file, line, column } = at;
        self.0.push(Diagnostic { code, severity, file, line, column, message, help });
    }

    /// Takes over another collection, without the warnings that `accepted` names.
    pub(super) fn absorb(&mut self, other: Self, accepted: &[String]) {
        let acknowledged =
            |found: &Diagnostic| found.severity == Severity::Warning && accepted.iter().any(|code| code == found.code);
        self.0.extend(other.0.into_iter().filter(|found| !acknowledged(found)));
    }

    pub(super) fn has_errors(&self) -> bool {
        self.0.iter().any(|found| found.severity == Severity::Error)
    }

    pub(super) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.0.sort_by(|a, b| {
            (&a.file, a.line, a.column, a.severity, a.code, &a.message)
                .cmp(&(&b.file, b.line, b.column, b.severity, b.code, &b.message))
        });
        self.0.dedup();
        self.0
    }
}

/// The report as text for a terminal, without colour.
///
/// Each finding is `error[code] file:line:column`, what is wrong, and what would be right; the last line says what
/// became of the build.
#[must_use]
pub fn format_report(report: &BuildReport) -> String {
    let mut text = String::new();
    for found in &report.diagnostics {
        let Diagnostic { code, severity, file, line, column, message, help } = found;
        // Writing into a String can't fail.
        let _ = writeln!(text, "{}[{code}] {file}:{line}:{column}", severity.as_str());
        for line in message.lines() {
            let _ = writeln!(text, "  {line}");
        }
        for line in help.lines() {
            let _ = writeln!(text, "  help: {line}");
        }
        text.push('\n');
    }
    text.push_str(&closing_line(report));
    text.push('\n');
    text
}

fn closing_line(report: &BuildReport) -> String {
    let warnings = match report.count(Severity::Warning) {
        0 => String::new(),
        count => format!(", {}", counted(count, "warning")),
    };
    match &report.version {
        Some(version) if report.ok => {
            format!("built {}, version {version}{warnings}", counted(report.tools.len(), "tool"))
        }
        _ => {
            let errors = counted(report.count(Severity::Error), "error");
            format!("{errors}{warnings}; the last good tool set is untouched")
        }
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
