//! The order of an object's members in its canonical form. Records in a list mostly have the keys of the one before: what
//! was found for that one is kept.

use std::cmp::Ordering;

use super::entry::Tag;
use super::{Node, Tape, string};

/// What a key with an escape begins with, for which first bytes tell nothing. No text has such bytes.
const UNTOLD: u64 = u64::MAX;

/// The order of the last object that was looked at.
#[derive(Default)]
pub(super) struct Order {
    /// Where the object's keys are listed, as they stand in the text.
    keys: Vec<u32>,
    /// What those keys begin with. May go on with those of an object before that had more.
    beginnings: Vec<u64>,
    /// The places of keys, sorted.
    sorted: Vec<u32>,
}

impl Order {
    /// Finds the order of an object's members.
    pub(super) fn find(&mut self, object: Node<'_>) {
        self.keys.clear();
        let mut is_known = true;
        for (place, (name, _)) in object.member_nodes().enumerate() {
            self.keys.push(name.index());
            let beginning = beginning(name);
            match self.beginnings.get_mut(place) {
                Some(before) => {
                    is_known &= *before == beginning;
                    *before = beginning;
                }
                None => {
                    is_known = false;
                    self.beginnings.push(beginning);
                }
            }
        }
        if !is_known {
            self.beginnings.truncate(self.keys.len());
            self.sort(object.tape());
        }
    }

    /// Where the keys are listed, in order.
    pub(super) fn indexes(&self) -> impl Iterator<Item = u32> {
        // An object with the first keys of the one before has its order, without the others.
        self.sorted.iter().filter_map(|place| self.keys.get(*place as usize).copied())
    }

    /// Sorts by UTF-16 code units.
    fn sort(&mut self, tape: &Tape) {
        self.sorted.clear();
        self.sorted.extend((0..).zip(&self.keys).map(|(place, _)| place));
        let beginning = |place: u32| self.beginnings.get(place as usize).copied().unwrap_or(UNTOLD);
        let text = |place: u32| {
            let entry = tape.entry(self.keys.get(place as usize).copied().unwrap_or_default());
            tape.slice(entry.start, entry.end)
        };
        if string::is_ascii(self.beginnings.iter().fold(0, |all, beginning| all | beginning)) {
            let by_beginning = |left: &u32, right: &u32| beginning(*left).cmp(&beginning(*right));
            self.sorted.sort_unstable_by(|left, right| {
                by_beginning(left, right).then_with(|| compare(text(*left), text(*right)))
            });
            if self.sorted.array_windows().all(|[left, right]| by_beginning(left, right) == Ordering::Less) {
                return;
            }
        } else {
            self.sorted.sort_by_cached_key(|place| string::units(text(*place)).collect::<Vec<u16>>());
        }
        // What the keys begin with does not tell their order: that of the next object may be another.
        self.beginnings.clear();
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
