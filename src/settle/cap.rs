//! Data over the size that a mode sends to its model is shortened at structural boundaries: lists lose their last
//! elements, then members go, the largest first. No value is ever cut inside.
//!
//! Each pass takes as much as is needed by its own estimate, so that data of many members takes a few passes, not one
//! for each member.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::json::{Node, pointer};
use crate::response::{Shortened, Truncated};

/// Values told by name that were left out or shortened: what is told counts toward the model's context as well.
const TOLD: usize = 20;
/// Levels looked into: deeper values go with what holds them.
const LEVELS: u32 = 4;

/// The data as JSON text within `limit_bytes` and what was left out; `None` where it fits as it is.
pub(super) fn cap(data: Node<'_>, limit_bytes: u64) -> Option<(String, Truncated)> {
    let limit = usize::try_from(limit_bytes).unwrap_or(usize::MAX);
    let original = data.raw().len();
    if original <= limit {
        return None;
    }
    let mut value = data.to_value();
    let mut cut = Cut::default();
    let mut size = text_len(&value);
    while size > limit && cut.some(&mut value, size - limit) {
        size = text_len(&value);
    }
    if size > limit {
        value = Value::Null;
        cut.drop_whole(String::new());
    }
    Some((value.to_string(), cut.told(limit_bytes, original)))
}

/// What can be taken from a value: a list that has elements, or a member.
struct Candidate {
    pointer: String,
    size: usize,
    is_list: bool,
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
    /// Takes about `over` bytes. False where there is nothing to take.
    fn some(&mut self, value: &mut Value, over: usize) -> bool {
        let (mut lists, mut members): (Vec<_>, Vec<_>) = candidates(value).into_iter().partition(|found| found.is_list);
        lists.sort_by_key(|list| Reverse(list.size));
        members.sort_by_key(|member| Reverse(member.size));
        if lists.is_empty() {
            return self.members(value, &members, over);
        }
        self.lists(value, lists, over);
        true
    }

    fn lists(&mut self, value: &mut Value, lists: Vec<Candidate>, mut over: usize) {
        for list in lists {
            if over == 0 {
                return;
            }
            if let Some(Value::Array(items)) = value.pointer_mut(&list.pointer) {
                over = over.saturating_sub(self.shorten(items, over, list.pointer));
            }
        }
    }

    /// Takes elements off the end until at least `over` bytes are gone. Returns how many are.
    fn shorten(&mut self, items: &mut Vec<Value>, over: usize, path: String) -> usize {
        let of = items.len();
        let mut gone = 0;
        while gone < over
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

    fn members(&mut self, value: &mut Value, members: &[Candidate], mut over: usize) -> bool {
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
            self.drop_whole(member.pointer.clone());
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
        let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
        ends.filter_map(|end| pointer.get(..end)).any(|holder| self.gone.contains(holder))
    }

    fn told(mut self, limit_bytes: u64, original: usize) -> Truncated {
        let mut shortened = std::mem::take(&mut self.shortened);
        shortened.retain(|list| !self.has(&list.path));
        let more = self.dropped.len().saturating_sub(TOLD) + shortened.len().saturating_sub(TOLD);
        self.dropped.truncate(TOLD);
        shortened.truncate(TOLD);
        let original_bytes = u64::try_from(original).unwrap_or(u64::MAX);
        Truncated { limit_bytes, original_bytes, dropped: self.dropped, shortened, more }
    }
}

fn text_len(value: &Value) -> usize {
    value.to_string().len()
}

fn candidates(value: &Value) -> Vec<Candidate> {
    let mut found = Vec::new();
    walk(value, &mut String::new(), 0, &mut |pointer, candidate| {
        let is_list = candidate.as_array().is_some_and(|items| !items.is_empty());
        if is_list || !pointer.is_empty() {
            found.push(Candidate { pointer: pointer.to_owned(), size: text_len(candidate), is_list });
        }
    });
    found
}

fn walk(value: &Value, at: &mut String, level: u32, visit: &mut impl FnMut(&str, &Value)) {
    visit(at, value);
    let Value::Object(members) = value else { return };
    if level > LEVELS {
        return;
    }
    for (name, member) in members {
        let length = at.len();
        pointer::push(at, name);
        walk(member, at, level + 1, visit);
        at.truncate(length);
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
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::{Limits, LoneSurrogates, Tape};

    fn capped(data: &Value, limit: u64) -> Option<(Value, Truncated)> {
        let limits = Limits { max_depth: 64, max_bytes: usize::MAX, lone_surrogates: LoneSurrogates::Allow };
        let tape = Tape::parse(data.to_string(), &limits).unwrap();
        let (text, truncated) = cap(tape.root(), limit)?;
        assert!(text.len() <= usize::try_from(limit).unwrap().max(4), "{} bytes over {limit}", text.len());
        Some((serde_json::from_str(&text).unwrap(), truncated))
    }

    #[test]
    fn lists_lose_their_last_elements() {
        let data = json!({ "results": (0..100).map(|n| json!({ "id": n, "text": "x".repeat(50) })).collect::<Vec<_>>(), "n": 1 });
        let (kept, truncated) = capped(&data, 1000).unwrap();
        let results = kept["results"].as_array().unwrap();
        assert_eq!(results[..], data["results"].as_array().unwrap()[..results.len()]);
        assert_eq!(kept["n"], 1);
        assert_eq!(truncated.shortened, [Shortened { path: "/results".into(), kept: results.len(), of: 100 }]);
        assert!(truncated.dropped.is_empty());
    }

    #[test]
    fn members_go_whole_and_largest_first() {
        let data = json!({ "a": "x".repeat(500), "b": { "c/d": "y".repeat(2000), "e": "kept" } });
        let (kept, truncated) = capped(&data, 700).unwrap();
        assert_eq!(kept["a"], data["a"]);
        assert!(truncated.dropped.iter().any(|gone| gone.starts_with("/b")), "{truncated:?}");
    }

    #[test]
    fn what_fits_is_untouched_and_a_huge_scalar_is_nothing() {
        assert!(capped(&json!({ "a": 1 }), 100).is_none());
        let (kept, truncated) = capped(&json!("x".repeat(1000)), 100).unwrap();
        assert_eq!(kept, Value::Null);
        assert_eq!(truncated.dropped, [""]);
    }

    #[test]
    fn many_members_go_in_a_few_passes_and_few_are_named() {
        let members: serde_json::Map<String, Value> =
            (0..5000).map(|n| (format!("k{n}"), json!("x".repeat(50)))).collect();
        let (kept, truncated) = capped(&Value::Object(members), 8192).unwrap();
        let left = kept.as_object().unwrap().len();
        assert!(kept.to_string().len() > 8192 - 64, "no more goes than has to");
        assert_eq!((truncated.dropped.len(), left + truncated.dropped.len() + truncated.more), (TOLD, 5000));
    }

    #[test]
    fn a_name_that_begins_like_anothers_is_another() {
        let data = json!({ "a": "x".repeat(90), "ab": [1, 2, 3], "a/b": { "c": "y" } });
        let (kept, truncated) = capped(&data, 40).unwrap();
        assert_eq!(kept, json!({ "ab": [], "a/b": { "c": "y" } }));
        assert_eq!(truncated.dropped, ["/a"]);
        assert_eq!(truncated.shortened, [Shortened { path: "/ab".into(), kept: 0, of: 3 }]);
    }
}
