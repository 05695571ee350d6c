//! Completing arguments (rung 7 of the gate): strict nulls become absent, defaults are filled, clamps are applied.
//!
//! Only what changes is rewritten; every other number and string keeps its text.

mod clamp;
mod fill;

pub use clamp::{Clamp, Clamped};

pub(super) use fill::filled_default;

use fill::Filling;

use super::edit;
use super::plan::Plan;
use crate::json::{Limits, Tape};

/// Arguments after completion.
#[derive(Debug, Clone)]
pub struct Completed {
    /// The arguments as they go on to validation.
    pub tape: Tape,
    /// Whether they differ from what came.
    pub changed: bool,
    /// JSON Pointers of what was filled in; what a default itself holds is not listed.
    pub defaulted: Vec<String>,
    /// What was clamped.
    pub clamped: Vec<Clamped>,
}

impl Completed {
    fn unchanged(tape: Tape) -> Self {
        Self { tape, changed: false, defaulted: Vec::new(), clamped: Vec::new() }
    }
}

/// Completes arguments. Text that needs no change is handed back as it came.
pub(super) fn complete(plan: &Plan, tape: Tape, clamps: &[Clamp]) -> Completed {
    if !tape.has_null() && !plan.has_default() && clamps.is_empty() {
        return Completed::unchanged(tape);
    }
    let mut filling = Filling::of_arguments(plan, clamps);
    filling.walk(tape.root(), &plan.root(), &mut String::new());
    let Filling { edits, defaulted, clamped, .. } = filling;
    if edits.is_empty() {
        return Completed::unchanged(tape);
    }
    // Limits were checked when the text came; what a schema's author adds to it is bounded by `fill`.
    match Tape::parse(edit::apply(tape.text(), edits), &Limits::widest()) {
        Ok(tape) => Completed { tape, changed: true, defaulted, clamped },
        Err(_) => Completed::unchanged(tape),
    }
}
