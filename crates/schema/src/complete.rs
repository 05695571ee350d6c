//! Completing arguments (rung 7 of the gate): strict nulls become absent, defaults are filled, clamps are applied.
//!
//! Only what changes is rewritten; every other number and string keeps its text.

mod clamp;
mod doubt;
mod fill;

pub use clamp::{Clamp, Clamped};

pub(super) use clamp::clamped;
pub(super) use fill::filled_default;

use doubt::{Choices, Doubt};
use fill::Filling;

use super::Issue;
use super::plan::Plan;
use toolgate_json::Tape;

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
    pub(super) fn unchanged(tape: Tape) -> Self {
        Self { tape, changed: false, defaulted: Vec::new(), clamped: Vec::new() }
    }
}

/// How often arguments are completed anew to find out what their doubtful nulls are.
const MAX_ATTEMPTS: usize = 64;

/// Completes arguments. Text that needs no change is handed back as it came. `judge` says what is wrong with arguments;
/// it is asked only where a `null` can be read in several ways.
pub(super) fn complete(
    plan: &Plan,
    tape: Tape,
    clamps: &[Clamp],
    judge: impl Fn(&Tape) -> Result<(), Vec<Issue>>,
) -> Completed {
    if !tape.has_null() && !plan.has_default() && clamps.is_empty() {
        return Completed::unchanged(tape);
    }
    let mut choices = Choices::default();
    let (mut completed, mut doubts) = attempt(plan, &tape, clamps, &choices);
    for _ in 0..MAX_ATTEMPTS {
        if doubts.is_empty() {
            return completed.unwrap_or_else(|| Completed::unchanged(tape));
        }
        let Err(issues) = judge(completed.as_ref().map_or(&tape, |completed| &completed.tape)) else {
            return completed.unwrap_or_else(|| Completed::unchanged(tape));
        };
        if !choices.advance(&doubts, &issues) {
            break;
        }
        (completed, doubts) = attempt(plan, &tape, clamps, &choices);
    }
    // Nothing makes them valid: what is wrong is told of the likeliest reading.
    let (completed, _) = attempt(plan, &tape, clamps, &Choices::default());
    completed.unwrap_or_else(|| Completed::unchanged(tape))
}

/// The arguments completed with doubtful nulls read in one way; `None` where that changes nothing.
fn attempt(plan: &Plan, tape: &Tape, clamps: &[Clamp], choices: &Choices) -> (Option<Completed>, Vec<Doubt>) {
    completed(Filling::of_arguments(plan, clamps, choices), plan, tape)
}

/// Fills the defaults of any value; nothing else about it changes.
pub(super) fn fill(plan: &Plan, tape: Tape) -> Completed {
    if !plan.has_default() {
        return Completed::unchanged(tape);
    }
    let (completed, _) = completed(Filling::of_value(plan), plan, &tape);
    completed.unwrap_or_else(|| Completed::unchanged(tape))
}

fn completed(mut filling: Filling<'_>, plan: &Plan, tape: &Tape) -> (Option<Completed>, Vec<Doubt>) {
    filling.walk(tape.root(), &plan.root(), &mut String::new());
    let Filling { edits, defaulted, clamped, doubts, .. } = filling;
    if edits.is_empty() {
        return (None, doubts);
    }
    // Limits were checked when the text came; what a schema's author adds to it is bounded by `fill`.
    let completed = tape.edited(edits);
    (completed.map(|tape| Completed { tape, changed: true, defaulted, clamped }), doubts)
}
