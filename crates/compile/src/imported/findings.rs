//! Findings about an imported definition: as in a build, but without a file, and with fewer errors.

use serde::Serialize;

use crate::findings::code::{Code, Severity};
use crate::findings::report::Diagnostic;

/// One finding about a definition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFinding {
    /// An error if the tool can't be declared.
    pub severity: Severity,
    /// JSON Pointer into the imported definition.
    pub pointer: String,
    /// Stable name of the rule, as in a build.
    pub code: Code,
    /// The problem.
    pub message: String,
    /// The fix.
    pub help: String,
}

/// A collector of findings.
#[derive(Debug, Default)]
pub(super) struct ToolFindings(Vec<ToolFinding>);

impl ToolFindings {
    pub(super) fn error(&mut self, code: Code, pointer: String, message: impl Into<String>, help: impl Into<String>) {
        self.add(code, Severity::Error, pointer, message.into(), help.into());
    }

    pub(super) fn warning(&mut self, code: Code, pointer: String, message: impl Into<String>, help: impl Into<String>) {
        self.add(code, Severity::Warning, pointer, message.into(), help.into());
    }

    fn add(&mut self, code: Code, severity: Severity, pointer: String, message: String, help: String) {
        self.0.push(ToolFinding { severity, pointer, code, message, help });
    }

    /// Adds a finding of a build rule, at the pointer into the definition.
    pub(super) fn add_rule_finding(&mut self, found: Diagnostic, pointer: String) {
        let severity = imported_severity(found.code);
        let left_out = if is_removed(found.code) { "; it is left out" } else { "" };
        let message = format!("{}{left_out}", found.message);
        self.add(found.code, severity, pointer, message, found.help);
    }

    pub(super) fn has_errors(&self) -> bool {
        self.0.iter().any(|found| found.severity == Severity::Error)
    }

    /// Adds the findings of an optional part as warnings.
    pub(super) fn add_as_warnings(&mut self, other: Self) {
        self.0.extend(other.0.into_iter().map(|found| ToolFinding { severity: Severity::Warning, ..found }));
    }

    pub(super) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Errors first, then by pointer.
    pub(super) fn into_sorted(mut self) -> Vec<ToolFinding> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0
    }
}

/// The severity of a rule's finding for an imported definition. Many published schemas have custom keywords, unknown
/// formats and invalid defaults: validators ignore them, so the tool works as its author expects without them. A tool checks
/// a pattern that the gate can't match by itself. Any other finding is what it is in a build, so that what is accepted here
/// builds as a folder, too.
const fn imported_severity(code: Code) -> Severity {
    match code {
        Code::BadRegex => Severity::Warning,
        code if is_removed(code) => Severity::Warning,
        code => code.severity(),
    }
}

/// Whether the part with this finding is removed from the schema: it has no effect or is invalid.
pub(super) const fn is_removed(code: Code) -> bool {
    matches!(code, Code::UnknownKeyword | Code::UnknownFormat | Code::BadDefault | Code::BadExample)
}
