//! The `Json` trait of the `jsonschema` crate for [`toolgate_json::Node`]: validates a tape without a tree of values.

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node as SchemaNode, NodeIdentity, Object, cmp, unique};
use serde_json::{Number, Value};

use super::error_budget;
use toolgate_json::{self, Elements, Kind, Limits, Members, Node, Tape};

/// The tag type of the representation, for the crate's generics.
pub(super) struct TapeJson;

impl Json for TapeJson {
    type Node<'a> = Node<'a>;
    type PreparedKey = String;
    /// The last property name that `propertyNames` checked.
    type StringBuffer = Option<Tape>;

    // A lookup walks the members, so one walk pays off from two names on.
    const KEYS_PER_LOOKUP: usize = 2;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut Option<Tape>, string: &str, f: impl FnOnce(Node<'_>) -> T) -> T {
        let mut text = String::with_capacity(string.len() + 2);
        toolgate_json::write_string(&mut text, string);
        // A string that was just written is always valid JSON; an empty tape reads as null.
        let tape = buffer.insert(Tape::parse(text, &Limits::widest()).unwrap_or_default());
        f(tape.root())
    }
}

impl<'a> SchemaNode<'a, TapeJson> for Node<'a> {
    type Object = Members<'a>;
    type Array = Elements<'a>;
    type Number = TapeNumber<'a>;

    fn as_object(&self) -> Option<Members<'a>> {
        (self.kind() == Kind::Object).then(|| self.members())
    }

    fn as_array(&self) -> Option<Elements<'a>> {
        (self.kind() == Kind::Array).then(|| self.elements())
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.as_str()
    }

    fn as_number(&self) -> Option<TapeNumber<'a>> {
        Node::as_number(self).map(|_| TapeNumber(*self))
    }

    fn as_boolean(&self) -> Option<bool> {
        self.as_bool()
    }

    fn is_null(&self) -> bool {
        Node::is_null(self)
    }

    fn is_number(&self) -> bool {
        self.kind() == Kind::Number
    }

    fn json_type(&self) -> JsonType {
        match self.kind() {
            Kind::Null => JsonType::Null,
            Kind::Bool => JsonType::Boolean,
            Kind::Number => JsonType::Number,
            Kind::String => JsonType::String,
            Kind::Array => JsonType::Array,
            Kind::Object => JsonType::Object,
        }
    }

    /// Recurses as deep as the expected value, which is part of the schema, is nested.
    fn equals_value(&self, expected: &Value) -> bool {
        match expected {
            Value::Null => Node::is_null(self),
            Value::Bool(expected) => self.as_bool() == Some(*expected),
            Value::String(expected) => self.equals_str(expected),
            Value::Number(_) => self.to_number().is_some_and(|number| cmp::equal(&Value::Number(number), expected)),
            Value::Array(expected) => {
                self.kind() == Kind::Array
                    && self.len() == expected.len()
                    && self.elements().zip(expected).all(|(element, expected)| element.equals_value(expected))
            }
            Value::Object(expected) => {
                self.kind() == Kind::Object
                    && self.len() == expected.len()
                    && self.members().all(|(name, value)| {
                        expected.get(name.as_ref()).is_some_and(|expected| value.equals_value(expected))
                    })
            }
        }
    }

    /// Called for errors only: equality and uniqueness do not need it here. Messages read the tape, so an error about a
    /// large value need not contain a copy of it.
    fn to_value(&self) -> Cow<'a, Value> {
        let is_explaining = error_budget::count_error();
        let is_container = matches!(self.kind(), Kind::Array | Kind::Object);
        Cow::Owned(if is_explaining && is_container { Value::Null } else { Node::to_value(self) })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::tagged(std::ptr::from_ref(self.tape()).addr(), self.index()))
    }
}

impl<'a> Object<'a, TapeJson> for Members<'a> {
    type Node = Node<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = Self;

    fn len(&self) -> usize {
        self.container().len()
    }

    fn get(&self, key: &String) -> Option<Node<'a>> {
        self.container().get(key)
    }

    fn members(&self) -> Self {
        self.clone()
    }
}

impl<'a> Array<'a, TapeJson> for Elements<'a> {
    type Node = Node<'a>;
    type ElementsIter = Self;

    fn len(&self) -> usize {
        self.container().len()
    }

    fn elements(&self) -> Self {
        self.clone()
    }

    fn is_unique(&self) -> bool {
        let values: Vec<Value> = self.clone().map(|element| Node::to_value(&element)).collect();
        unique::is_unique(&values)
    }
}

/// A number, read from its text.
pub(super) struct TapeNumber<'a>(Node<'a>);

impl TapeNumber<'_> {
    fn integer_text(&self) -> Option<&str> {
        self.0.as_number().filter(|_| self.0.is_written_as_integer())
    }
}

impl JsonNumber for TapeNumber<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.integer_text()?.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.integer_text()?.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0.as_number().unwrap_or("0"))
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(self.0.to_number().unwrap_or_else(|| Number::from(0)))
    }

    fn is_integer(&self) -> bool {
        self.0.is_written_as_integer() || self.0.as_f64().is_some_and(|number| number.fract() == 0.0)
    }

    /// Draft 4 refuses `1.0` as an integer. An integral number with an exponent is one: JSON writers spell large integers
    /// with or without an exponent (JavaScript writes 10^20 in digits, and 10^21 as `1e+21`).
    fn is_written_as_integer(&self) -> bool {
        let has_exponent = self.0.as_number().is_some_and(|text| text.contains(['e', 'E']));
        if has_exponent { self.is_integer() } else { self.0.is_written_as_integer() }
    }
}
