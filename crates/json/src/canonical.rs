//! Canonical JSON (RFC 8785, JCS): equal values have equal texts, so that they can be hashed and compared.

use std::borrow::Cow;

use super::entry::Tag;
use super::limits::Limits;
use super::order::Order;
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

/// A value in canonical form: its own text, where that is canonical already. Made once, for all that compare or hash it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical<'t>(Cow<'t, str>);

impl<'t> Canonical<'t> {
    /// Of a value.
    #[must_use]
    pub fn of(node: Node<'t>) -> Self {
        if node.entry().is_canonical() {
            return Self(Cow::Borrowed(node.raw()));
        }
        let mut text = String::with_capacity(node.raw().len());
        node.canonical(&mut text);
        Self(Cow::Owned(text))
    }

    /// Apart from the value.
    #[must_use]
    pub fn into_owned(self) -> Canonical<'static> {
        Canonical(Cow::Owned(self.0.into_owned()))
    }

    /// The same, lent.
    #[must_use]
    pub fn lend(&self) -> Canonical<'_> {
        Canonical(Cow::Borrowed(&self.0))
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
        write(*self, out, &mut Orders::default(), 0);
    }
}

/// For each depth, the order of the last object there. The root's has a place of its own: mostly there is no other.
#[derive(Default)]
struct Orders {
    root: Order,
    others: Vec<Order>,
}

impl Orders {
    fn at(&mut self, depth: usize) -> &mut Order {
        if depth > self.others.len() {
            self.others.resize_with(depth, Order::default);
        }
        depth.checked_sub(1).and_then(|place| self.others.get_mut(place)).unwrap_or(&mut self.root)
    }
}

fn write(node: Node<'_>, out: &mut String, orders: &mut Orders, depth: usize) {
    let (tape, entry) = (node.tape(), node.entry());
    if entry.is_canonical() {
        let (start, end) = entry.span();
        return out.push_str(tape.slice(start, end));
    }
    match entry.tag() {
        Tag::Plain | Tag::Escaped => string::write_canonical(out, node.text_of(entry)),
        Tag::Integer | Tag::Float => number::write_canonical(out, node.text_of(entry)),
        Tag::Null | Tag::False | Tag::True => out.push_str(node.text_of(entry)),
        Tag::Array => write_array(node, out, orders, depth),
        Tag::Object => write_object(node, out, orders, depth),
    }
}

fn write_array(array: Node<'_>, out: &mut String, orders: &mut Orders, depth: usize) {
    let tape = array.tape();
    out.push('[');
    let mut stretch = Stretch::default();
    for element in array.elements() {
        let entry = element.entry();
        if entry.is_canonical() {
            stretch.add(entry.span(), tape, out);
        } else {
            stretch.copy(tape, out);
            write(element, out, orders, depth + 1);
            out.push(',');
        }
    }
    stretch.copy(tape, out);
    close(out, ']');
}

fn write_object(object: Node<'_>, out: &mut String, orders: &mut Orders, depth: usize) {
    let tape = object.tape();
    // What it holds is written meanwhile.
    let mut order = std::mem::take(orders.at(depth));
    order.find(object);
    out.push('{');
    let mut stretch = Stretch::default();
    for index in order.indexes() {
        let (name, value) = (tape.entry(index), tape.entry(index + 1));
        let ((start, colon), (behind, end)) = (name.span(), value.span());
        if name.is_canonical() && value.is_canonical() && behind == colon + 1 {
            stretch.add((start, end), tape, out);
        } else {
            stretch.copy(tape, out);
            write(Node::new(tape, index), out, orders, depth);
            out.push(':');
            write(Node::new(tape, index + 1), out, orders, depth + 1);
            out.push(',');
        }
    }
    stretch.copy(tape, out);
    close(out, '}');
    *orders.at(depth) = order;
}

/// Ends a container in place of the comma behind what it holds.
fn close(out: &mut String, closer: char) {
    if out.ends_with(',') {
        out.pop();
    }
    out.push(closer);
}

/// Elements or members that follow one another in the text as in the canonical form, and are copied together.
#[derive(Default)]
struct Stretch {
    start: u32,
    end: u32,
}

impl Stretch {
    /// Adds another one, of the same container.
    fn add(&mut self, (start, end): (u32, u32), tape: &Tape, out: &mut String) {
        // One byte between two of a container is their comma.
        if start != self.end + 1 || self.end == 0 {
            self.copy(tape, out);
            self.start = start;
        }
        self.end = end;
    }

    /// Copies what was added, with a comma behind it.
    fn copy(&mut self, tape: &Tape, out: &mut String) {
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
        assert_eq!(canonical(text).unwrap(), "{\"\":6,\"\\r\":5,\"B\":4,\"b\":3,\"😂\":2,\"\u{fb33}\":1}");
        assert_eq!(canonical(r#"{ "b" : [ 1.0 , { } ] , "a" : "\u0041" }"#).unwrap(), r#"{"a":"A","b":[1,{}]}"#);
    }

    #[test]
    fn a_prefix_comes_first() {
        // The quote that ends a key is above a space: comparing raw text with quotes would turn this around.
        assert_eq!(canonical(r#"{"a b":1,"a":2,"a!":3}"#).unwrap(), r#"{"a":2,"a b":1,"a!":3}"#);
    }
}
