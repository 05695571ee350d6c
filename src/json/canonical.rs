//! Canonical JSON (RFC 8785, JCS): equal values have equal texts, so that they can be hashed and compared.

use std::cmp::Ordering;

use super::entry::{Entry, Tag};
use super::limits::Limits;
use super::{DEPTH_CEILING, LoneSurrogates, Node, ParseError, TEXT_CEILING, Tape, number, string};

/// The canonical form of a JSON text.
///
/// # Errors
/// Where the text is not JSON, is nested deeper than [`DEPTH_CEILING`], or holds half a surrogate pair (which the RFC
/// forbids) or a number that no double can hold.
pub fn canonical(text: &str) -> Result<String, ParseError> {
    let limits = Limits { max_depth: DEPTH_CEILING, lone_surrogates: LoneSurrogates::Refuse, max_bytes: TEXT_CEILING };
    let tape = Tape::parse(text, &limits)?;
    let mut out = String::with_capacity(text.len());
    tape.root().canonical(&mut out);
    Ok(out)
}

/// A value in canonical form. Written once, for all that compare or hash it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical(String);

impl Canonical {
    /// Of a value.
    #[must_use]
    pub fn of(node: Node<'_>) -> Self {
        let mut text = String::with_capacity(node.raw().len());
        node.canonical(&mut text);
        Self(text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Node<'_> {
    /// Appends the canonical form of this value.
    ///
    /// Recurses as deep as the value is nested, which [`DEPTH_CEILING`] bounds.
    pub fn canonical(&self, out: &mut String) {
        write(*self, out, &mut Vec::new());
    }
}

/// `keys` holds the keys of the objects around, and is left as it came: one list serves all.
fn write(node: Node<'_>, out: &mut String, keys: &mut Vec<Key>) {
    let entry = node.entry();
    match entry.tag() {
        Tag::Plain | Tag::Escaped => write_string(node.tape(), entry, out),
        tag @ (Tag::Integer | Tag::Float) => number::write_canonical(out, node.text_of(entry), tag == Tag::Integer),
        Tag::Null | Tag::False | Tag::True => out.push_str(node.text_of(entry)),
        Tag::Array => {
            out.push('[');
            let mut is_first = true;
            for element in node.elements() {
                if !is_first {
                    out.push(',');
                }
                is_first = false;
                write(element, out, keys);
            }
            out.push(']');
        }
        Tag::Object => write_object(node, out, keys),
    }
}

fn write_string(tape: &Tape, entry: Entry, out: &mut String) {
    if entry.tag() == Tag::Plain {
        // With the quotes, which stand around it.
        out.push_str(tape.slice(entry.start - 1, entry.end + 1));
    } else {
        string::write_canonical(out, tape.slice(entry.start, entry.end));
    }
}

fn write_object(object: Node<'_>, out: &mut String, keys: &mut Vec<Key>) {
    let tape = object.tape();
    let first = keys.len();
    for (node, _) in object.member_nodes() {
        keys.push(Key::of(node));
    }
    sort_keys(tape, keys.get_mut(first..).unwrap_or_default());
    out.push('{');
    let mut place = first;
    while let Some(&Key { entry, index, .. }) = keys.get(place) {
        if place > first {
            out.push(',');
        }
        write_string(tape, entry, out);
        out.push(':');
        write(Node::new(tape, index + 1), out, keys);
        place += 1;
    }
    keys.truncate(first);
    out.push('}');
}

/// A key, with its first bytes, which mostly tell its place.
#[derive(Clone, Copy)]
struct Key {
    entry: Entry,
    index: u32,
    beginning: u64,
}

impl Key {
    fn of(node: Node<'_>) -> Self {
        let entry = node.entry();
        Self { entry, index: node.index(), beginning: string::beginning(node.text_of(entry)) }
    }

    fn text<'t>(&self, tape: &'t Tape) -> &'t str {
        tape.slice(self.entry.start, self.entry.end)
    }

    fn compare(&self, other: &Self, tape: &Tape) -> Ordering {
        self.beginning.cmp(&other.beginning).then_with(|| self.text(tape).cmp(other.text(tape)))
    }
}

/// Sorts by UTF-16 code units. Bytes sort alike as long as all is ASCII and nothing is escaped.
fn sort_keys(tape: &Tape, keys: &mut [Key]) {
    if keys.iter().all(|key| key.entry.tag() == Tag::Plain && key.text(tape).is_ascii()) {
        keys.sort_unstable_by(|left, right| left.compare(right, tape));
    } else {
        keys.sort_by_cached_key(|key| string::units(key.text(tape)).collect::<Vec<u16>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_utf16_code_units() {
        // U+FB33 is below U+1F602 by code point, above it by code unit.
        let text = r#"{"\ufb33":1,"\ud83d\ude02":2,"b":3,"B":4,"\r":5,"":6}"#;
        assert_eq!(canonical(text).unwrap(), "{\"\":6,\"\\r\":5,\"B\":4,\"b\":3,\"😂\":2,\"\u{fb33}\":1}");
        assert_eq!(canonical(r#"{ "b" : [ 1.0 , { } ] , "a" : "\u0041" }"#).unwrap(), r#"{"a":"A","b":[1,{}]}"#);
    }

    #[test]
    fn a_prefix_comes_first() {
        // The quote that ends a key is above a space: comparing raw text with quotes would turn this around.
        assert_eq!(canonical(r#"{"a b":1,"a":2,"a!":3}"#).unwrap(), r#"{"a":2,"a b":1,"a!":3}"#);
    }
}
