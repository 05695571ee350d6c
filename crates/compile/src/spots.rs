//! Where the values of a JSON text stand.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use toolgate_json::pointer;

/// Byte ranges of a member's name and value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) key: Option<Range<usize>>,
    pub(super) value: Range<usize>,
}

/// Finds the values of one text by their pointers. What was read on the way is kept: a file with many faults would
/// otherwise be read once for each.
#[derive(Debug, Clone, Default)]
pub(super) struct Spots {
    /// By the byte that an object or list begins with.
    levels: Arc<Mutex<HashMap<usize, Arc<Level>>>>,
}

impl Spots {
    /// The value at a JSON Pointer, or the nearest value above it that exists; `text` is the same at each call.
    pub(super) fn locate(&self, text: &str, pointer: &str) -> Spot {
        let mut spot = Spot { key: None, value: trimmed(text) };
        for name in pointer::tokens(pointer) {
            let Some(found) = self.level(text, &spot.value).and_then(|level| level.child(&name)) else { break };
            spot = found;
        }
        spot
    }

    fn level(&self, text: &str, value: &Range<usize>) -> Option<Arc<Level>> {
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = levels.get(&value.start) {
            return Some(Arc::clone(known));
        }
        let level = Arc::new(Level::read(text, value)?);
        levels.insert(value.start, Arc::clone(&level));
        Some(level)
    }
}

/// The direct children of an object or list.
#[derive(Debug)]
enum Level {
    Members(HashMap<String, Spot>),
    Items(Vec<Range<usize>>),
}

impl Level {
    fn read(text: &str, value: &Range<usize>) -> Option<Self> {
        let children: Children<'_> = serde_json::from_str(text.get(value.clone())?).ok()?;
        Some(match children {
            Children::Members(members) => {
                let named = members.into_iter().filter_map(|(key, value)| {
                    let name: String = serde_json::from_str(key.get()).ok()?;
                    Some((name, Spot { key: Some(range(text, key)), value: range(text, value) }))
                });
                // The last of equal names wins, as in JSON.parse.
                Self::Members(named.collect())
            }
            Children::Items(items) => Self::Items(items.into_iter().map(|item| range(text, item)).collect()),
        })
    }

    fn child(&self, name: &str) -> Option<Spot> {
        match self {
            Self::Members(members) => members.get(name).cloned(),
            Self::Items(items) => Some(Spot { key: None, value: items.get(pointer::index(name)?)?.clone() }),
        }
    }
}

/// The bytes of a part of `text`: it borrows from it, so the difference of the addresses is its offset.
fn range(text: &str, part: &RawValue) -> Range<usize> {
    let start = part.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + part.get().len()
}

fn trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// The direct children of an object or array, as slices of its text.
enum Children<'a> {
    Members(Vec<(&'a RawValue, &'a RawValue)>),
    Items(Vec<&'a RawValue>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Children<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ChildrenVisitor;
        impl<'de> Visitor<'de> for ChildrenVisitor {
            type Value = Children<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object or array")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Children::Members(members))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Children::Items(items))
            }
        }
        deserializer.deserialize_any(ChildrenVisitor)
    }
}

/// Members whose name stands twice in its object, each with its pointer and the bytes of the name: a reader keeps the
/// last and loses the others silently.
pub(super) fn repeated_members(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    collect_repeated(text, trimmed(text), "", &mut found);
    found
}

fn collect_repeated(text: &str, value: Range<usize>, pointer: &str, found: &mut Vec<(String, Range<usize>)>) {
    let Some(inner) = text.get(value) else { return };
    if !inner.starts_with(['{', '[']) {
        return;
    }
    let Ok(children) = serde_json::from_str::<Children<'_>>(inner) else { return };
    match children {
        Children::Members(members) => {
            let mut seen = HashSet::new();
            for (key, value) in members {
                let name: String = serde_json::from_str(key.get()).unwrap_or_default();
                let mut below = pointer.to_owned();
                pointer::push(&mut below, &name);
                if !seen.insert(name) {
                    found.push((below.clone(), range(text, key)));
                }
                collect_repeated(text, range(text, value), &below, found);
            }
        }
        Children::Items(items) => {
            for (index, value) in items.into_iter().enumerate() {
                collect_repeated(text, range(text, value), &format!("{pointer}/{index}"), found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_are_seen_at_any_depth() {
        let found = repeated_members(r#"{"a":[{"b":1,"c":{},"\u0062":2}],"d":"{\"a\":1,\"a\":2}"}"#);
        assert_eq!(found, [("/a/0/b".to_owned(), 20..28)]);
    }
}
