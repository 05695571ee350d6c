//! The steps that patterns with look-around or back-references may take for one value.
//!
//! All matches of one run share the steps, so a value with many texts takes no longer than one with few. A match without
//! a result makes the whole run fail: inside `not`, neither answer of the pattern would be safe.

use std::cell::Cell;

use toolgate_ecma_regex::EcmaPattern;

/// The steps of a run over a small value: a few milliseconds.
const BASE_STEPS: u64 = 1_000_000;
/// Further steps for each byte of the value.
const STEPS_PER_BYTE: u64 = 8;

thread_local! {
    /// The steps left of the current run; `None` outside a run.
    static REMAINING_STEPS: Cell<Option<u64>> = const { Cell::new(None) };
}

/// A pattern took more steps than a run has: the validity of the value is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepsExceeded;

/// Runs `run`, in which all matches share the steps for a value of `bytes` bytes.
///
/// # Errors
/// If a match had no result.
pub(super) fn run_with_steps<T>(bytes: usize, run: impl FnOnce() -> T) -> Result<T, StepsExceeded> {
    let steps = BASE_STEPS.saturating_add(STEPS_PER_BYTE.saturating_mul(bytes as u64));
    let _outer = OuterSteps(REMAINING_STEPS.replace(Some(steps)));
    let result = run();
    if REMAINING_STEPS.get() == Some(0) { Err(StepsExceeded) } else { Ok(result) }
}

/// Restores the steps of the surrounding run, even if the run unwinds.
struct OuterSteps(Option<u64>);

impl Drop for OuterSteps {
    fn drop(&mut self) {
        REMAINING_STEPS.set(self.0);
    }
}

/// Whether a text matches. False if the steps are exceeded, which ends the run with an error.
pub(super) fn matches_within_steps(pattern: &EcmaPattern, text: &str) -> bool {
    let run = REMAINING_STEPS.get();
    let mut steps = run.unwrap_or(BASE_STEPS);
    let is_match = pattern.is_match(text, &mut steps).unwrap_or_default();
    if run.is_some() {
        REMAINING_STEPS.set(Some(steps));
    }
    is_match
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attack() -> (EcmaPattern, String) {
        (EcmaPattern::compile("^(a+)+$").unwrap(), "a".repeat(40) + "!")
    }

    #[test]
    fn all_matches_of_a_run_share_its_steps() {
        let (pattern, text) = attack();
        let run = run_with_steps(0, || {
            assert!(matches_within_steps(&pattern, "aa"));
            assert!(!matches_within_steps(&pattern, &text));
            assert!(!matches_within_steps(&pattern, "aa"), "no steps are left");
        });
        assert_eq!(run, Err(StepsExceeded));
        assert_eq!(run_with_steps(0, || matches_within_steps(&pattern, "aa")), Ok(true));
    }

    #[test]
    fn a_run_inside_another_has_its_own_steps() {
        let (pattern, text) = attack();
        let outer = run_with_steps(0, || {
            let inner = run_with_steps(0, || matches_within_steps(&pattern, &text));
            (inner, matches_within_steps(&pattern, "aa"))
        });
        assert_eq!(outer, Ok((Err(StepsExceeded), true)));
    }
}
