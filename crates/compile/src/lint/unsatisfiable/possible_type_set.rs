//! A set of the types of JSON, with integers apart from other numbers.

use std::ops::{BitAnd, BitOr};

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PossibleTypeSet(u8);

const NAMES: [(&str, u8); 7] =
    [("null", 1), ("boolean", 2), ("integer", 4), ("number", 4 | 8), ("string", 16), ("array", 32), ("object", 64)];

impl PossibleTypeSet {
    pub(super) const ALL: Self = Self(127);
    pub(super) const NONE: Self = Self(0);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const NUMBER: Self = Self(4 | 8);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);

    /// The types of `type`; all of them if a name is unknown.
    pub(super) fn named(kind: &Value) -> Self {
        let of =
            |name: &Value| NAMES.iter().find(|(known, _)| name == known).map_or(Self::ALL, |(_, bits)| Self(*bits));
        match kind {
            Value::Array(names) => names.iter().map(of).fold(Self::NONE, BitOr::bitor),
            name => of(name),
        }
    }

    /// The type of a value; 1.0 is an integer.
    pub(super) fn from_value(value: &Value) -> Self {
        match value {
            Value::Null => Self(1),
            Value::Bool(_) => Self(2),
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() != 0.0) => Self(8),
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::NONE
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The types as a message names them: `string or null`.
    pub(super) fn describe(self) -> String {
        let has = |name: &str, bits: u8| match name {
            "integer" => self.0 & Self::NUMBER.0 == Self::INTEGER.0,
            "number" => self.0 & 8 != 0,
            _ => self.0 & bits != 0,
        };
        let names: Vec<&str> = NAMES.iter().filter(|(name, bits)| has(name, *bits)).map(|(name, _)| *name).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(" or ") }
    }
}

impl BitAnd for PossibleTypeSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for PossibleTypeSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
