//! Duplicate keys of an object: detection, and rewriting of the text without them.

use super::entry::{Tag, TapeEntry};
use super::{Node, Tape, string};

/// Maximum number of keys that are compared pairwise; more are sorted first, so that no object takes quadratic time.
const MAX_PAIRWISE_KEYS: usize = 16;

/// A digest of a key: distinguishes it from most other keys, and mostly determines its order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyDigest {
    /// The first bytes of the key.
    prefix: u64,
    /// Equal for equal keys, and for few unequal keys.
    hash: u64,
}

impl KeyDigest {
    /// The digest of every key with an escape: its bytes do not identify the string. No UTF-8 text has such bytes.
    pub(super) const ESCAPED: Self = Self { prefix: u64::MAX, hash: u64::MAX };

    /// The digest of the key from `start` to `end`.
    #[inline]
    pub(super) fn from_key(bytes: &[u8], start: usize, end: usize) -> Self {
        let beginning = string::prefix_number(bytes, start, end);
        if end - start <= 8 {
            return Self { prefix: beginning, hash: beginning };
        }
        let ending = string::prefix_number(bytes, end - 8, end);
        Self { prefix: beginning, hash: beginning ^ ending.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }
}

/// Whether keys are in canonical order without duplicates. False may also mean that the first bytes do not decide it.
pub(super) fn are_in_canonical_order(names: &[KeyDigest]) -> bool {
    let is_ascii = string::is_ascii_prefix(names.iter().fold(0, |all, name| all | name.prefix));
    // ASCII sorts the same by bytes and by code units.
    is_ascii && names.array_windows().all(|[left, right]| left.prefix < right.prefix)
}

/// Whether there may be a duplicate key. False is certain.
pub(super) fn may_have_duplicate(names: &[KeyDigest]) -> bool {
    if names.iter().any(|name| name.prefix == u64::MAX) {
        return true;
    }
    if names.len() > MAX_PAIRWISE_KEYS {
        let mut marks: Vec<u64> = names.iter().map(|name| name.hash).collect();
        marks.sort_unstable();
        return marks.array_windows().any(|[left, right]| left == right);
    }
    let mut rest = names;
    while let Some((name, others)) = rest.split_first() {
        if others.iter().any(|other| name.hash == other.hash) {
            return true;
        }
        rest = others;
    }
    false
}

/// Whether two keys are the same string, given the texts between their quotes.
fn is_same_key(text: &str, left: TapeEntry, right: TapeEntry) -> bool {
    let (left_text, right_text) = (key_text(text, left), key_text(text, right));
    if left.tag() == Tag::PlainString && right.tag() == Tag::PlainString {
        left_text == right_text
    } else {
        string::utf16_units(left_text).eq(string::utf16_units(right_text))
    }
}

fn key_text(text: &str, entry: TapeEntry) -> &str {
    text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
}

/// Whether the keys of one object contain a duplicate.
pub(super) fn has_duplicate(text: &str, keys: impl Iterator<Item = TapeEntry>) -> bool {
    let mut keys: Vec<TapeEntry> = keys.collect();
    sort_by_key(text, &mut keys, |key| *key);
    keys.array_windows().any(|[left, right]| is_same_key(text, *left, *right))
}

/// Sorts by key, so that equal keys are adjacent, in document order.
///
/// The whole sort uses one order: bytes and code units order some characters differently.
fn sort_by_key<T>(text: &str, members: &mut [T], key: impl Fn(&T) -> TapeEntry) {
    if members.iter().all(|member| key(member).tag() == Tag::PlainString) {
        members.sort_by(|left, right| key_text(text, key(left)).cmp(key_text(text, key(right))));
    } else {
        members.sort_by_cached_key(|member| string::utf16_units(key_text(text, key(member))).collect::<Vec<u16>>());
    }
}

/// Returns the text with each key once, at its first position, with its last value.
pub(super) fn without_duplicates(tape: &Tape) -> String {
    let mut out = String::with_capacity(tape.text().len());
    write_without_duplicates(tape.root(), &mut out);
    out
}

/// The recursion depth is the nesting depth, bounded by `DEPTH_CEILING`.
fn write_without_duplicates(node: Node<'_>, out: &mut String) {
    match node.entry().tag() {
        Tag::Array => {
            out.push('[');
            for (index, element) in node.elements().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_without_duplicates(element, out);
            }
            out.push(']');
        }
        Tag::Object => {
            out.push('{');
            for (index, (key, value)) in deduplicated_members(node).into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(key.raw());
                out.push(':');
                write_without_duplicates(value, out);
            }
            out.push('}');
        }
        _ => out.push_str(node.raw()),
    }
}

/// The first occurrence of each key with the last of its values, in document order.
fn deduplicated_members<'t>(object: Node<'t>) -> Vec<(Node<'t>, Node<'t>)> {
    let text = object.tape().text();
    let mut members: Vec<(Node<'t>, Node<'t>)> = object.member_nodes().collect();
    sort_by_key(text, &mut members, |(key, _)| key.entry());
    members.dedup_by(|(later, last), (first, value)| {
        let twice = is_same_key(text, first.entry(), later.entry());
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
