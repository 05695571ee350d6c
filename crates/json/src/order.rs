//! The order of an object's members in its canonical form. Records in a list mostly have the keys of the one before: what
//! was found for that one is kept.

use std::cmp::Ordering;

use super::entry::Tag;
use super::{Node, Tape, string};

/// The beginning of a key whose place its first bytes do not tell. No text begins so.
const UNTOLD: u64 = u64::MAX;

/// Up to this many members are sorted without room of their own.
const FEW: usize = 16;

/// The order of the last object that was looked at.
#[derive(Default)]
pub(super) struct Order {
    /// Its members as they stand in the text. May go on with those of an object before that had more.
    members: Vec<Member>,
    /// How many it has.
    count: usize,
}

struct Member {
    /// What its key begins with.
    beginning: u64,
    /// Where its key is listed.
    index: u32,
    /// Of the members in order, the place of the one that stands here.
    sorted: u32,
}

impl Order {
    /// Finds the order of an object's members.
    pub(super) fn find(&mut self, object: Node<'_>) {
        let mut is_known = true;
        self.count = object.len();
        for (place, (name, _)) in object.member_nodes().enumerate() {
            let (beginning, index) = (beginning(name), name.index());
            if let Some(member) = self.members.get_mut(place) {
                is_known &= beginning != UNTOLD && member.beginning == beginning;
                (member.beginning, member.index) = (beginning, index);
            } else {
                is_known = false;
                self.members.push(Member { beginning, index, sorted: 0 });
            }
        }
        if !is_known {
            self.members.truncate(self.count);
            self.sort(object.tape());
        }
    }

    /// Where the keys are listed, in order.
    pub(super) fn indexes(&self) -> impl Iterator<Item = u32> {
        // An object with the first keys of the one before has its order, without the others.
        let places = self.members.iter().map(|member| member.sorted as usize).filter(|place| *place < self.count);
        places.filter_map(|place| self.members.get(place).map(|member| member.index))
    }

    fn sort(&mut self, tape: &Tape) {
        let (mut few, mut many) = ([0; FEW], Vec::new());
        let places = if let Some(places) = few.get_mut(..self.count) {
            places
        } else {
            many.resize(self.count, 0);
            &mut many
        };
        for (place, here) in (0..).zip(places.iter_mut()) {
            *here = place;
        }
        let tells_all = self.sort_places(places, tape);
        for (member, place) in self.members.iter_mut().zip(places) {
            member.sorted = *place;
            if !tells_all {
                // The order of the next object may be another one.
                member.beginning = UNTOLD;
            }
        }
    }

    /// Sorts by UTF-16 code units. Returns whether what the keys begin with tells their order.
    fn sort_places(&self, places: &mut [u32], tape: &Tape) -> bool {
        let beginning = |place: u32| self.members.get(place as usize).map_or(UNTOLD, |member| member.beginning);
        let text = |place: u32| {
            let entry = tape.entry(self.members.get(place as usize).map_or(0, |member| member.index));
            tape.slice(entry.start, entry.end)
        };
        if !string::is_ascii(self.members.iter().fold(0, |all, member| all | member.beginning)) {
            places.sort_by_cached_key(|place| string::units(text(*place)).collect::<Vec<u16>>());
            return false;
        }
        let by_beginning = |left: u32, right: u32| beginning(left).cmp(&beginning(right));
        places.sort_unstable_by(|left, right| {
            by_beginning(*left, *right).then_with(|| compare(text(*left), text(*right)))
        });
        places.array_windows().all(|[left, right]| by_beginning(*left, *right) == Ordering::Less)
    }
}

fn beginning(name: Node<'_>) -> u64 {
    let entry = name.entry();
    if entry.tag() == Tag::Escaped {
        return UNTOLD;
    }
    string::beginning(name.tape().text().as_bytes(), entry.start as usize, entry.end as usize)
}

/// Compares keys without escapes.
fn compare(left: &str, right: &str) -> Ordering {
    // Bytes and code units order ASCII alike.
    if left.is_ascii() && right.is_ascii() { left.cmp(right) } else { string::units(left).cmp(string::units(right)) }
}
