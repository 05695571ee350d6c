//! What is wrong with a definition: as in a build, but it has no file, and less of it is fatal.

use serde::Serialize;

use crate::code::{Code, Severity};
use crate::report::Diagnostic;

/// One finding about a definition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFinding {
    /// Whether the tool can't be declared.
    pub severity: Severity,
    /// JSON Pointer into the definition as it was given.
    pub pointer: String,
    /// Stable name of the rule, as in a build.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
}

/// Findings as they come.
#[derive(Debug, Default)]
pub(super) struct Found(Vec<ToolFinding>);

impl Found {
    pub(super) fn error(&mut self, code: Code, pointer: String, message: impl Into<String>, help: impl Into<String>) {
        self.add(code, Severity::Error, pointer, message.into(), help.into());
    }

    pub(super) fn warning(&mut self, code: Code, pointer: String, message: impl Into<String>, help: impl Into<String>) {
        self.add(code, Severity::Warning, pointer, message.into(), help.into());
    }

    fn add(&mut self, code: Code, severity: Severity, pointer: String, message: String, help: String) {
        self.0.push(ToolFinding { severity, pointer, code, message, help });
    }

    /// Takes over what a rule of the build found, at another place.
    pub(super) fn rule(&mut self, found: Diagnostic, pointer: String) {
        let left_out = if is_left_out(found.code) { "; it is left out" } else { "" };
        let message = format!("{}{left_out}", found.message);
        self.add(found.code, severity(found.code), pointer, message, found.help);
    }

    pub(super) fn has_errors(&self) -> bool {
        self.0.iter().any(|found| found.severity == Severity::Error)
    }

    /// Takes over findings that keep only a part from being used.
    pub(super) fn soften(&mut self, other: Self) {
        self.0.extend(other.0.into_iter().map(|found| ToolFinding { severity: Severity::Warning, ..found }));
    }

    pub(super) fn absorb(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Errors first, then by place.
    pub(super) fn into_sorted(mut self) -> Vec<ToolFinding> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0
    }
}

/// What a rule's finding means for a definition that somebody else wrote. Half of the world's schemas have words of
/// their own and defaults that do not fit: a validator passes over the first and the gate over the second, so the tool
/// works as its author knows it. What the gate can't check stays an error.
pub(super) const fn severity(code: Code) -> Severity {
    match code {
        Code::UnknownFormat | Code::RegexBacktracks => Severity::Warning,
        code if is_left_out(code) => Severity::Warning,
        code => code.severity(),
    }
}

/// What is taken out of the schema, because it says nothing that holds.
pub(super) const fn is_left_out(code: Code) -> bool {
    matches!(code, Code::UnknownKeyword | Code::BadDefault | Code::BadExample)
}
