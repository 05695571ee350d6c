//! Clamps: the largest values that numeric arguments may have in a mode.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use toolgate_json::{self, Kind, Node, pointer};

/// The largest value of a top-level numeric argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clamp {
    /// Name of the argument.
    pub property: String,
    /// Its largest value. A value that is not finite clamps nothing.
    pub max: f64,
}

/// An argument that was clamped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clamped {
    /// JSON Pointer of the argument.
    pub path: String,
    /// The value before.
    pub from: Number,
    /// The value after.
    pub to: Number,
}

/// Clamps the value of the property `name`. Returns the new text and the record; `None` if the value does not change.
pub(crate) fn clamp_number(clamps: &[Clamp], name: &str, value: Node<'_>) -> Option<(String, Clamped)> {
    if value.kind() != Kind::Number {
        return None;
    }
    let limits = clamps.iter().filter(|clamp| clamp.property == name && clamp.max.is_finite());
    let max = limits.map(|clamp| clamp.max).min_by(f64::total_cmp)?;
    if value.as_f64()? <= max {
        return None;
    }
    let mut text = String::new();
    toolgate_json::write_number(&mut text, max);
    let mut path = String::new();
    pointer::push(&mut path, name);
    Some((text.clone(), Clamped { path, from: value.to_number()?, to: parse_number(&text)? }))
}

/// Parses a number; an integer if it is written as one.
fn parse_number(text: &str) -> Option<Number> {
    serde_json::from_str(text).ok()
}
