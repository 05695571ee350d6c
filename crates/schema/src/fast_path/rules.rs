//! The compiled rules of a schema.

use super::Valid;
use super::object::ObjectRule;
use crate::format::FormatCheck;
use crate::pattern::Pattern;
use toolgate_json::{Kind, Node};

/// Index of a schema in its document.
pub(super) type RuleId = u32;

/// One schema. Types without a rule take no memory.
#[derive(Debug, Default)]
pub(super) struct Rule {
    pub(super) types: TypeSet,
    /// `enum` or `const`.
    pub(super) allowed_values: Option<Box<[Scalar]>>,
    pub(super) string: Option<Box<StringRule>>,
    pub(super) number: Option<Box<NumberRule>>,
    pub(super) array: Option<Box<ArrayRule>>,
    pub(super) object: Option<Box<ObjectRule>>,
    pub(super) in_place: Option<Box<InPlaceRules>>,
}

impl Rule {
    /// The rule that accepts no value: of `false`, and of unsupported schemas.
    pub(super) fn never() -> Self {
        Self { types: TypeSet::NONE, ..Self::default() }
    }
}

/// A set of types of values. A number is an integer or fractional by its value, not by its notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypeSet(u8);

impl Default for TypeSet {
    fn default() -> Self {
        Self(0x7f)
    }
}

impl TypeSet {
    pub(super) const NONE: Self = Self(0);
    const NULL: u8 = 1;
    const BOOL: u8 = 2;
    const STRING: u8 = 4;
    const ARRAY: u8 = 8;
    const OBJECT: u8 = 16;
    const INTEGER: u8 = 32;
    const FRACTIONAL: u8 = 64;

    /// The types of a name in `type`.
    pub(super) fn from_type_name(name: &str) -> Option<Self> {
        Some(Self(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOL,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            "integer" => Self::INTEGER,
            "number" => Self::INTEGER | Self::FRACTIONAL,
            _ => return None,
        }))
    }

    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set contains the type of a node of this kind.
    pub(super) fn contains(self, node: Node<'_>, kind: Kind) -> bool {
        let bits = match kind {
            Kind::Null => Self::NULL,
            Kind::Bool => Self::BOOL,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
            Kind::Number if self.0 & Self::FRACTIONAL != 0 || is_integral(node) => Self::INTEGER,
            Kind::Number => Self::FRACTIONAL,
        };
        self.0 & bits != 0
    }
}

fn is_integral(node: Node<'_>) -> bool {
    node.is_written_as_integer() || node.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// The longest text of an integer (sign included) that a double certainly represents exactly.
const MAX_EXACT_LENGTH: usize = 15;

/// A number as an equal double; for a fraction or an exponent, the double that every JSON parser returns. `None` if
/// only the validator can compare it.
pub(super) fn exact_number(node: Node<'_>) -> Option<f64> {
    if node.is_written_as_integer() && node.as_number()?.len() > MAX_EXACT_LENGTH {
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
    String(Box<str>),
}

impl Scalar {
    #[expect(clippy::float_cmp, reason = "both are exact")]
    pub(super) fn equals(&self, node: Node<'_>) -> bool {
        match self {
            Self::Null => node.is_null(),
            Self::Bool(expected) => node.as_bool() == Some(*expected),
            Self::Number(expected) => exact_number(node).is_some_and(|number| number == *expected),
            Self::String(expected) => node.equals_str(expected),
        }
    }
}

/// The rule for strings.
#[derive(Debug)]
pub(super) struct StringRule {
    pub(super) min_length: u64,
    pub(super) max_length: u64,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<FormatCheck>,
}

impl StringRule {
    pub(super) fn check(&self, node: Node<'_>) -> Option<Valid> {
        let text = node.as_str()?;
        let fits = self.accepts_length(&text)
            && self.pattern.as_ref().is_none_or(|pattern| pattern.accepts(node))
            && self.format.as_ref().is_none_or(|format| format.fits(node, &text));
        fits.then_some(Valid)
    }

    /// Checks the length in characters of one to four bytes each; counts them only if the byte length is not enough.
    fn accepts_length(&self, text: &str) -> bool {
        let bytes = text.len() as u64;
        if bytes <= self.max_length && bytes / 4 >= self.min_length {
            return true;
        }
        let length = text.chars().count() as u64;
        (self.min_length..=self.max_length).contains(&length)
    }
}

/// The rule for numbers.
#[derive(Debug)]
pub(super) struct NumberRule {
    pub(super) minimum: f64,
    pub(super) maximum: f64,
    pub(super) exclusive_minimum: f64,
    pub(super) exclusive_maximum: f64,
    pub(super) multiple_of: Option<i64>,
}

impl NumberRule {
    pub(super) fn check(&self, node: Node<'_>) -> Option<Valid> {
        let number = exact_number(node)?;
        let is_within = (self.minimum..=self.maximum).contains(&number)
            && self.exclusive_minimum < number
            && number < self.exclusive_maximum;
        let divides = match self.multiple_of {
            None => true,
            Some(_) if !node.is_written_as_integer() => false,
            Some(divisor) => node.as_number()?.parse::<i64>().ok()?.checked_rem(divisor)? == 0,
        };
        (is_within && divides).then_some(Valid)
    }
}

/// The rule for arrays.
#[derive(Debug)]
pub(super) struct ArrayRule {
    pub(super) min_items: u64,
    pub(super) max_items: u64,
    pub(super) is_unique: bool,
    /// The schemas of the first elements (`prefixItems`).
    pub(super) prefix_items: Box<[RuleId]>,
    /// The schema of the other elements.
    pub(super) items: Option<RuleId>,
}

/// The largest number of elements compared here. The validator compares more elements, by hashing.
const MAX_COMPARED: usize = 24;

impl ArrayRule {
    /// Whether length and uniqueness are valid. Does not check the elements.
    pub(super) fn accepts_array(&self, node: Node<'_>) -> bool {
        (self.min_items..=self.max_items).contains(&(node.len() as u64))
            && (!self.is_unique || is_certainly_unique(node))
    }
}

/// Whether all elements are certainly distinct; decides only for short arrays of strings.
fn is_certainly_unique(array: Node<'_>) -> bool {
    if array.len() < 2 {
        return true;
    }
    if array.len() > MAX_COMPARED {
        return false;
    }
    let mut rest = array.elements();
    while let Some(element) = rest.next() {
        let Some(text) = element.as_str() else { return false };
        if rest.clone().any(|other| other.equals_str(&text)) {
            return false;
        }
    }
    true
}

/// Schemas that apply to the same value.
#[derive(Debug)]
pub(super) struct InPlaceRules {
    /// `$ref` and `allOf`.
    pub(super) all: Box<[RuleId]>,
    /// `anyOf`.
    pub(super) any: Box<[RuleId]>,
    /// Whether one in-place schema has all of the schema's rules for objects and arrays.
    pub(super) is_transparent: bool,
}
