//! A bound on how many errors the validator makes of one value.
//!
//! It makes all of them before it gives out the first: half a million for an array of as many wrong items, and more than
//! any memory holds where alternatives are nested. Each error takes the value that it is about from the representation;
//! that is where they are counted, and where the run is given up, by unwinding, when there are too many.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    /// Errors that may still be made; none are counted where it is `None`.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// What is thrown when the budget is spent. Not a panic: no hook runs and nothing is printed.
struct Spent;

/// Counts an error; false where none are counted.
pub(super) fn spend_one() -> bool {
    match LEFT.get() {
        None => return false,
        Some(0) => resume_unwind(Box::new(Spent)),
        Some(left) => LEFT.set(Some(left - 1)),
    }
    true
}

/// Runs `run` for at most so many errors; `None` where it would make more, or panics: an answer is owed all the same.
pub(super) fn within<T>(errors: usize, run: impl FnOnce() -> T) -> Option<T> {
    let before = LEFT.replace(Some(errors));
    // Nothing outlives the run that it could leave half done: it only builds what it returns.
    let outcome = catch_unwind(AssertUnwindSafe(run));
    LEFT.set(before);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(count: usize) -> usize {
        (0..count).for_each(|_| {
            spend_one();
        });
        count
    }

    #[test]
    fn a_run_is_given_up_when_the_budget_is_spent() {
        assert_eq!(within(3, || spend(3)), Some(3));
        assert_eq!(within(3, || spend(4)), None);
        assert_eq!(spend(1000), 1000, "outside nothing is counted");
        assert_eq!(within(5, || (within(1, || spend(2)), spend(5))), Some((None, 5)));
    }

    #[test]
    fn a_run_that_panics_gives_nothing_and_leaves_nothing() {
        assert_eq!(within(1, || resume_unwind(Box::new("other"))), None::<()>);
        assert!(!spend_one());
    }
}
