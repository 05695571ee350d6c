//! The fast path: compact rules for common keywords, which recognize most valid values in one walk over their tape.
//!
//! Returns valid ([`Valid`]) or undetermined, never invalid; for arguments, also the missing defaults. The validator
//! checks undetermined values, and only the validator lists errors. A completely supported schema needs no validator
//! before the first undetermined value.

mod build;
mod check;
mod fill;
mod keywords;
mod object;
mod rules;
#[cfg(test)]
mod tests;

use rules::{Rule, RuleId};

use crate::undecided_part::UndecidedPart;
use toolgate_json::Tape;

/// The result that a value is certainly valid. There is no invalid result: its absence means undetermined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Valid;

/// Arguments whose validity is undetermined.
#[derive(Debug)]
pub(super) struct Undetermined {
    pub(super) tape: Tape,
    /// Their undetermined part, if the rest is valid however the part is completed.
    pub(super) part: Option<UndecidedPart>,
}

/// The supported part of a schema document.
#[derive(Debug)]
pub(super) struct FastPath {
    rules: Box<[Rule]>,
    is_whole: bool,
}

/// The root rule of every document.
const ROOT: RuleId = 0;

impl FastPath {
    /// Whether the whole document is supported: then the validator certainly compiles it.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.rules.get(id as usize)
    }
}
