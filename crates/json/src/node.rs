//! A value on a tape: a cheap handle that reads the text in place.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::entry::{Tag, TapeEntry};
use super::iter::{Elements, MemberNodes, Members};
use super::{Tape, number, pointer, string};

/// The types of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The type's name in JSON Schema.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// One value of a [`Tape`].
#[derive(Debug, Clone, Copy)]
pub struct Node<'t> {
    tape: &'t Tape,
    index: u32,
}

impl<'t> Node<'t> {
    pub(super) const fn new(tape: &'t Tape, index: u32) -> Self {
        Self { tape, index }
    }

    /// The index of the value on its tape: unique, and increasing in document order.
    #[must_use]
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// The index after the value and its contents.
    #[must_use]
    pub fn end_index(&self) -> u32 {
        self.entry().next
    }

    /// The tape of the value.
    #[must_use]
    pub const fn tape(&self) -> &'t Tape {
        self.tape
    }

    pub(super) fn entry(&self) -> TapeEntry {
        self.tape.entry(self.index)
    }

    /// The text of an entry of the same tape; of a string, the text between the quotes.
    pub(super) fn entry_text(&self, entry: TapeEntry) -> &'t str {
        self.tape.slice(entry.start, entry.end)
    }

    /// The node of the next entry; for a key, the node of its value.
    pub(super) const fn value_of_key(&self) -> Self {
        Self { tape: self.tape, index: self.index + 1 }
    }

    /// The type of the value.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.entry().tag() {
            Tag::Null => Kind::Null,
            Tag::False | Tag::True => Kind::Bool,
            Tag::Integer | Tag::Float => Kind::Number,
            Tag::PlainString | Tag::EscapedString => Kind::String,
            Tag::Array => Kind::Array,
            Tag::Object => Kind::Object,
        }
    }

    /// The byte range of the value in the text; a string's quotes included.
    #[must_use]
    pub fn span(&self) -> (usize, usize) {
        let (start, end) = self.entry().span();
        (start as usize, end as usize)
    }

    /// The source text of the value.
    #[must_use]
    pub fn raw(&self) -> &'t str {
        let (start, end) = self.span();
        self.tape.text().get(start..end).unwrap_or_default()
    }

    /// The value of a string; a lone surrogate becomes U+FFFD.
    #[must_use]
    pub fn as_str(&self) -> Option<Cow<'t, str>> {
        let entry = self.entry();
        match entry.tag() {
            Tag::PlainString => Some(Cow::Borrowed(self.entry_text(entry))),
            Tag::EscapedString => Some(Cow::Owned(string::decode(self.entry_text(entry)))),
            _ => None,
        }
    }

    /// The text of a number.
    #[must_use]
    pub fn as_number(&self) -> Option<&'t str> {
        let entry = self.entry();
        matches!(entry.tag(), Tag::Integer | Tag::Float).then(|| self.entry_text(entry))
    }

    /// Whether the value is a number written without fraction and exponent.
    #[must_use]
    pub fn is_written_as_integer(&self) -> bool {
        self.entry().tag() == Tag::Integer
    }

    /// The double nearest to the number.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().and_then(number::to_double)
    }

    /// The value of a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.entry().tag() {
            Tag::True => Some(true),
            Tag::False => Some(false),
            _ => None,
        }
    }

    /// Whether the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.entry().tag() == Tag::Null
    }

    /// The number of elements or members of an array or object; 0 for anything else.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entry().count() as usize
    }

    /// Whether an array or object is empty; true for anything else.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the member with this name of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Self> {
        self.member_nodes().find(|(name, _)| name.equals_str(key)).map(|(_, value)| value)
    }

    /// Whether the value is the string `text`.
    #[must_use]
    pub fn equals_str(&self, text: &str) -> bool {
        let entry = self.entry();
        match entry.tag() {
            Tag::PlainString => self.entry_text(entry) == text,
            Tag::EscapedString => string::decode(self.entry_text(entry)) == text,
            _ => false,
        }
    }

    /// The members of an object in document order; none for anything else.
    #[must_use]
    pub fn members(&self) -> Members<'t> {
        Members::new(*self)
    }

    /// The elements of an array in order; none for anything else.
    #[must_use]
    pub fn elements(&self) -> Elements<'t> {
        Elements::new(*self)
    }

    /// Keys (as nodes) and values of an object.
    #[must_use]
    pub fn member_nodes(&self) -> MemberNodes<'t> {
        MemberNodes::new(*self)
    }

    /// Returns the value at a JSON Pointer relative to this value: `at("/a/0")`; `at("")` is this value.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<Self> {
        pointer::tokens(pointer).try_fold(*self, |node, token| match node.kind() {
            Kind::Object => node.get(&token),
            Kind::Array => node.elements().nth(pointer::parse_index(&token)?),
            _ => None,
        })
    }

    /// Converts the value to a tree, with members in document order.
    ///
    /// The recursion depth is the nesting depth, bounded by [`super::DEPTH_CEILING`].
    #[must_use]
    pub fn to_value(&self) -> Value {
        let entry = self.entry();
        match entry.tag() {
            Tag::Null => Value::Null,
            Tag::False => Value::Bool(false),
            Tag::True => Value::Bool(true),
            Tag::Integer | Tag::Float => self.to_number().map_or(Value::Null, Value::Number),
            Tag::PlainString => Value::String(self.entry_text(entry).to_owned()),
            Tag::EscapedString => Value::String(string::decode(self.entry_text(entry))),
            Tag::Array => Value::Array(self.elements().map(|element| element.to_value()).collect()),
            Tag::Object => {
                let members = self.members().map(|(key, value)| (key.into_owned(), value.to_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    /// Converts a number as `serde_json` does: exact if it is a 64-bit integer, else the nearest double.
    #[must_use]
    pub fn to_number(&self) -> Option<Number> {
        let text = self.as_number()?;
        if self.is_written_as_integer() && text != "-0" {
            if let Ok(integer) = text.parse::<u64>() {
                return Some(Number::from(integer));
            }
            if let Ok(integer) = text.parse::<i64>() {
                return Some(Number::from(integer));
            }
        }
        Number::from_f64(number::to_double(text)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Limits;
    use super::*;

    fn tape(text: &str) -> Tape {
        Tape::parse(text, &Limits::widest()).unwrap()
    }

    #[test]
    fn every_kind_is_read_in_place() {
        let tape =
            tape(r#" { "s": "a\"b", "n": -1.50e1, "i": 12, "t": true, "f": false, "z": null, "a": [ ], "o": {} } "#);
        let root = tape.root();
        let kinds: Vec<_> =
            root.members().map(|(name, value)| (name.into_owned(), value.kind(), value.raw())).collect();
        let expected = [
            ("s", Kind::String, r#""a\"b""#),
            ("n", Kind::Number, "-1.50e1"),
            ("i", Kind::Number, "12"),
            ("t", Kind::Bool, "true"),
            ("f", Kind::Bool, "false"),
            ("z", Kind::Null, "null"),
            ("a", Kind::Array, "[ ]"),
            ("o", Kind::Object, "{}"),
        ];
        assert_eq!(kinds, expected.map(|(name, kind, raw)| (name.to_owned(), kind, raw)));
        let get = |name| root.get(name).unwrap();
        assert_eq!(get("s").as_str().unwrap(), "a\"b");
        assert_eq!((get("n").as_f64(), get("n").as_str()), (Some(-15.0), None));
        assert_eq!((get("t").as_bool(), get("f").as_bool(), get("z").as_bool()), (Some(true), Some(false), None));
        assert!(get("z").is_null() && get("a").is_empty() && !root.is_empty());
        assert_eq!(root.len(), 8);
        assert!(root.get("absent").is_none() && get("s").get("s").is_none());
    }

    #[test]
    fn plain_strings_are_borrowed() {
        let tape = tape(r#"["plain é", "esc\u0061ped"]"#);
        let strings: Vec<_> = tape.root().elements().filter_map(|element| element.as_str()).collect();
        assert!(matches!(strings[0], Cow::Borrowed("plain é")));
        assert_eq!(strings[1], "escaped");
    }

    #[test]
    fn pointers_lead_to_values() {
        let tape = tape(r#"{"a":[{"b/c":1},2],"":{"0":3},"m~n":4}"#);
        let at = |pointer| tape.root().at(pointer).map(|node| node.raw());
        assert_eq!(at("/a/0/b~1c"), Some("1"));
        assert_eq!(at("/a/1"), Some("2"));
        assert_eq!(at("//0"), Some("3"));
        assert_eq!(at("/m~0n"), Some("4"));
        assert_eq!(at(""), Some(tape.text()));
        for nowhere in ["/a/2", "/a/01", "/a/-", "/b", "/a/0/b~1c/x"] {
            assert_eq!(at(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn numbers_are_as_exact_as_serde_reads_them() {
        let text = "[0, -0, 18446744073709551615, 18446744073709551616, -9223372036854775808, 1.0, 0.1e1, 1e-400]";
        assert_eq!(tape(text).root().to_value(), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn trees_keep_the_order_of_members() {
        let value = tape(r#"{"z":1,"a":[null,{"y":true,"b":"\u00e9"}]}"#).root().to_value();
        assert_eq!(value, json!({ "z": 1, "a": [null, { "y": true, "b": "é" }] }));
        assert_eq!(value.to_string(), r#"{"z":1,"a":[null,{"y":true,"b":"é"}]}"#);
    }
}
