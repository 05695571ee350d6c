//! The quick check: what most schemas say, compact, so that most values are told valid in one walk over their tape.
//!
//! It knows one answer, that a value is certainly valid ([`Valid`]), and for arguments what completing them takes. Whatever
//! it cannot say is the validator's to judge, and only the validator tells what is wrong. A schema that it understands as a
//! whole needs no validator until a value comes that it can't tell.

mod build;
mod check;
mod fill;
mod keywords;
mod object;
mod plain;
mod rules;
#[cfg(test)]
mod tests;

use rules::{Rule, RuleId};

use super::proven::Proven;
use toolgate_json::Tape;

/// That a value is valid. There is no opposite: whoever can't give it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Valid;

/// Arguments of which is not known that they are valid, and what is known of them.
#[derive(Debug)]
pub(super) struct Untold {
    pub(super) tape: Tape,
    /// Of a plain schema ([`Quick::is_plain`]): what is valid of them, complete or not.
    pub(super) proven: Proven,
    /// Whether all that stood in the way was a default that is missing.
    pub(super) lacks_default: bool,
}

/// A schema document, as far as it is understood.
#[derive(Debug)]
pub(super) struct Quick {
    rules: Box<[Rule]>,
    is_whole: bool,
    is_plain: bool,
}

/// The root of every document.
const ROOT: RuleId = 0;

impl Quick {
    /// Whether all of the document is understood: then it is certain that the validator takes it as a schema.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether what is wrong with arguments is the same before they are complete, where nothing but defaults completes
    /// them.
    pub(super) const fn tells_as_came(&self) -> bool {
        self.is_plain
    }

    fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.rules.get(id as usize)
    }
}
