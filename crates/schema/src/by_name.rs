//! Finding by name among what stands in another order.

use std::cmp::Ordering;

/// The places of names, in the order of the names. No name is there twice.
pub(super) fn sorted(names: &[&str]) -> Vec<u32> {
    let mut places: Vec<u32> = (0..).take(names.len()).collect();
    places.sort_unstable_by(|left, right| compared(names, *left, *right));
    places
}

/// Apart, because a sort repeats its comparison dozens of times.
#[inline(never)]
fn compared(names: &[&str], left: u32, right: u32) -> Ordering {
    names.get(left as usize).cmp(&names.get(right as usize))
}

#[cfg(test)]
mod tests {
    #[test]
    fn places_come_in_the_order_of_their_names() {
        assert_eq!(super::sorted(&["b", "", "é", "a"]), [1, 3, 0, 2]);
        assert_eq!(super::sorted(&[]), [0; 0]);
    }
}
