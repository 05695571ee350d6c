//! What a schema asks of a value, in the form in which it is checked.

use super::Valid;
use super::object::ObjectRule;
use crate::format::FormatCheck;
use crate::pattern::Pattern;
use toolgate_json::{Kind, Node};

/// Index of a schema in its document.
pub(super) type RuleId = u32;

/// One schema. What it does not ask of a type of value takes no room.
#[derive(Debug, Default)]
pub(super) struct Rule {
    pub(super) kinds: Kinds,
    /// `enum` or `const`.
    pub(super) among: Option<Box<[Scalar]>>,
    pub(super) text: Option<Box<TextRule>>,
    pub(super) number: Option<Box<NumberRule>>,
    pub(super) list: Option<Box<ListRule>>,
    pub(super) object: Option<Box<ObjectRule>>,
    pub(super) in_place: Option<Box<InPlace>>,
}

impl Rule {
    /// What no value is known to fit: `false`, and whatever is not understood.
    pub(super) fn never() -> Self {
        Self { kinds: Kinds::NONE, ..Self::default() }
    }
}

/// Types of values. A number is whole or broken, whichever way it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Default for Kinds {
    fn default() -> Self {
        Self(0x7f)
    }
}

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    const NULL: u8 = 1;
    const BOOL: u8 = 2;
    const STRING: u8 = 4;
    const ARRAY: u8 = 8;
    const OBJECT: u8 = 16;
    const WHOLE: u8 = 32;
    const BROKEN: u8 = 64;

    /// Those of a name of `type`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(Self(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOL,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            "integer" => Self::WHOLE,
            "number" => Self::WHOLE | Self::BROKEN,
            _ => return None,
        }))
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a value, which is of this kind, is of one of them.
    pub(super) fn hold(self, node: Node<'_>, kind: Kind) -> bool {
        let bits = match kind {
            Kind::Null => Self::NULL,
            Kind::Bool => Self::BOOL,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
            Kind::Number if self.0 & Self::BROKEN != 0 || is_whole(node) => Self::WHOLE,
            Kind::Number => Self::BROKEN,
        };
        self.0 & bits != 0
    }
}

fn is_whole(node: Node<'_>) -> bool {
    node.is_written_as_integer() || node.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Longest text of an integer (sign included) that a double holds exactly.
const EXACT_LENGTH: usize = 15;

/// A number as a double that is equal to it; of one written with a fraction or an exponent, the double that everybody
/// reads. None where only the validator can compare it.
pub(super) fn exact(node: Node<'_>) -> Option<f64> {
    if node.is_written_as_integer() && node.as_number()?.len() > EXACT_LENGTH {
        return None;
    }
    node.as_f64()
}

/// A value of `enum` or `const`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Number(f64),
    Text(Box<str>),
}

impl Scalar {
    #[expect(clippy::float_cmp, reason = "both are exact")]
    pub(super) fn is(&self, node: Node<'_>) -> bool {
        match self {
            Self::Null => node.is_null(),
            Self::Bool(expected) => node.as_bool() == Some(*expected),
            Self::Number(expected) => exact(node).is_some_and(|number| number == *expected),
            Self::Text(expected) => node.is_string(expected),
        }
    }
}

/// What is asked of a string.
#[derive(Debug)]
pub(super) struct TextRule {
    pub(super) least: u64,
    pub(super) most: u64,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<FormatCheck>,
}

impl TextRule {
    pub(super) fn check(&self, node: Node<'_>) -> Option<Valid> {
        let text = node.as_str()?;
        let fits = self.takes_length(&text)
            && self.pattern.as_ref().is_none_or(|pattern| pattern.fits(node))
            && self.format.as_ref().is_none_or(|format| format.fits(node, &text));
        fits.then_some(Valid)
    }

    /// In characters, each of one to four bytes: they are counted only where the bytes leave it open.
    fn takes_length(&self, text: &str) -> bool {
        let bytes = text.len() as u64;
        if bytes <= self.most && bytes / 4 >= self.least {
            return true;
        }
        let length = text.chars().count() as u64;
        (self.least..=self.most).contains(&length)
    }
}

/// What is asked of a number.
#[derive(Debug)]
pub(super) struct NumberRule {
    pub(super) minimum: f64,
    pub(super) maximum: f64,
    pub(super) above: f64,
    pub(super) below: f64,
    pub(super) multiple_of: Option<i64>,
}

impl NumberRule {
    pub(super) fn check(&self, node: Node<'_>) -> Option<Valid> {
        let number = exact(node)?;
        let is_within = (self.minimum..=self.maximum).contains(&number) && self.above < number && number < self.below;
        let divides = match self.multiple_of {
            None => true,
            Some(_) if !node.is_written_as_integer() => false,
            Some(divisor) => node.as_number()?.parse::<i64>().ok()?.checked_rem(divisor)? == 0,
        };
        (is_within && divides).then_some(Valid)
    }
}

/// What is asked of an array.
#[derive(Debug)]
pub(super) struct ListRule {
    pub(super) least: u64,
    pub(super) most: u64,
    pub(super) is_unique: bool,
    /// Schemas of the first elements.
    pub(super) leading: Box<[RuleId]>,
    /// The schema of the others.
    pub(super) items: Option<RuleId>,
}

/// More elements are compared by the validator, which sorts them out by their hashes.
const MOST_COMPARED: usize = 24;

impl ListRule {
    /// Whether the array as a whole is as it is asked for; its elements are another matter.
    pub(super) fn takes_whole(&self, node: Node<'_>) -> bool {
        (self.least..=self.most).contains(&(node.len() as u64)) && (!self.is_unique || is_plainly_unique(node))
    }
}

/// Whether no element is there twice; of strings alone, and no more than a few.
fn is_plainly_unique(array: Node<'_>) -> bool {
    if array.len() < 2 {
        return true;
    }
    if array.len() > MOST_COMPARED {
        return false;
    }
    let mut rest = array.elements();
    while let Some(element) = rest.next() {
        let Some(text) = element.as_str() else { return false };
        if rest.clone().any(|other| other.is_string(&text)) {
            return false;
        }
    }
    true
}

/// Schemas that apply to the same value.
#[derive(Debug)]
pub(super) struct InPlace {
    /// `$ref` and `allOf`.
    pub(super) all: Box<[RuleId]>,
    /// `anyOf`.
    pub(super) any: Box<[RuleId]>,
    /// All that the schema says of objects and arrays is said by one other schema.
    pub(super) passes_on: bool,
}
