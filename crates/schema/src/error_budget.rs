//! A limit on the number of errors that the validator creates for one value.
//!
//! The validator creates all errors before it returns the first: half a million for an array of half a million wrong
//! items, and more than fit into memory if alternatives are nested. Each error converts its value to a
//! `serde_json::Value`; the conversion ([`super::representation`]) counts the errors, and stops the run by unwinding if
//! there are too many.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    /// The number of errors that may still be created; `None` if errors are not counted.
    static REMAINING_ERRORS: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The unwinding payload when the budget is exceeded. Not a panic: no panic hook runs and nothing is printed.
struct BudgetExceeded;

/// Counts an error. Returns false if errors are not counted.
pub(super) fn count_error() -> bool {
    match REMAINING_ERRORS.get() {
        None => return false,
        Some(0) => resume_unwind(Box::new(BudgetExceeded)),
        Some(left) => REMAINING_ERRORS.set(Some(left - 1)),
    }
    true
}

/// Runs `run` with a limit of `errors` errors. Returns `None` if `run` creates more or panics.
pub(super) fn run_with_budget<T>(errors: usize, run: impl FnOnce() -> T) -> Option<T> {
    let before = REMAINING_ERRORS.replace(Some(errors));
    // Unwind safe: `run` only builds its result, so no half-updated state outlives it.
    let outcome = catch_unwind(AssertUnwindSafe(run));
    REMAINING_ERRORS.set(before);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(count: usize) -> usize {
        (0..count).for_each(|_| {
            count_error();
        });
        count
    }

    #[test]
    fn a_run_stops_when_the_budget_is_exceeded() {
        assert_eq!(run_with_budget(3, || spend(3)), Some(3));
        assert_eq!(run_with_budget(3, || spend(4)), None);
        assert_eq!(spend(1000), 1000, "outside nothing is counted");
        assert_eq!(run_with_budget(5, || (run_with_budget(1, || spend(2)), spend(5))), Some((None, 5)));
    }

    #[test]
    fn a_panic_returns_none_and_restores_the_budget() {
        assert_eq!(run_with_budget(1, || resume_unwind(Box::new("other"))), None::<()>);
        assert!(!count_error());
    }
}
