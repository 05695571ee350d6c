//! Repair of nearly right arguments: a reading that fits the schema without adding or losing information, if there is
//! exactly one.
//!
//! Each rule is a file with a plain function that reads one value in another way. [`search`](search) applies them at the
//! places that the validator names, and accepts the result only if the whole schema does. [`text`](text) repairs texts
//! that are not JSON, or that encode the arguments twice.

mod boolean_text;
mod code_fence;
mod enum_spelling;
mod json_text;
mod null_absent;
mod number_text;
mod place;
mod reading;
mod readings;
mod search;
mod single_item;
mod text;
mod text_of_scalar;
mod trailing_comma;
mod unions;
mod work;
mod wrapped_arguments;

use serde::{Deserialize, Serialize};

use super::{ArgsSchema, Clamp, Completed, InvalidArgs, NullReading};
pub use toolgate_definition::{RepairRule, RepairRules};
use toolgate_json::{Limits, Tape};

/// A value that was read in another way than it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// JSON Pointer of the value; empty for the whole arguments and for the tool's name.
    pub path: String,
    /// The rule.
    pub rule: RepairRule,
}

impl Repaired {
    /// A repair of the call as a whole.
    #[must_use]
    pub const fn whole(rule: RepairRule) -> Self {
        Self { path: String::new(), rule }
    }
}

/// How arguments are completed, and what may be repaired in them.
#[derive(Debug, Clone, Copy)]
pub struct RepairSettings<'s> {
    /// The clamps.
    pub clamps: &'s [Clamp],
    /// The reading of nulls.
    pub nulls: NullReading,
    /// The allowed rules.
    pub rules: RepairRules,
    /// The largest nesting depth.
    pub max_depth: u32,
}

/// Arguments after their repair.
#[derive(Debug)]
pub struct RepairedArgs {
    /// The arguments as sent, with the repaired values.
    pub tape: Tape,
    /// The same, completed.
    pub completed: Completed,
    /// What was repaired, in the order of the repairs.
    pub repaired: Vec<Repaired>,
}

impl ArgsSchema {
    /// The arguments that a text stands for if it is no JSON object: in a code fence, with trailing commas, or encoded
    /// twice. The caller still has to validate them. `None` if it can't be repaired; a text that is encoded twice can't if
    /// the schema has sensitive values, because it counts as one.
    #[must_use]
    pub fn repair_text(&self, text: &str, limits: &Limits) -> Option<(Tape, Vec<Repaired>)> {
        let (tape, repaired) = text::repair(text, limits)?;
        let is_text_of_sensitive =
            self.has_sensitive() && repaired.iter().any(|repaired| repaired.rule == RepairRule::JsonText);
        (!is_text_of_sensitive).then_some((tape, repaired))
    }

    /// Repairs arguments that are not valid. `None` unless exactly one reading of them fits the schema: the refusal stands.
    ///
    /// Values under `x-sensitive`, and values that may hold one, are never repaired.
    #[must_use]
    pub fn repair(&self, invalid: InvalidArgs, settings: &RepairSettings<'_>) -> Option<RepairedArgs> {
        if settings.rules.is_empty() {
            return None;
        }
        let (tape, repaired) = search::repair(self, invalid, settings)?;
        if !repaired.iter().all(|repaired| settings.rules.contains(repaired.rule)) || tape.depth() > settings.max_depth
        {
            return None;
        }
        let completed = self.check(tape.clone(), settings.clamps, settings.nulls).ok()?;
        Some(RepairedArgs { tape, completed, repaired })
    }
}

#[cfg(test)]
mod tests;
