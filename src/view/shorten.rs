//! Data over the size that a mode sends to its model is shortened at structural boundaries, so that it costs the least
//! meaning: first goes what could never fit, then lists lose their last elements, then members go, the largest first.
//! A list is emptied only where nothing else is left to take. No value is ever cut inside.
//!
//! Each pass takes as much as is needed by its own estimate, so that data of many members takes a few passes, not one
//! for each member.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::Value;

use crate::json::{Node, pointer, string_len};
use crate::response::{Shortened, Truncated};

/// Values told by name that were left out or shortened: what is told counts toward the model's context as well.
const TOLD: usize = 20;
/// Levels looked into: deeper values go with what holds them.
const LEVELS: u32 = 4;
/// Elements that a list keeps for as long as a member can go instead.
const FEW: usize = 1;

/// The data as JSON text within `limit_bytes` and what was left out; `None` where it fits as it is.
#[must_use]
pub fn shorten(data: Node<'_>, limit_bytes: u64) -> Option<(String, Truncated)> {
    let limit = usize::try_from(limit_bytes).unwrap_or(usize::MAX);
    let original = data.raw().len();
    if original <= limit {
        return None;
    }
    let mut value = data.to_value();
    let mut cut = Cut::default();
    cut.outsized(&mut value, limit);
    let few = if bare_len(&value, FEW, 0) <= limit { FEW } else { 0 };
    cut.until(&mut value, |value| len_with(value, few, 0).saturating_sub(limit), Cut::leaves);
    cut.until(
        &mut value,
        |value| text_len(value).saturating_sub(limit),
        |cut, value, over| cut.lists(value, over, few),
    );
    cut.until(&mut value, |value| text_len(value).saturating_sub(limit), Cut::members);
    if text_len(&value) > limit {
        value = Value::Null;
        cut.drop_whole(String::new());
    }
    Some((value.to_string(), cut.told(limit_bytes, original)))
}

/// What can be taken from a value.
struct Candidate {
    pointer: String,
    size: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A list that has elements.
    List,
    /// An object that is looked into.
    Holder,
    /// A member that holds nothing more to take.
    Leaf,
}

/// What was taken, in the order of taking.
#[derive(Default)]
struct Cut {
    dropped: Vec<String>,
    gone: HashSet<String>,
    shortened: Vec<Shortened>,
    /// Places in `shortened`.
    places: HashMap<String, usize>,
}

impl Cut {
    /// Takes, pass by pass, until nothing is over or nothing is left to take.
    fn until(
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

    /// Members that alone are over the limit and can't be shortened, wherever they stand: they could never be told.
    fn outsized(&mut self, value: &mut Value, limit: usize) {
        take_outsized(value, &mut String::new(), limit, &mut |pointer| self.drop_whole(pointer));
    }

    /// Takes elements off the ends of lists, the largest first, until about `over` bytes are gone.
    fn lists(&mut self, value: &mut Value, mut over: usize, few: usize) -> bool {
        let mut lists = candidates(value, |kind| kind == Kind::List);
        largest_first(&mut lists);
        let mut took = false;
        for list in lists {
            if over == 0 {
                break;
            }
            if let Some(Value::Array(items)) = value.pointer_mut(&list.pointer)
                && items.len() > few
            {
                over = over.saturating_sub(self.shorten(items, over, few, list.pointer));
                took = true;
            }
        }
        took
    }

    /// Takes elements off the end until at least `over` bytes are gone. Returns how many are.
    fn shorten(&mut self, items: &mut Vec<Value>, over: usize, few: usize, path: String) -> usize {
        let of = items.len();
        let mut gone = 0;
        while gone < over
            && items.len() > few
            && let Some(last) = items.pop()
        {
            gone += text_len(&last) + 1;
        }
        let kept = items.len();
        let place = *self.places.entry(path.clone()).or_insert(self.shortened.len());
        match self.shortened.get_mut(place) {
            Some(list) => list.kept = kept,
            None => self.shortened.push(Shortened { path, kept, of }),
        }
        gone
    }

    /// Takes members that hold nothing more to take, the largest first.
    fn leaves(&mut self, value: &mut Value, over: usize) -> bool {
        let leaves = candidates(value, |kind| kind == Kind::Leaf);
        self.take(value, leaves, over)
    }

    /// Takes members with whatever they hold, the largest first.
    fn members(&mut self, value: &mut Value, over: usize) -> bool {
        let members = candidates(value, |_| true);
        self.take(value, members, over)
    }

    fn take(&mut self, value: &mut Value, mut members: Vec<Candidate>, mut over: usize) -> bool {
        members.retain(|member| !member.pointer.is_empty());
        largest_first(&mut members);
        let before = self.gone.len();
        for member in members {
            if over == 0 {
                break;
            }
            if self.has(&member.pointer) {
                continue;
            }
            let name = member.pointer.rsplit('/').next().unwrap_or_default();
            // With its name's quotes, the colon and the comma.
            over = over.saturating_sub(member.size + name.len() + 4);
            self.drop_whole(member.pointer);
        }
        prune(value, &mut String::new(), 0, &self.gone);
        self.gone.len() > before
    }

    fn drop_whole(&mut self, pointer: String) {
        self.gone.insert(pointer.clone());
        self.dropped.push(pointer);
    }

    /// Whether a value is gone, with what held it or by itself.
    fn has(&self, pointer: &str) -> bool {
        holders(pointer).any(|holder| self.gone.contains(holder))
    }

    /// Whether a value is gone with what held it.
    fn has_holder_of(&self, pointer: &str) -> bool {
        holders(pointer).any(|holder| holder != pointer && self.gone.contains(holder))
    }

    /// Whether a value was an element of a list, or in one, that the list lost.
    fn is_behind(&self, pointer: &str) -> bool {
        holders(pointer).any(|holder| {
            let list = self.places.get(holder).and_then(|place| self.shortened.get(*place));
            let element = list.and_then(|_| pointer.get(holder.len() + 1..)?.split('/').next()?.parse::<usize>().ok());
            list.zip(element).is_some_and(|(list, element)| element >= list.kept)
        })
    }

    fn told(mut self, limit_bytes: u64, original: usize) -> Truncated {
        let mut dropped = std::mem::take(&mut self.dropped);
        dropped.retain(|pointer| !self.is_behind(pointer) && !self.has_holder_of(pointer));
        let mut shortened = std::mem::take(&mut self.shortened);
        shortened.retain(|list| !self.has(&list.path));
        let more = dropped.len().saturating_sub(TOLD) + shortened.len().saturating_sub(TOLD);
        dropped.truncate(TOLD);
        shortened.truncate(TOLD);
        let original_bytes = u64::try_from(original).unwrap_or(u64::MAX);
        Truncated { limit_bytes, original_bytes, dropped, shortened, more }
    }
}

/// A pointer and those of what holds its value.
fn holders(pointer: &str) -> impl Iterator<Item = &str> {
    let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
    ends.filter_map(|end| pointer.get(..end))
}

/// How long the value's text is, without writing it.
fn text_len(value: &Value) -> usize {
    // Two brackets, and a comma between two.
    let around = |count: usize| count.max(1) + 1;
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => {
            let mut counter = Counter(0);
            // Counting cannot fail.
            let _ = write!(counter, "{number}");
            counter.0
        }
        Value::String(text) => string_len(text),
        Value::Array(items) => around(items.len()) + items.iter().map(text_len).sum::<usize>(),
        Value::Object(members) => {
            let lengths = members.iter().map(|(name, member)| string_len(name) + 1 + text_len(member));
            around(members.len()) + lengths.sum::<usize>()
        }
    }
}

