//! Defaults never make valid arguments invalid: if all defaults together do, the largest set of them that does not is
//! filled.

use std::collections::HashSet;

/// Up to this number of defaults, every set of them is tried, the largest first.
const MAX_EXACT: usize = 6;
/// The largest number of validations for more defaults than that.
const MAX_TRIALS: usize = 64;

/// JSON Pointers of defaults that completion leaves out.
pub(super) type SkippedDefaults = HashSet<String>;

/// The largest set of `defaults` (JSON Pointers, in the order of the arguments' text) with which `is_valid` holds, as its
/// complement. `None` if there is none, apart from the set of all, which is not tried.
///
/// Up to six defaults the set is the largest one, and of equally large ones the first in the order of the text. Beyond
/// that, defaults are added one after another, for as long as the arguments stay valid, in at most two rounds and 64
/// validations: a default that needs a later one is found in the second round.
pub(super) fn without_harmful(
    defaults: &[String],
    mut is_valid: impl FnMut(&SkippedDefaults) -> bool,
) -> Option<SkippedDefaults> {
    if defaults.len() <= MAX_EXACT {
        return subsets_by_size(defaults).find(|skipped| is_valid(skipped));
    }
    let mut skipped: SkippedDefaults = defaults.iter().cloned().collect();
    if !is_valid(&skipped) {
        return None;
    }
    let mut trials = 1;
    for _ in 0..2 {
        for default in defaults {
            if trials == MAX_TRIALS || !skipped.remove(default) {
                continue;
            }
            trials += 1;
            if !is_valid(&skipped) {
                skipped.insert(default.clone());
            }
        }
    }
    Some(skipped)
}

/// Every non-empty set of skipped defaults, the smallest first; of equally large ones, the one that skips the last
/// defaults first.
fn subsets_by_size(defaults: &[String]) -> impl Iterator<Item = SkippedDefaults> {
    let mut masks: Vec<u32> = (1..1_u32 << defaults.len()).collect();
    masks.sort_by_key(|mask| (mask.count_ones(), std::cmp::Reverse(*mask)));
    masks.into_iter().map(|mask| {
        let skipped = defaults.iter().enumerate().filter(move |(place, _)| mask & (1 << place) != 0);
        skipped.map(|(_, default)| default.clone()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("/{number}")).collect()
    }

    fn sorted(skipped: SkippedDefaults) -> Vec<String> {
        let mut sorted: Vec<String> = skipped.into_iter().collect();
        sorted.sort();
        sorted
    }

    #[test]
    fn the_largest_set_is_kept() {
        // `/0` and `/1` exclude each other: the first one stays.
        let found = without_harmful(&names(3), |skipped| skipped.contains("/0") || skipped.contains("/1"));
        assert_eq!(found.map(sorted), Some(vec!["/1".to_owned()]));
        // Two defaults that need each other stay together.
        let pair =
            |skipped: &SkippedDefaults| skipped.contains("/0") == skipped.contains("/1") && skipped.contains("/2");
        assert_eq!(without_harmful(&names(3), pair).map(sorted), Some(vec!["/2".to_owned()]));
        assert_eq!(without_harmful(&names(3), |_| false), None);
    }

    #[test]
    fn many_defaults_take_a_bounded_number_of_trials() {
        let mut trials = 0;
        let found = without_harmful(&names(500), |skipped| {
            trials += 1;
            skipped.contains("/1")
        });
        assert!(trials <= MAX_TRIALS);
        let found = found.unwrap();
        assert!(found.contains("/1") && !found.contains("/0") && !found.contains("/2"));
    }
}
