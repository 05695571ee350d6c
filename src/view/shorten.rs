//! Shortens data over a mode's size limit at structural boundaries, losing as little meaning as possible: first members
//! that alone exceed the limit, then texts and numbers, the largest first, if lists of one element would not fit beside them,
//! then last elements of lists, then members, the largest first. A list is emptied only if nothing else can be removed.
//! A string or number is never truncated, except texts of other people's servers ([`super::long_texts`]). What still does not fit, such as one long string, becomes `null` as a whole.
//!
//! Each pass removes as much as its estimate requires, so data with many members takes a few passes, not one per
//! member.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::long_texts::cut_texts;
use crate::json::{Node, json_string_len, pointer};
use crate::response::{Shortened, Truncated};

/// The number of removed, and of shortened, values reported by pointer: the report uses the model's context as well.
const MAX_REPORTED: usize = 20;
/// The number of levels searched: deeper values are removed with their container.
const MAX_LEVELS: u32 = 4;
/// The number of elements that a list keeps while a member can be removed instead.
const MIN_ELEMENTS: usize = 1;

/// What becomes of a text that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongTexts {
    /// It is removed as a whole.
    Whole,
    /// It is cut at the end of a line, with a mark of what is missing.
    Cut,
}

/// Returns the data as JSON text within `limit_bytes` and a report of the removed values; `None` if the data fits.
#[must_use]
pub fn shorten(data: Node<'_>, limit_bytes: u64, texts: LongTexts) -> Option<(String, Truncated)> {
    let limit = usize::try_from(limit_bytes).unwrap_or(usize::MAX);
    let original = data.raw().len();
    if original <= limit {
        return None;
    }
    let mut value = data.to_value();
    let mut cut = Shortener::default();
    if texts == LongTexts::Cut {
        let excess = json_len(&value).saturating_sub(limit);
        cut.shortened = cut_texts(&mut value, excess);
    }
    cut.remove_outsized(&mut value, limit);
    let few = if len_without_leaves(&value, MIN_ELEMENTS, 0) <= limit { MIN_ELEMENTS } else { 0 };
    cut.repeat_until_fits(
        &mut value,
        |value| len_with_min_lists(value, few, 0).saturating_sub(limit),
        Shortener::remove_leaves,
    );
    cut.repeat_until_fits(
        &mut value,
        |value| json_len(value).saturating_sub(limit),
        |cut, value, over| cut.shorten_lists(value, over, few),
    );
    cut.repeat_until_fits(&mut value, |value| json_len(value).saturating_sub(limit), Shortener::remove_members);
    if json_len(&value) > limit {
        value = Value::Null;
        cut.record_dropped(String::new());
    }
    Some((value.to_string(), cut.into_truncated(limit_bytes, original)))
}

/// A value that can be shortened or removed.
struct Candidate {
    pointer: String,
    size: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ShortenableKind {
    /// A non-empty list.
    List,
    /// A non-empty object within the searched levels.
    Container,
    /// Any other value.
    Leaf,
}

/// Removes values and records them, in the order of removal.
#[derive(Default)]
struct Shortener {
    dropped: Vec<String>,
    removed: HashSet<String>,
    shortened: Vec<Shortened>,
    /// The index in `shortened` of each list, by pointer.
    shortened_index: HashMap<String, usize>,
}

impl Shortener {
    /// Runs passes until the value fits or a pass removes nothing.
    fn repeat_until_fits(
        &mut self,
        value: &mut Value,
        over: impl Fn(&Value) -> usize,
        mut take: impl FnMut(&mut Self, &mut Value, usize) -> bool,
    ) {
        loop {
            let over = over(value);
            if over == 0 || !take(self, value, over) {
                return;
            }
        }
    }

    /// Removes members, at any depth, that alone exceed the limit and can't be shortened.
    fn remove_outsized(&mut self, value: &mut Value, limit: usize) {
        remove_outsized_members(value, &mut String::new(), limit, &mut |pointer| self.record_dropped(pointer));
    }

    /// Removes last elements of lists, the largest list first, until about `over` bytes are removed.
    fn shorten_lists(&mut self, value: &mut Value, mut over: usize, few: usize) -> bool {
        let mut lists = candidates(value, |kind| kind == ShortenableKind::List);
        largest_first(&mut lists);
        let mut took = false;
        for list in lists {
            if over == 0 {
                break;
            }
            if let Some(Value::Array(items)) = value.pointer_mut(&list.pointer)
                && items.len() > few
            {
                over = over.saturating_sub(self.pop_elements(items, over, few, list.pointer));
                took = true;
            }
        }
        took
    }

