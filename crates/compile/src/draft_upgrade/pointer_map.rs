//! The pointers of schemas before and after rewriting.

use std::collections::BTreeMap;

/// Pairs of JSON Pointers. Values below a moved pointer moved with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PointerMap {
    to_new: BTreeMap<String, String>,
    to_old: BTreeMap<String, String>,
}

impl PointerMap {
    /// Records the old and the new pointer of a schema.
    pub(super) fn record_schema(&mut self, old: &str, new: &str) {
        self.to_new.insert(old.to_owned(), new.to_owned());
        self.to_old.insert(new.to_owned(), old.to_owned());
    }

    /// Records the old pointer of a keyword that replaces another one.
    pub(super) fn record_keyword(&mut self, old: String, new: String) {
        self.to_old.insert(new, old);
    }

    /// Records that the schema at the new pointer `from` was copied to `to`.
    pub(crate) fn record_adopted(&mut self, from: &str, to: &str) {
        self.to_old.insert(to.to_owned(), self.old_pointer(from));
    }

    /// Moves the new pointers at or below `from` to `to`.
    pub(super) fn shift_new(&mut self, from: &str, to: &str) {
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

    /// The pointer after rewriting.
    #[must_use]
    pub fn new_pointer(&self, old: &str) -> String {
        map_pointer(&self.to_new, old)
    }

    /// The pointer before rewriting.
    #[must_use]
    pub fn old_pointer(&self, new: &str) -> String {
        map_pointer(&self.to_old, new)
    }
}

/// The pointer with its longest known prefix replaced.
fn map_pointer(places: &BTreeMap<String, String>, pointer: &str) -> String {
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
        let mut moved = PointerMap::default();
        moved.record_schema("", "");
        moved.record_schema("/items/0", "/prefixItems/0");
        moved.record_keyword("/dependencies/a".into(), "/dependentRequired/a".into());
        assert_eq!(moved.new_pointer("/items/0/minLength"), "/prefixItems/0/minLength");
        assert_eq!(moved.new_pointer("/items/1"), "/items/1");
        assert_eq!(moved.old_pointer("/prefixItems/0"), "/items/0");
        assert_eq!(moved.old_pointer("/dependentRequired/a/0"), "/dependencies/a/0");
        assert_eq!(moved.old_pointer(""), "");
    }
}
