//! Completion of arguments: strict nulls become absent, defaults are filled, clamps are applied.
//!
//! Only changed values are rewritten; every other number and string keeps its text.

mod ambiguous_nulls;
mod clamp;
mod fill;
mod partial_defaults;
#[cfg(test)]
mod properties;

pub use clamp::{Clamp, Clamped};

pub(super) use fill::expand_default;

use ambiguous_nulls::{AmbiguousObject, ChosenReadings};
use fill::{CompletionWalk, NullHandling};
use partial_defaults::{SkippedDefaults, without_harmful};

use super::annotation_plan::AnnotationPlan;
use super::invalid_args::InvalidArgs;
use super::{CompiledSchema, Issue};
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

/// The reading of nulls in arguments that are not valid as received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullReading {
    /// Every null is a value.
    AsSent,
    /// A strict null means that the argument is absent; see [`super::ArgsSchema::complete`].
    StrictAsAbsent,
}

/// The largest number of completions that try a reading of the ambiguous nulls.
const MAX_READINGS: usize = 64;

/// Completes arguments; `None` if completion changes nothing.
///
/// Completion never makes valid arguments invalid: no null is dropped from arguments that are valid as received, and of
/// their defaults the largest set is filled with which they stay valid. They are validated only if they contain a `null`, or
/// by [`complete_and_validate`].
pub(super) fn complete(
    schema: &CompiledSchema,
    tape: &Tape,
    clamps: &[Clamp],
    nulls: NullReading,
) -> Option<Completed> {
    complete_without(schema, tape, clamps, nulls, &SkippedDefaults::new())
}

/// Completes arguments and validates them. Arguments that are valid as received are valid after completion.
///
/// # Errors
/// All errors of the arguments as the caller wrote them; see [`issues_as_received`].
pub(super) fn complete_and_validate(
    schema: &CompiledSchema,
    tape: Tape,
    clamps: &[Clamp],
    nulls: NullReading,
) -> Result<Completed, InvalidArgs> {
    let complete = |tape: &Tape, skipped: &SkippedDefaults| complete_without(schema, tape, clamps, nulls, skipped);
    match complete_keeping_validity(schema, &tape, &complete) {
        Ok(completed) => Ok(completed.unwrap_or_else(|| Completed::unchanged(tape))),
        Err(InvalidValue { issues, .. }) => Err(InvalidArgs { tape, issues }),
    }
}

/// A value that is not valid.
#[derive(Debug)]
pub struct InvalidValue {
    /// All errors of the value as received.
    pub issues: Vec<Issue>,
    /// The value with all of its defaults.
    pub completed: Completed,
}

/// Fills the defaults of any value and validates it, without other changes. A value that is valid as received is valid
/// afterwards.
///
/// # Errors
/// As [`complete_and_validate`].
pub(super) fn fill_and_validate(schema: &CompiledSchema, tape: Tape) -> Result<Completed, InvalidValue> {
    let plan = schema.plan();
    let fill = |tape: &Tape, skipped: &SkippedDefaults| {
        if !plan.has_default() {
            return None;
        }
        apply_walk(CompletionWalk::for_value(plan, skipped), plan, tape).0
    };
    complete_keeping_validity(schema, &tape, &fill)
        .map(|completed| completed.unwrap_or_else(|| Completed::unchanged(tape)))
}

/// `complete` fills all defaults but the skipped ones, and returns `None` if that changes nothing, as this function does.
fn complete_keeping_validity(
    schema: &CompiledSchema,
    tape: &Tape,
    complete: &dyn Fn(&Tape, &SkippedDefaults) -> Option<Completed>,
) -> Result<Option<Completed>, InvalidValue> {
    let completed = complete(tape, &SkippedDefaults::new());
    if schema.is_valid(completed.as_ref().map_or(tape, |completed| &completed.tape).root()) {
        return Ok(completed);
    }
    let completed = completed.unwrap_or_else(|| Completed::unchanged(tape.clone()));
    let invalid = |completed: Completed| {
        let issues = schema.issues_of_invalid(completed.tape.root());
        InvalidValue { issues, completed }
    };
    if completed.defaulted.is_empty() {
        return Err(invalid(completed));
    }
    let with =
        |skipped: &SkippedDefaults| complete(tape, skipped).unwrap_or_else(|| Completed::unchanged(tape.clone()));
    // Without nulls and clamps, defaults are all that completion changes.
    let is_only_filled = completed.clamped.is_empty() && !tape.has_null();
    let none = if is_only_filled {
        Completed::unchanged(tape.clone())
    } else {
        with(&completed.defaulted.iter().cloned().collect())
    };
    let issues = issues_as_received(schema.issues(none.tape.root()), &completed.defaulted);
    if !issues.is_empty() {
        return Err(InvalidValue { issues, completed });
    }
    match without_harmful(&completed.defaulted, |skipped| schema.is_valid(with(skipped).tape.root())) {
        Some(skipped) => Ok(Some(with(&skipped))),
        None => Err(invalid(completed)),
    }
}

/// The errors of arguments without defaults that filling the defaults does not correct: a missing property that has a
/// default is not an error.
fn issues_as_received(mut issues: Vec<Issue>, defaulted: &[String]) -> Vec<Issue> {
    issues.retain(|issue| {
        let missing = issue.params.get("missingProperty").and_then(serde_json::Value::as_str);
        let Some(name) = missing.filter(|_| issue.keyword == "required") else { return true };
        let mut place = issue.instance_path.clone();
        toolgate_json::pointer::push(&mut place, name);
        !defaulted.contains(&place)
    });
    issues
}

fn complete_without(
    schema: &CompiledSchema,
    tape: &Tape,
    clamps: &[Clamp],
    nulls: NullReading,
    skipped: &SkippedDefaults,
) -> Option<Completed> {
    let plan = schema.plan();
    if !tape.has_null() && !plan.has_default() && clamps.is_empty() {
        return None;
    }
    let walk =
        |nulls: NullHandling<'_>| apply_walk(CompletionWalk::for_arguments(plan, clamps, nulls, skipped), plan, tape);
    if nulls == NullReading::AsSent || tape.has_null() && schema.is_valid(tape.root()) {
        return walk(NullHandling::Keep).0;
    }
    let mut choices = ChosenReadings::default();
    let (mut completed, mut ambiguous) = walk(NullHandling::Read(&choices));
    for _ in 0..MAX_READINGS {
        if ambiguous.is_empty() {
            return completed;
        }
        let Err(issues) = schema.validate(completed.as_ref().map_or(tape, |completed| &completed.tape).root()) else {
            return completed;
        };
        if !choices.advance(&ambiguous, &issues) {
            break;
        }
        (completed, ambiguous) = walk(NullHandling::Read(&choices));
    }
    // No reading is valid: errors are reported for the likeliest reading.
    walk(NullHandling::ReadLikeliest).0
}

fn apply_walk(
    mut filling: CompletionWalk<'_>,
    plan: &AnnotationPlan,
    tape: &Tape,
) -> (Option<Completed>, Vec<AmbiguousObject>) {
    filling.walk(tape.root(), plan.root(), &mut String::new());
    let CompletionWalk { edits, defaulted, clamped, ambiguous_objects: doubts, .. } = filling;
    if edits.is_empty() {
        return (None, doubts);
    }
    // The parser checked the limits of the text; `fill` bounds the text that defaults add.
    let completed = tape.edited(edits);
    (completed.map(|tape| Completed { tape, changed: true, defaulted, clamped }), doubts)
}