    /// Removes last elements until at least `over` bytes are removed. Returns the bytes removed.
    fn pop_elements(&mut self, items: &mut Vec<Value>, over: usize, few: usize, path: String) -> usize {
        let of = items.len();
        let mut gone = 0;
        while gone < over
            && items.len() > few
            && let Some(last) = items.pop()
        {
            gone += json_len(&last) + 1;
        }
        let kept = items.len();
        let place = *self.shortened_index.entry(path.clone()).or_insert(self.shortened.len());
        match self.shortened.get_mut(place) {
            Some(list) => list.kept = kept,
            None => self.shortened.push(Shortened { path, kept, original_len: of }),
        }
        gone
    }

    /// Removes members without removable values inside, the largest first.
    fn remove_leaves(&mut self, value: &mut Value, over: usize) -> bool {
        let leaves = candidates(value, |kind| kind == ShortenableKind::Leaf);
        self.remove_largest(value, leaves, over)
    }

    /// Removes members of any kind, the largest first.
    fn remove_members(&mut self, value: &mut Value, over: usize) -> bool {
        let members = candidates(value, |_| true);
        self.remove_largest(value, members, over)
    }

    fn remove_largest(&mut self, value: &mut Value, mut members: Vec<Candidate>, mut over: usize) -> bool {
        members.retain(|member| !member.pointer.is_empty());
        largest_first(&mut members);
        let before = self.removed.len();
        for member in members {
            if over == 0 {
                break;
            }
            if self.is_removed(&member.pointer) {
                continue;
            }
            let name = member.pointer.rsplit('/').next().unwrap_or_default();
            // Plus the name's quotes, the colon and the comma.
            over = over.saturating_sub(member.size + name.len() + 4);
            self.record_dropped(member.pointer);
        }
        remove_pointers(value, &mut String::new(), 0, &self.removed);
        self.removed.len() > before
    }

    fn record_dropped(&mut self, pointer: String) {
        self.removed.insert(pointer.clone());
        self.dropped.push(pointer);
    }

    /// Whether a value or an ancestor of it was removed.
    fn is_removed(&self, pointer: &str) -> bool {
        self_and_ancestors(pointer).any(|holder| self.removed.contains(holder))
    }

    /// Whether an ancestor of a value was removed.
    fn is_ancestor_removed(&self, pointer: &str) -> bool {
        self_and_ancestors(pointer).any(|holder| holder != pointer && self.removed.contains(holder))
    }

    /// Whether a value is, or is inside of, a removed element of a shortened list.
    fn is_in_removed_element(&self, pointer: &str) -> bool {
        self_and_ancestors(pointer).any(|holder| {
            let list = self.shortened_index.get(holder).and_then(|place| self.shortened.get(*place));
            let element = list.and_then(|_| pointer.get(holder.len() + 1..)?.split('/').next()?.parse::<usize>().ok());
            list.zip(element).is_some_and(|(list, element)| element >= list.kept)
        })
    }

    fn into_truncated(mut self, limit_bytes: u64, original: usize) -> Truncated {
        let mut dropped = std::mem::take(&mut self.dropped);
        dropped.retain(|pointer| !self.is_in_removed_element(pointer) && !self.is_ancestor_removed(pointer));
        let mut shortened = std::mem::take(&mut self.shortened);
        shortened.retain(|list| !self.is_removed(&list.path));
        let more = dropped.len().saturating_sub(MAX_REPORTED) + shortened.len().saturating_sub(MAX_REPORTED);
        dropped.truncate(MAX_REPORTED);
        shortened.truncate(MAX_REPORTED);
        let original_bytes = u64::try_from(original).unwrap_or(u64::MAX);
        Truncated { limit_bytes, original_bytes, dropped, shortened, more }
    }
}

/// A pointer and the pointers of its ancestors.
fn self_and_ancestors(pointer: &str) -> impl Iterator<Item = &str> {
    let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
    ends.filter_map(|end| pointer.get(..end))
}

/// The length of the value's JSON text, without writing it.
fn json_len(value: &Value) -> usize {
    // Two brackets, and a comma between two elements.
    let around = |count: usize| count.max(1) + 1;
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => {
            let mut counter = ByteCounter(0);
            // Counting cannot fail.
            let _ = write!(counter, "{number}");
            counter.0
        }
        Value::String(text) => json_string_len(text),
        Value::Array(items) => around(items.len()) + items.iter().map(json_len).sum::<usize>(),
        Value::Object(members) => {
            let lengths = members.iter().map(|(name, member)| json_string_len(name) + 1 + json_len(member));
            around(members.len()) + lengths.sum::<usize>()
        }
    }
}

