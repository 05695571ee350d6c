//! Keys that an object holds twice: finding them, and rewriting the text without them.

use super::entry::{Entry, Tag};
use super::{Node, Tape, string};

/// Up to this many keys are compared pair by pair; more are sorted first, so that no object costs quadratic time.
const PAIRWISE: usize = 16;

/// What tells a key from most others, and mostly its place among them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// Its first bytes.
    beginning: u64,
    /// Equal for equal keys, and for few others.
    mark: u64,
}

impl Name {
    /// Of any key with an escape: which string it is, its bytes do not tell. No text has such bytes.
    pub(super) const ESCAPED: Self = Self { beginning: u64::MAX, mark: u64::MAX };

    /// Of the key from `start` to `end`.
    #[inline]
    pub(super) fn of(bytes: &[u8], start: usize, end: usize) -> Self {
        let beginning = string::beginning(bytes, start, end);
        if end - start <= 8 {
            return Self { beginning, mark: beginning };
        }
        let ending = string::beginning(bytes, end - 8, end);
        Self { beginning, mark: beginning ^ ending.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }
}

/// Whether keys stand in canonical order, none of them twice. False may only mean that their first bytes do not tell.
pub(super) fn are_in_order(names: &[Name]) -> bool {
    let is_ascii = string::is_ascii(names.iter().fold(0, |all, name| all | name.beginning));
    // Bytes and code units order ASCII alike.
    is_ascii && names.array_windows().all(|[left, right]| left.beginning < right.beginning)
}

/// Whether a key may be there twice. False is certain.
pub(super) fn may_repeat(names: &[Name]) -> bool {
    if names.iter().any(|name| name.beginning == u64::MAX) {
        return true;
    }
    if names.len() > PAIRWISE {
        let mut marks: Vec<u64> = names.iter().map(|name| name.mark).collect();
        marks.sort_unstable();
        return marks.array_windows().any(|[left, right]| left == right);
    }
    let mut rest = names;
    while let Some((name, others)) = rest.split_first() {
        if others.iter().any(|other| name.mark == other.mark) {
            return true;
        }
        rest = others;
    }
    false
}

/// Whether two keys are the same string, given the texts between their quotes.
fn same(text: &str, left: Entry, right: Entry) -> bool {
    let (left_text, right_text) = (inside(text, left), inside(text, right));
    if left.tag() == Tag::Plain && right.tag() == Tag::Plain {
        left_text == right_text
    } else {
        string::units(left_text).eq(string::units(right_text))
    }
}

fn inside(text: &str, entry: Entry) -> &str {
    text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
}

/// Whether a key is there twice among the entries of one object's keys.
pub(super) fn has_duplicate(text: &str, keys: impl Iterator<Item = Entry>) -> bool {
    let mut keys: Vec<Entry> = keys.collect();
    sort(text, &mut keys, |key| *key);
    keys.array_windows().any(|[left, right]| same(text, *left, *right))
}

/// Sorts by key so that equal ones are neighbours, in the order in which they stand in the text.
///
/// One order for the whole sort: bytes and code units order some characters differently.
fn sort<T>(text: &str, members: &mut [T], key: impl Fn(&T) -> Entry) {
    if members.iter().all(|member| key(member).tag() == Tag::Plain) {
        members.sort_by(|left, right| inside(text, key(left)).cmp(inside(text, key(right))));
    } else {
        members.sort_by_cached_key(|member| string::units(inside(text, key(member))).collect::<Vec<u16>>());
    }
}

/// The text with each key once, where it stood first, with its last value.
pub(super) fn without_duplicates(tape: &Tape) -> String {
    let mut out = String::with_capacity(tape.text().len());
    write(tape.root(), &mut out);
    out
}

/// Recurses as deep as the value is nested, which `DEPTH_CEILING` bounds.
fn write(node: Node<'_>, out: &mut String) {
    match node.entry().tag() {
        Tag::Array => {
            out.push('[');
            for (index, element) in node.elements().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(element, out);
            }
            out.push(']');
        }
        Tag::Object => {
            out.push('{');
            for (index, (key, value)) in winners(node).into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(key.raw());
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        _ => out.push_str(node.raw()),
    }
}

/// The first of each key with the last of its values, in document order.
fn winners<'t>(object: Node<'t>) -> Vec<(Node<'t>, Node<'t>)> {
    let text = object.tape().text();
    let mut members: Vec<(Node<'t>, Node<'t>)> = object.member_nodes().collect();
    sort(text, &mut members, |(key, _)| key.entry());
    members.dedup_by(|(later, last), (first, value)| {
        let twice = same(text, first.entry(), later.entry());
        if twice {
            *value = *last;
        }
        twice
    });
    members.sort_unstable_by_key(|(key, _)| key.index());
    members
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, Tape};

    fn unique(text: &str) -> String {
        Tape::parse(text, &Limits::widest()).unwrap().into_text()
    }

    #[test]
    fn the_last_value_counts_at_the_place_of_the_first() {
        assert_eq!(unique(r#"{"a": 1, "b": 2, "a": 3}"#), r#"{"a":3,"b":2}"#);
        assert_eq!(unique(r#"{"a":1,"a":2,"a":[{"x":1,"x":{}}]}"#), r#"{"a":[{"x":{}}]}"#);
        assert_eq!(unique(r#"{"a":{"b":1,"b":2},"a":3}"#), r#"{"a":3}"#);
    }

    #[test]
    fn keys_are_compared_as_the_strings_that_they_are() {
        assert_eq!(unique(r#"{"a":1,"\u0061":2}"#), r#"{"a":2}"#);
        assert_eq!(unique(r#"{"\n":1,"\u000a":2}"#), r#"{"\n":2}"#);
        assert_eq!(unique(r#"{"😂":1,"\ud83d\ude02":2}"#), r#"{"😂":2}"#);
        let kept = r#"{"\ud800":1,"\ud801":2,"\ufffd":3,"a":4,"A":5,"":6}"#;
        assert_eq!(unique(kept), kept);
    }

    #[test]
    fn text_without_duplicates_is_left_alone() {
        let text = "{ \"a\" : { \"a\" : 1 } , \"b\" : [ { \"a\" : 1 } , { \"a\" : 1 } ] }";
        assert_eq!(unique(text), text);
    }

    #[test]
    fn many_keys_are_compared_as_few_are() {
        for name in ["k", "\\u006b"] {
            let keys: Vec<String> = (0..200).map(|n| format!("\"{name}{n}\":{n}")).collect();
            let text = format!("{{{}}}", keys.join(","));
            assert_eq!(unique(&text), text);
            let doubled = format!("{{{},\"k7\":\"last\"}}", keys.join(","));
            let tape = Tape::parse(doubled, &Limits::widest()).unwrap();
            assert_eq!(tape.root().len(), 200);
            assert_eq!(tape.root().get("k7").unwrap().raw(), "\"last\"");
        }
    }
}
