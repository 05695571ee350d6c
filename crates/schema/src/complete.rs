//! Completion of arguments: strict nulls become absent, defaults are filled, clamps are applied.
//!
//! Only changed values are rewritten; every other number and string keeps its text.

mod clamp;
mod ambiguous_nulls;
mod fill;

pub use clamp::{Clamp, Clamped};

pub(super) use clamp::clamp_number;
pub(super) use fill::expand_default;

use ambiguous_nulls::{ChosenReadings, AmbiguousObject};
use fill::CompletionWalk;

use super::Issue;
use super::annotation_plan::AnnotationPlan;
use toolgate_json::Tape;

/// Arguments after completion.
#[derive(Debug, Clone)]
pub struct Completed {
    /// The completed arguments.
    pub tape: Tape,
    /// Whether completion changed them.
    pub changed: bool,
    /// JSON Pointers of the filled values; values inside a default are not listed.
    pub defaulted: Vec<String>,
    /// The clamped arguments.
    pub clamped: Vec<Clamped>,
}

impl Completed {
    pub(super) fn unchanged(tape: Tape) -> Self {
        Self { tape, changed: false, defaulted: Vec::new(), clamped: Vec::new() }
    }
}

/// The largest number of completions that try a reading of the ambiguous nulls.
const MAX_READINGS: usize = 64;

/// Completes arguments. Text that needs no change is returned unchanged. `validate` validates arguments; it is called
/// only if a `null` can be read in several ways.
pub(super) fn complete(
    plan: &AnnotationPlan,
    tape: Tape,
    clamps: &[Clamp],
    validate: impl Fn(&Tape) -> Result<(), Vec<Issue>>,
) -> Completed {
    if !tape.has_null() && !plan.has_default() && clamps.is_empty() {
        return Completed::unchanged(tape);
    }
    let mut choices = ChosenReadings::default();
    let (mut completed, mut doubts) = complete_with_readings(plan, &tape, clamps, &choices);
    for _ in 0..MAX_READINGS {
        if doubts.is_empty() {
            return completed.unwrap_or_else(|| Completed::unchanged(tape));
        }
        let Err(issues) = validate(completed.as_ref().map_or(&tape, |completed| &completed.tape)) else {
            return completed.unwrap_or_else(|| Completed::unchanged(tape));
        };
        if !choices.advance(&doubts, &issues) {
            break;
        }
        (completed, doubts) = complete_with_readings(plan, &tape, clamps, &choices);
    }
    // No reading is valid: errors are reported for the likeliest reading.
    let (completed, _) = complete_with_readings(plan, &tape, clamps, &ChosenReadings::default());
    completed.unwrap_or_else(|| Completed::unchanged(tape))
}

/// The arguments completed with one reading of the ambiguous nulls; `None` if completion changes nothing.
fn complete_with_readings(plan: &AnnotationPlan, tape: &Tape, clamps: &[Clamp], choices: &ChosenReadings) -> (Option<Completed>, Vec<AmbiguousObject>) {
    apply_walk(CompletionWalk::for_arguments(plan, clamps, choices), plan, tape)
}

/// Fills the defaults of any value, without other changes.
pub(super) fn fill_defaults(plan: &AnnotationPlan, tape: Tape) -> Completed {
    if !plan.has_default() {
        return Completed::unchanged(tape);
    }
    let (completed, _) = apply_walk(CompletionWalk::for_value(plan), plan, &tape);
    completed.unwrap_or_else(|| Completed::unchanged(tape))
}

fn apply_walk(mut filling: CompletionWalk<'_>, plan: &AnnotationPlan, tape: &Tape) -> (Option<Completed>, Vec<AmbiguousObject>) {
    filling.walk(tape.root(), &plan.root(), &mut String::new());
    let CompletionWalk { edits, defaulted, clamped, ambiguous_objects: doubts, .. } = filling;
    if edits.is_empty() {
        return (None, doubts);
    }
    // The parser checked the limits of the text; `fill` bounds the text that defaults add.
    let completed = tape.edited(edits);
    (completed.map(|tape| Completed { tape, changed: true, defaulted, clamped }), doubts)
}
