//! An index by name over items that keep another order.

use std::cmp::Ordering;

/// Returns the positions of `names`, sorted by name. Names must be unique.
pub(super) fn sorted_positions(names: &[&str]) -> Vec<u32> {
    let mut places: Vec<u32> = (0..).take(names.len()).collect();
    places.sort_unstable_by(|left, right| compare_names(names, *left, *right));
    places
}

/// A separate function, because a sort inlines its comparison dozens of times.
#[inline(never)]
fn compare_names(names: &[&str], left: u32, right: u32) -> Ordering {
    names.get(left as usize).cmp(&names.get(right as usize))
}

#[cfg(test)]
mod tests {
    #[test]
    fn positions_are_sorted_by_name() {
        assert_eq!(super::sorted_positions(&["b", "", "é", "a"]), [1, 3, 0, 2]);
        assert_eq!(super::sorted_positions(&[]), [0; 0]);
    }
}
