//! Where schemas stand before and after rewriting.

use std::collections::BTreeMap;

/// Pairs of JSON Pointers. What stands below a moved place moved with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moved {
    to_new: BTreeMap<String, String>,
    to_old: BTreeMap<String, String>,
}

impl Moved {
    /// A schema stands elsewhere, or at the same place.
    pub(super) fn schema(&mut self, old: &str, new: &str) {
        self.to_new.insert(old.to_owned(), new.to_owned());
        self.to_old.insert(new.to_owned(), old.to_owned());
    }

    /// A keyword is made from another.
    pub(super) fn keyword(&mut self, old: String, new: String) {
        self.to_old.insert(new, old);
    }

    /// What stands at or below a new place stands at or below another.
    pub(super) fn shift(&mut self, from: &str, to: &str) {
        let below = |place: &str| {
            let rest = place.strip_prefix(from).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
            Some(format!("{to}{rest}"))
        };
        for new in self.to_new.values_mut() {
            if let Some(shifted) = below(new) {
                *new = shifted;
            }
        }
        let old = std::mem::take(&mut self.to_old);
        self.to_old = old.into_iter().map(|(new, old)| (below(&new).unwrap_or(new), old)).collect();
    }

    /// The place after rewriting.
    #[must_use]
    pub fn new_of(&self, old: &str) -> String {
        follow(&self.to_new, old)
    }

    /// The place before rewriting.
    #[must_use]
    pub fn old_of(&self, new: &str) -> String {
        follow(&self.to_old, new)
    }
}

/// The pointer with the longest beginning that is known replaced.
fn follow(places: &BTreeMap<String, String>, pointer: &str) -> String {
    let mut known = pointer;
    loop {
        if let Some(place) = places.get(known) {
            return format!("{place}{}", pointer.strip_prefix(known).unwrap_or_default());
        }
        match known.rfind('/') {
            Some(end) => known = known.get(..end).unwrap_or_default(),
            None => return pointer.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_known_beginning_counts() {
        let mut moved = Moved::default();
        moved.schema("", "");
        moved.schema("/items/0", "/prefixItems/0");
        moved.keyword("/dependencies/a".into(), "/dependentRequired/a".into());
        assert_eq!(moved.new_of("/items/0/minLength"), "/prefixItems/0/minLength");
        assert_eq!(moved.new_of("/items/1"), "/items/1");
        assert_eq!(moved.old_of("/prefixItems/0"), "/items/0");
        assert_eq!(moved.old_of("/dependentRequired/a/0"), "/dependencies/a/0");
        assert_eq!(moved.old_of(""), "");
    }
}