/// Counts the bytes written.
struct ByteCounter(usize);

impl std::fmt::Write for ByteCounter {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// The text's length with at most `few` elements in each list that can be shortened.
fn len_with_min_lists(value: &Value, few: usize, level: u32) -> usize {
    measure(value, few, level, len_with_min_lists)
}

/// As [`len_with_min_lists`], and without the members that can be removed.
fn len_without_leaves(value: &Value, few: usize, level: u32) -> usize {
    measure(value, few, level, |member, few, level| {
        if kind_of(member, level) == ShortenableKind::Leaf { 0 } else { len_without_leaves(member, few, level) }
    })
}

fn measure(value: &Value, few: usize, level: u32, of: impl Fn(&Value, usize, u32) -> usize) -> usize {
    match (value, kind_of(value, level)) {
        (Value::Array(items), ShortenableKind::List) => {
            2 + items.iter().take(few).map(|item| json_len(item) + 1).sum::<usize>().saturating_sub(1)
        }
        (Value::Object(members), ShortenableKind::Container) => {
            let sizes = members.iter().map(|(name, member)| match of(member, few, level + 1) {
                0 => 0,
                size => json_string_len(name) + size + 2,
            });
            2 + sizes.sum::<usize>().saturating_sub(1)
        }
        _ => json_len(value),
    }
}

fn kind_of(value: &Value, level: u32) -> ShortenableKind {
    match value {
        Value::Array(items) if !items.is_empty() => ShortenableKind::List,
        Value::Object(members) if !members.is_empty() && level <= MAX_LEVELS => ShortenableKind::Container,
        _ => ShortenableKind::Leaf,
    }
}

fn largest_first(candidates: &mut [Candidate]) {
    candidates.sort_by_key(|candidate| Reverse(candidate.size));
}

fn candidates(value: &Value, is_meant: impl Fn(ShortenableKind) -> bool) -> Vec<Candidate> {
    let mut found = Vec::new();
    walk(value, &mut String::new(), 0, &mut |pointer, candidate, kind| {
        if is_meant(kind) {
            found.push(Candidate { pointer: pointer.to_owned(), size: json_len(candidate) });
        }
    });
    found
}

fn walk(value: &Value, at: &mut String, level: u32, visit: &mut impl FnMut(&str, &Value, ShortenableKind)) {
    let kind = kind_of(value, level);
    visit(at, value, kind);
    let (Value::Object(members), ShortenableKind::Container) = (value, kind) else { return };
    for (name, member) in members {
        let length = at.len();
        pointer::push(at, name);
        walk(member, at, level + 1, visit);
        at.truncate(length);
    }
}

/// Removes members, also in the elements of lists, that are not containers and alone exceed the limit.
fn remove_outsized_members(value: &mut Value, at: &mut String, limit: usize, on_removed: &mut impl FnMut(String)) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let length = at.len();
                pointer::push_index(at, index);
                remove_outsized_members(item, at, limit, on_removed);
                at.truncate(length);
            }
        }
        Value::Object(members) => members.retain(|name, member| {
            let length = at.len();
            pointer::push(at, name);
            let stays = matches!(member, Value::Array(_) | Value::Object(_)) || json_len(member) <= limit;
            if stays {
                remove_outsized_members(member, at, limit, on_removed);
            } else {
                on_removed(at.clone());
            }
            at.truncate(length);
            stays
        }),
        _ => {}
    }
}

/// Removes every member whose pointer is in `gone`, in one pass.
fn remove_pointers(value: &mut Value, at: &mut String, level: u32, gone: &HashSet<String>) {
    let Value::Object(members) = value else { return };
    if level > MAX_LEVELS {
        return;
    }
    members.retain(|name, member| {
        let length = at.len();
        pointer::push(at, name);
        let stays = !gone.contains(at.as_str());
        if stays {
            remove_pointers(member, at, level + 1, gone);
        }
        at.truncate(length);
        stays
    });
}

#[cfg(test)]
mod tests;