/// Counts what is written.
struct Counter(usize);

impl std::fmt::Write for Counter {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// The text's length with no more than `few` elements in each list that can be shortened.
fn len_with(value: &Value, few: usize, level: u32) -> usize {
    measured(value, few, level, len_with)
}

/// As [`len_with`], and without the members that can go.
fn bare_len(value: &Value, few: usize, level: u32) -> usize {
    measured(
        value,
        few,
        level,
        |member, few, level| {
            if kind_of(member, level) == Kind::Leaf { 0 } else { bare_len(member, few, level) }
        },
    )
}

fn measured(value: &Value, few: usize, level: u32, of: impl Fn(&Value, usize, u32) -> usize) -> usize {
    match (value, kind_of(value, level)) {
        (Value::Array(items), Kind::List) => {
            2 + items.iter().take(few).map(|item| text_len(item) + 1).sum::<usize>().saturating_sub(1)
        }
        (Value::Object(members), Kind::Holder) => {
            let sizes = members.iter().map(|(name, member)| match of(member, few, level + 1) {
                0 => 0,
                size => string_len(name) + size + 2,
            });
            2 + sizes.sum::<usize>().saturating_sub(1)
        }
        _ => text_len(value),
    }
}

fn kind_of(value: &Value, level: u32) -> Kind {
    match value {
        Value::Array(items) if !items.is_empty() => Kind::List,
        Value::Object(members) if !members.is_empty() && level <= LEVELS => Kind::Holder,
        _ => Kind::Leaf,
    }
}

fn largest_first(candidates: &mut [Candidate]) {
    candidates.sort_by_key(|candidate| Reverse(candidate.size));
}

fn candidates(value: &Value, is_meant: impl Fn(Kind) -> bool) -> Vec<Candidate> {
    let mut found = Vec::new();
    walk(value, &mut String::new(), 0, &mut |pointer, candidate, kind| {
        if is_meant(kind) {
            found.push(Candidate { pointer: pointer.to_owned(), size: text_len(candidate) });
        }
    });
    found
}

fn walk(value: &Value, at: &mut String, level: u32, visit: &mut impl FnMut(&str, &Value, Kind)) {
    let kind = kind_of(value, level);
    visit(at, value, kind);
    let (Value::Object(members), Kind::Holder) = (value, kind) else { return };
    for (name, member) in members {
        let length = at.len();
        pointer::push(at, name);
        walk(member, at, level + 1, visit);
        at.truncate(length);
    }
}

/// Takes members out that are no containers and alone over the limit, also in the elements of lists.
fn take_outsized(value: &mut Value, at: &mut String, limit: usize, told: &mut impl FnMut(String)) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let length = at.len();
                pointer::push_index(at, index);
                take_outsized(item, at, limit, told);
                at.truncate(length);
            }
        }
        Value::Object(members) => members.retain(|name, member| {
            let length = at.len();
            pointer::push(at, name);
            let stays = matches!(member, Value::Array(_) | Value::Object(_)) || text_len(member) <= limit;
            if stays {
                take_outsized(member, at, limit, told);
            } else {
                told(at.clone());
            }
            at.truncate(length);
            stays
        }),
        _ => {}
    }
}

/// Takes every member out that is gone, in one pass.
fn prune(value: &mut Value, at: &mut String, level: u32, gone: &HashSet<String>) {
    let Value::Object(members) = value else { return };
    if level > LEVELS {
        return;
    }
    members.retain(|name, member| {
        let length = at.len();
        pointer::push(at, name);
        let stays = !gone.contains(at.as_str());
        if stays {
            prune(member, at, level + 1, gone);
        }
        at.truncate(length);
        stays
    });
}

#[cfg(test)]
mod tests;
