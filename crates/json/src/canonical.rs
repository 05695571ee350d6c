//! JSON canonicalization (RFC 8785, JCS): equal values have equal texts, for hashing and comparison.

use std::borrow::Cow;

use super::entry::Tag;
use super::limits::Limits;
use super::member_order::MemberOrder;
use super::{DEPTH_CEILING, LoneSurrogates, Node, NumberRange, ParseError, TEXT_CEILING, Tape, number, string};

/// Returns the canonical form of a JSON text.
///
/// # Errors
/// If the text is not JSON, is longer than [`TEXT_CEILING`], is nested deeper than [`DEPTH_CEILING`], or contains a
/// lone surrogate (which the RFC forbids) or a number that overflows a double.
pub fn canonicalize(text: &str) -> Result<String, ParseError> {
    let limits = Limits {
        max_depth: DEPTH_CEILING,
        lone_surrogates: LoneSurrogates::Refuse,
        numbers: NumberRange::Finite,
        max_bytes: TEXT_CEILING,
    };
    let tape = Tape::parse(text, &limits)?;
    let mut out = String::with_capacity(text.len());
    tape.root().write_canonical(&mut out);
    Ok(out)
}

/// The canonical text of a value; borrows the source text if that is canonical already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalJson<'t>(Cow<'t, str>);

impl<'t> CanonicalJson<'t> {
    /// Canonicalizes a value.
    #[must_use]
    pub fn from_node(node: Node<'t>) -> Self {
        if node.entry().is_canonical() {
            return Self(Cow::Borrowed(node.raw()));
        }
        let mut text = String::with_capacity(node.raw().len());
        node.write_canonical(&mut text);
        Self(Cow::Owned(text))
    }

    /// Converts to owned text.
    #[must_use]
    pub fn into_owned(self) -> CanonicalJson<'static> {
        CanonicalJson(Cow::Owned(self.0.into_owned()))
    }

    /// Returns a borrowed copy.
    #[must_use]
    pub fn borrowed(&self) -> CanonicalJson<'_> {
        CanonicalJson(Cow::Borrowed(&self.0))
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
    /// The recursion depth is the nesting depth, bounded by [`DEPTH_CEILING`].
    pub fn write_canonical(&self, out: &mut String) {
        write_value(*self, out, &mut OrderCache::default(), 0);
    }
}

/// The member order of the last object at each depth. The root's order is stored inline: mostly it is the only one.
#[derive(Default)]
struct OrderCache {
    root: MemberOrder,
    nested: Vec<MemberOrder>,
}

impl OrderCache {
    fn at_depth(&mut self, depth: usize) -> &mut MemberOrder {
        if depth > self.nested.len() {
            self.nested.resize_with(depth, MemberOrder::default);
        }
        depth.checked_sub(1).and_then(|place| self.nested.get_mut(place)).unwrap_or(&mut self.root)
    }
}

fn write_value(node: Node<'_>, out: &mut String, orders: &mut OrderCache, depth: usize) {
    let (tape, entry) = (node.tape(), node.entry());
    if entry.is_canonical() {
        let (start, end) = entry.span();
        return out.push_str(tape.slice(start, end));
    }
    match entry.tag() {
        Tag::PlainString | Tag::EscapedString => string::write_canonical(out, node.entry_text(entry)),
        Tag::Integer | Tag::Float => number::write_canonical(out, node.entry_text(entry)),
        Tag::Null | Tag::False | Tag::True => out.push_str(node.entry_text(entry)),
        Tag::Array => write_array(node, out, orders, depth),
        Tag::Object => write_object(node, out, orders, depth),
    }
}

fn write_array(array: Node<'_>, out: &mut String, orders: &mut OrderCache, depth: usize) {
    let tape = array.tape();
    out.push('[');
    let mut stretch = PendingCopy::default();
    for element in array.elements() {
        let entry = element.entry();
        if entry.is_canonical() {
            stretch.push(entry.span(), tape, out);
        } else {
            stretch.flush(tape, out);
            write_value(element, out, orders, depth + 1);
            out.push(',');
        }
    }
    stretch.flush(tape, out);
    close_container(out, ']');
}

fn write_object(object: Node<'_>, out: &mut String, orders: &mut OrderCache, depth: usize) {
    let tape = object.tape();
    // Writing the members needs `orders` too.
    let mut order = std::mem::take(orders.at_depth(depth));
    order.update(object);
    out.push('{');
    let mut stretch = PendingCopy::default();
    for index in order.key_indexes() {
        let (name, value) = (tape.entry(index), tape.entry(index + 1));
        let ((start, colon), (behind, end)) = (name.span(), value.span());
        if name.is_canonical() && value.is_canonical() && behind == colon + 1 {
            stretch.push((start, end), tape, out);
        } else {
            stretch.flush(tape, out);
            write_value(Node::new(tape, index), out, orders, depth);
            out.push(':');
            write_value(Node::new(tape, index + 1), out, orders, depth + 1);
            out.push(',');
        }
    }
    stretch.flush(tape, out);
    close_container(out, '}');
    *orders.at_depth(depth) = order;
}

/// Closes a container; the closing bracket replaces the comma after the last child.
fn close_container(out: &mut String, closer: char) {
    if out.ends_with(',') {
        out.pop();
    }
    out.push(closer);
}

/// Adjacent children that have the same order in the text and in the canonical form, and are copied together.
#[derive(Default)]
struct PendingCopy {
    start: u32,
    end: u32,
}

impl PendingCopy {
    /// Adds the next element or member of the container.
    fn push(&mut self, (start, end): (u32, u32), tape: &Tape, out: &mut String) {
        // A single byte between two children of a container is the comma.
        if start != self.end + 1 || self.end == 0 {
            self.flush(tape, out);
            self.start = start;
        }
        self.end = end;
    }

    /// Copies the collected text, followed by a comma.
    fn flush(&mut self, tape: &Tape, out: &mut String) {
        if self.end > 0 {
            out.push_str(tape.slice(self.start, self.end));
            out.push(',');
            self.end = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_utf16_code_units() {
        // U+FB33 is below U+1F602 by code point, above it by code unit.
        let text = r#"{"\ufb33":1,"\ud83d\ude02":2,"b":3,"B":4,"\r":5,"":6}"#;
        assert_eq!(canonicalize(text).unwrap(), "{\"\":6,\"\\r\":5,\"B\":4,\"b\":3,\"😂\":2,\"\u{fb33}\":1}");
        assert_eq!(canonicalize(r#"{ "b" : [ 1.0 , { } ] , "a" : "\u0041" }"#).unwrap(), r#"{"a":"A","b":[1,{}]}"#);
    }

    #[test]
    fn a_prefix_comes_first() {
        // The quote that ends a key is above a space: comparing raw text with quotes would turn this around.
        assert_eq!(canonicalize(r#"{"a b":1,"a":2,"a!":3}"#).unwrap(), r#"{"a":2,"a b":1,"a!":3}"#);
    }
}
