//! Completion of arguments: strict nulls become absent, defaults are filled, clamps are applied.
//!
//! Only changed values are rewritten; every other number and string keeps its text.

mod ambiguous_nulls;
mod clamp;
mod fill;
mod partial_defaults;

pub use clamp::{Clamp, Clamped};

pub(super) use clamp::clamp_number;
pub(super) use fill::expand_default;

use ambiguous_nulls::{AmbiguousObject, ChosenReadings};
use fill::{CompletionWalk, NullHandling};
use partial_defaults::{SkippedDefaults, without_harmful};

use super::Issue;
use super::annotation_plan::AnnotationPlan;
use super::repair::InvalidArgs;
use super::undecided_part::UndecidedPart;
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

/// Validates arguments.
type Validate<'v> = &'v dyn Fn(&Tape) -> Result<(), Vec<Issue>>;

/// Completes arguments; `None` if completion changes nothing.
///
/// Completion never makes valid arguments invalid: no null is dropped from arguments that are valid as received, and of
/// their defaults the largest set is filled with which they stay valid. `validate` is called only if the arguments
/// contain a `null`, or if the result is checked by [`complete_and_validate`].
pub(super) fn complete(
    plan: &AnnotationPlan,
    tape: &Tape,
    clamps: &[Clamp],
    nulls: NullReading,
    validate: Validate<'_>,
) -> Option<Completed> {
    complete_without(plan, tape, clamps, nulls, &SkippedDefaults::new(), validate)
}

/// Completes arguments and validates them. Arguments that are valid as received are valid after completion.
///
/// # Errors
/// All errors of the arguments as the caller wrote them; see [`issues_as_received`].
pub(super) fn complete_and_validate(
    plan: &AnnotationPlan,
    tape: Tape,
    clamps: &[Clamp],
    nulls: NullReading,
    validate: Validate<'_>,
) -> Result<Completed, InvalidArgs> {
    let complete =
        |tape: &Tape, skipped: &SkippedDefaults| complete_without(plan, tape, clamps, nulls, skipped, validate);
    match complete_keeping_validity(&tape, &complete, validate) {
        Ok(completed) => Ok(completed.unwrap_or_else(|| Completed::unchanged(tape))),
        Err(InvalidValue { issues, .. }) => Err(InvalidArgs { tape, issues }),
    }
}

/// The largest number of bytes by which completion may lengthen a part of a value: with the rest, it stays within the
/// limit that some defaults are left out for.
const MAX_PART_GROWTH: usize = 1 << 14;

/// The errors that [`complete_and_validate`] returns for arguments whose undetermined part is known. `None` if that
/// takes the whole arguments: they may be valid with some of their defaults.
///
/// The rest of the arguments contains no `null` and is valid, as received and with all its defaults.
pub(super) fn issues_of_part(
    plan: &AnnotationPlan,
    part: &UndecidedPart,
    clamps: &[Clamp],
    validate: Validate<'_>,
) -> Option<Vec<Issue>> {
    let tape = &part.tape;
    let complete =
        |skipped: &SkippedDefaults| complete_without(plan, tape, clamps, NullReading::AsSent, skipped, validate);
    let Some(completed) = complete(&SkippedDefaults::new()) else { return validate(tape).err() };
    if completed.tape.text().len() > tape.text().len() + MAX_PART_GROWTH {
        return None;
    }
    let issues = validate(&completed.tape).err()?;
    if completed.defaulted.is_empty() {
        return Some(issues);
    }
    let none = complete(&completed.defaulted.iter().cloned().collect());
    let issues = validate(none.as_ref().map_or(tape, |none| &none.tape)).err()?;
    // The places of the issues are those in the whole arguments.
    let defaulted: Vec<String> =
        completed.defaulted.iter().map(|path| part.places.in_whole_value(path).into_owned()).collect();
    let issues = issues_as_received(issues, &defaulted);
    (!issues.is_empty()).then_some(issues)
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
pub(super) fn fill_and_validate(
    plan: &AnnotationPlan,
    tape: Tape,
    validate: Validate<'_>,
) -> Result<Completed, InvalidValue> {
    let fill = |tape: &Tape, skipped: &SkippedDefaults| {
        if !plan.has_default() {
            return None;
        }
        apply_walk(CompletionWalk::for_value(plan, skipped), plan, tape).0
    };
    complete_keeping_validity(&tape, &fill, validate)
        .map(|completed| completed.unwrap_or_else(|| Completed::unchanged(tape)))
}

/// `complete` fills all defaults but the skipped ones; `None` if that changes nothing. So is the result.
fn complete_keeping_validity(
    tape: &Tape,
    complete: &dyn Fn(&Tape, &SkippedDefaults) -> Option<Completed>,
    validate: Validate<'_>,
) -> Result<Option<Completed>, InvalidValue> {
    let Some(completed) = complete(tape, &SkippedDefaults::new()) else {
        return match validate(tape) {
            Ok(()) => Ok(None),
            Err(issues) => Err(InvalidValue { issues, completed: Completed::unchanged(tape.clone()) }),
        };
    };
    let Err(issues) = validate(&completed.tape) else { return Ok(Some(completed)) };
    if completed.defaulted.is_empty() {
        return Err(InvalidValue { issues, completed });
    }
    let with =
        |skipped: &SkippedDefaults| complete(tape, skipped).unwrap_or_else(|| Completed::unchanged(tape.clone()));
    let none = with(&completed.defaulted.iter().cloned().collect());
    if let Err(issues) = validate(&none.tape) {
        let issues = issues_as_received(issues, &completed.defaulted);
        if !issues.is_empty() {
            return Err(InvalidValue { issues, completed });
        }
    }
    match without_harmful(&completed.defaulted, |skipped| validate(&with(skipped).tape).is_ok()) {
        Some(skipped) => Ok(Some(with(&skipped))),
        None => Err(InvalidValue { issues, completed }),
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
    plan: &AnnotationPlan,
    tape: &Tape,
    clamps: &[Clamp],
    nulls: NullReading,
    skipped: &SkippedDefaults,
    validate: Validate<'_>,
) -> Option<Completed> {
    if !tape.has_null() && !plan.has_default() && clamps.is_empty() {
        return None;
    }
    let walk =
        |nulls: NullHandling<'_>| apply_walk(CompletionWalk::for_arguments(plan, clamps, nulls, skipped), plan, tape);
    if nulls == NullReading::AsSent || tape.has_null() && validate(tape).is_ok() {
        return walk(NullHandling::Keep).0;
    }
    let mut choices = ChosenReadings::default();
    let (mut completed, mut ambiguous) = walk(NullHandling::Read(&choices));
    for _ in 0..MAX_READINGS {
        if ambiguous.is_empty() {
            return completed;
        }
        let Err(issues) = validate(completed.as_ref().map_or(tape, |completed| &completed.tape)) else {
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
    filling.walk(tape.root(), &plan.root(), &mut String::new());
    let CompletionWalk { edits, defaulted, clamped, ambiguous_objects: doubts, .. } = filling;
    if edits.is_empty() {
        return (None, doubts);
    }
    // The parser checked the limits of the text; `fill` bounds the text that defaults add.
    let completed = tape.edited(edits);
    (completed.map(|tape| Completed { tape, changed: true, defaulted, clamped }), doubts)
}
