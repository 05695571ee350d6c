//! The largest values that numeric arguments may have in a mode.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use toolgate_json::{self, Kind, Node, pointer};

/// The largest value of a top-level numeric argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clamp {
    /// Name of the argument.
    pub property: String,
    /// Its largest value. One that is not finite clamps nothing.
    pub max: f64,
}

/// An argument that was clamped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clamped {
    /// JSON Pointer of the argument.
    pub path: String,
    /// What it was.
    pub from: Number,
    /// What it is now.
    pub to: Number,
}

/// What becomes of the value of the property `name`: the text of the clamped number, and the record of it.
pub(crate) fn clamped(clamps: &[Clamp], name: &str, value: Node<'_>) -> Option<(String, Clamped)> {
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
    Some((text.clone(), Clamped { path, from: value.to_number()?, to: number(&text)? }))
}

/// The number that a text stands for: an integer where it is written as one.
fn number(text: &str) -> Option<Number> {
    serde_json::from_str(text).ok()
}
