//! The canonical order of an object's members. Objects in a list mostly have the same keys, so the order of the last
//! object is cached.

use std::cmp::Ordering;

use super::entry::Tag;
use super::{Node, Tape, string};

/// The prefix of a key whose order its first bytes do not determine. No UTF-8 text has this prefix.
const UNDECIDED_PREFIX: u64 = u64::MAX;

/// Maximum number of members that are sorted on the stack.
const MAX_ON_STACK: usize = 16;

/// The order of the last object.
#[derive(Default)]
pub(super) struct MemberOrder {
    /// The members in document order. May continue with members of an earlier, larger object.
    members: Vec<OrderedMember>,
    /// The number of members of the last object.
    count: usize,
}

struct OrderedMember {
    /// The first bytes of the key.
    key_prefix: u64,
    /// The entry index of the key.
    index: u32,
    /// The position in document order of the member that has this place in canonical order.
    sorted_position: u32,
}

impl MemberOrder {
    /// Determines the order of an object's members.
    pub(super) fn update(&mut self, object: Node<'_>) {
        let mut is_known = true;
        self.count = object.len();
        for (place, (name, _)) in object.member_nodes().enumerate() {
            let (beginning, index) = (key_prefix(name), name.index());
            if let Some(member) = self.members.get_mut(place) {
                is_known &= beginning != UNDECIDED_PREFIX && member.key_prefix == beginning;
                (member.key_prefix, member.index) = (beginning, index);
            } else {
                is_known = false;
                self.members.push(OrderedMember { key_prefix: beginning, index, sorted_position: 0 });
            }
        }
        if !is_known {
            self.members.truncate(self.count);
            self.sort(object.tape());
        }
    }

    /// The entry indexes of the keys, in canonical order.
    pub(super) fn key_indexes(&self) -> impl Iterator<Item = u32> {
        // An object whose keys are the first keys of the object before has the same order, without the remaining keys.
        let places =
            self.members.iter().map(|member| member.sorted_position as usize).filter(|place| *place < self.count);
        places.filter_map(|place| self.members.get(place).map(|member| member.index))
    }

    fn sort(&mut self, tape: &Tape) {
        let (mut few, mut many) = ([0; MAX_ON_STACK], Vec::new());
        let places = if let Some(places) = few.get_mut(..self.count) {
            places
        } else {
            many.resize(self.count, 0);
            &mut many
        };
        for (place, here) in (0..).zip(places.iter_mut()) {
            *here = place;
        }
        let prefixes_suffice = self.sort_positions(places, tape);
        for (member, place) in self.members.iter_mut().zip(places) {
            member.sorted_position = *place;
            if !prefixes_suffice {
                // Equal prefixes do not imply the same order of the next object.
                member.key_prefix = UNDECIDED_PREFIX;
            }
        }
    }

    /// Sorts by UTF-16 code units. Returns whether the prefixes alone determine the order.
    fn sort_positions(&self, places: &mut [u32], tape: &Tape) -> bool {
        let beginning =
            |place: u32| self.members.get(place as usize).map_or(UNDECIDED_PREFIX, |member| member.key_prefix);
        let text = |place: u32| {
            let entry = tape.entry(self.members.get(place as usize).map_or(0, |member| member.index));
            tape.slice(entry.start, entry.end)
        };
        if !string::is_ascii_prefix(self.members.iter().fold(0, |all, member| all | member.key_prefix)) {
            places.sort_by_cached_key(|place| string::utf16_units(text(*place)).collect::<Vec<u16>>());
            return false;
        }
        let by_beginning = |left: u32, right: u32| beginning(left).cmp(&beginning(right));
        places.sort_unstable_by(|left, right| {
            by_beginning(*left, *right).then_with(|| compare_keys(text(*left), text(*right)))
        });
        places.array_windows().all(|[left, right]| by_beginning(*left, *right) == Ordering::Less)
    }
}

fn key_prefix(name: Node<'_>) -> u64 {
    let entry = name.entry();
    if entry.tag() == Tag::EscapedString {
        return UNDECIDED_PREFIX;
    }
    string::prefix_number(name.tape().text().as_bytes(), entry.start as usize, entry.end as usize)
}

/// Compares keys without escapes.
fn compare_keys(left: &str, right: &str) -> Ordering {
    // ASCII sorts the same by bytes and by code units.
    if left.is_ascii() && right.is_ascii() {
        left.cmp(right)
    } else {
        string::utf16_units(left).cmp(string::utf16_units(right))
    }
}
