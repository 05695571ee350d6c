//! Elements that are known to be valid: the validator is not shown them when it lists what is wrong, and the places that it
//! tells are counted on.
//!
//! The validator takes a whole value, and one wrong record of thousands costs as much as thousands of them. Elements at the
//! beginning of an array can be left out of its walk, where nothing but the schema of the items looks at them: what it
//! finds in the others stays the same, but for their indexes. The array's length and uniqueness are told of all of them.

use std::borrow::Cow;
use std::cell::RefCell;

use toolgate_json::{Elements, Node, pointer};

/// Arrays whose first elements are known to be valid.
#[derive(Debug, Default)]
pub(super) struct Proven {
    beginnings: Vec<Beginning>,
}

#[derive(Debug, Clone, Copy)]
struct Beginning {
    /// The array's index on its tape.
    array: u32,
    /// How many of its elements are valid.
    count: usize,
}

thread_local! {
    /// What the validator is not shown.
    static HIDDEN: RefCell<Vec<Beginning>> = const { RefCell::new(Vec::new()) };
}

impl Proven {
    /// Notes that the elements of an array are valid up to `count`.
    pub(super) fn note(&mut self, array: Node<'_>, count: usize) {
        if count > 0 {
            self.beginnings.push(Beginning { array: array.index(), count });
        }
    }

    #[cfg(test)]
    pub(super) const fn is_empty(&self) -> bool {
        self.beginnings.is_empty()
    }

    /// Lets the validator run on the tape that this is about, without what is known of it. `run` does not panic.
    pub(super) fn hidden<T>(&self, run: impl FnOnce() -> T) -> T {
        let before = HIDDEN.replace(self.beginnings.clone());
        let outcome = run();
        HIDDEN.set(before);
        outcome
    }

    /// The JSON Pointer in the value of what the validator has found at `path`.
    pub(super) fn place_of<'p>(&self, path: &'p str, root: Node<'_>) -> Cow<'p, str> {
        if self.beginnings.is_empty() {
            return path.into();
        }
        let mut place = String::with_capacity(path.len() + 8);
        let mut node = Some(root);
        for token in pointer::tokens(path) {
            let start = place.len();
            match node.and_then(|node| count_in(&self.beginnings, node)) {
                Some(count) => {
                    pointer::push_index(&mut place, count + pointer::parse_index(&token).unwrap_or_default())
                }
                None => pointer::push(&mut place, &token),
            }
            node = node.and_then(|node| node.at(place.get(start..)?));
        }
        place.into()
    }
}

/// The elements that the validator is shown.
pub(super) fn shown(mut elements: Elements<'_>) -> Elements<'_> {
    let hidden = HIDDEN.with_borrow(|hidden| count_in(hidden, elements.container()));
    if let Some(last) = hidden.and_then(|count| count.checked_sub(1)) {
        elements.nth(last);
    }
    elements
}

fn count_in(beginnings: &[Beginning], array: Node<'_>) -> Option<usize> {
    beginnings.iter().find(|beginning| beginning.array == array.index()).map(|beginning| beginning.count)
}
