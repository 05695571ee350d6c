//! Byte spans of the values of a JSON text, by JSON Pointer; and duplicate members.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use toolgate_json::pointer;

/// Byte ranges of a member's name and value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ValueSpan {
    pub(crate) key: Option<Range<usize>>,
    pub(crate) value: Range<usize>,
}

/// Finds the values of one text by their pointers. Parsed objects and arrays are cached: a file with many faults would
/// otherwise be parsed once for each.
#[derive(Debug, Clone, Default)]
pub(crate) struct JsonSpanIndex {
    /// By the byte offset of the object or array.
    containers: Arc<Mutex<HashMap<usize, Arc<ContainerSpans>>>>,
}

impl JsonSpanIndex {
    /// The span of the value at a JSON Pointer, or of its nearest existing ancestor; `text` must be the same at each
    /// call.
    pub(crate) fn locate(&self, text: &str, pointer: &str) -> ValueSpan {
        let mut spot = ValueSpan { key: None, value: trimmed_span(text) };
        for name in pointer::tokens(pointer) {
            let Some(found) = self.container(text, &spot.value).and_then(|level| level.child(&name)) else { break };
            spot = found;
        }
        spot
    }

    fn container(&self, text: &str, value: &Range<usize>) -> Option<Arc<ContainerSpans>> {
        let mut levels = self.containers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = levels.get(&value.start) {
            return Some(Arc::clone(known));
        }
        let level = Arc::new(ContainerSpans::parse(text, value)?);
        levels.insert(value.start, Arc::clone(&level));
        Some(level)
    }
}

/// The spans of the direct children of an object or array.
#[derive(Debug)]
enum ContainerSpans {
    Members(HashMap<String, ValueSpan>),
    Items(Vec<Range<usize>>),
}

impl ContainerSpans {
    fn parse(text: &str, value: &Range<usize>) -> Option<Self> {
        let children: JsonChildren<'_> = serde_json::from_str(text.get(value.clone())?).ok()?;
        Some(match children {
            JsonChildren::Members(members) => {
                let named = members.into_iter().filter_map(|(key, value)| {
                    let name: String = serde_json::from_str(key.get()).ok()?;
                    Some((name, ValueSpan { key: Some(span_of_part(text, key)), value: span_of_part(text, value) }))
                });
                // The last of several equal names wins, as in `JSON.parse`.
                Self::Members(named.collect())
            }
            JsonChildren::Items(items) => Self::Items(items.into_iter().map(|item| span_of_part(text, item)).collect()),
        })
    }

    fn child(&self, name: &str) -> Option<ValueSpan> {
        match self {
            Self::Members(members) => members.get(name).cloned(),
            Self::Items(items) => Some(ValueSpan { key: None, value: items.get(pointer::parse_index(name)?)?.clone() }),
        }
    }
}

/// The byte range of `part`, which borrows from `text`: the difference of the addresses is its offset.
fn span_of_part(text: &str, part: &RawValue) -> Range<usize> {
    let start = part.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + part.get().len()
}

fn trimmed_span(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// The direct children of an object or array, as slices of its text.
enum JsonChildren<'a> {
    Members(Vec<(&'a RawValue, &'a RawValue)>),
    Items(Vec<&'a RawValue>),
}

impl<'de: 'a, 'a> Deserialize<'de> for JsonChildren<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ChildrenVisitor;
        impl<'de> Visitor<'de> for ChildrenVisitor {
            type Value = JsonChildren<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object or array")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(JsonChildren::Members(members))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(JsonChildren::Items(items))
            }
        }
        deserializer.deserialize_any(ChildrenVisitor)
    }
}

/// The duplicate members of all objects, each with its pointer and the byte range of its name: a parser keeps the last
/// and drops the others silently.
pub(crate) fn duplicate_members(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    collect_duplicates(text, trimmed_span(text), "", &mut found);
    found
}

fn collect_duplicates(text: &str, value: Range<usize>, pointer: &str, found: &mut Vec<(String, Range<usize>)>) {
    let Some(inner) = text.get(value) else { return };
    if !inner.starts_with(['{', '[']) {
        return;
    }
    let Ok(children) = serde_json::from_str::<JsonChildren<'_>>(inner) else { return };
    match children {
        JsonChildren::Members(members) => {
            let mut seen = HashSet::new();
            for (key, value) in members {
                let name: String = serde_json::from_str(key.get()).unwrap_or_default();
                let mut below = pointer.to_owned();
                pointer::push(&mut below, &name);
                if !seen.insert(name) {
                    found.push((below.clone(), span_of_part(text, key)));
                }
                collect_duplicates(text, span_of_part(text, value), &below, found);
            }
        }
        JsonChildren::Items(items) => {
            for (index, value) in items.into_iter().enumerate() {
                collect_duplicates(text, span_of_part(text, value), &format!("{pointer}/{index}"), found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_are_seen_at_any_depth() {
        let found = duplicate_members(r#"{"a":[{"b":1,"c":{},"\u0062":2}],"d":"{\"a\":1,\"a\":2}"}"#);
        assert_eq!(found, [("/a/0/b".to_owned(), 20..28)]);
    }
}
