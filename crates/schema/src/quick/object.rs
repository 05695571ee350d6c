//! What a schema asks of an object, and which of its members are missing.

use super::super::by_name;
use super::rules::RuleId;
use toolgate_json::Node;

/// What is asked of an object.
#[derive(Debug)]
pub(super) struct ObjectRule {
    pub(super) least: u64,
    pub(super) most: u64,
    /// In the order of the schema; names that are only required come last.
    pub(super) properties: Box<[Property]>,
    /// Places of `properties`, by name.
    by_name: Box<[u32]>,
    pub(super) others: Others,
    /// The bits of all properties whose absence matters.
    tracked: u64,
}

/// What members may be that `properties` does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    Anything,
    Refused,
    Fitting(RuleId),
}

/// A property that a schema names.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Box<str>,
    /// None where it is required and not declared.
    pub(super) schema: Option<RuleId>,
    pub(super) is_required: bool,
    pub(super) default: Default,
    /// Its bit, where its absence matters.
    bit: u64,
}

/// A property's default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Default {
    None,
    /// Its text; its own schema takes it, and nothing is filled into it.
    Sure(Box<str>),
    /// Whether it is filled in, and how, is another's to say.
    Unsure,
}

impl Property {
    pub(super) fn new(name: &str, schema: Option<RuleId>, is_required: bool, default: Default) -> Self {
        Self { name: name.into(), schema, is_required, default, bit: 0 }
    }
}

impl ObjectRule {
    /// None where the absence of more properties matters than there are bits.
    pub(super) fn new(bounds: (u64, u64), mut properties: Vec<Property>, others: Others) -> Option<Self> {
        let mut next = Some(1_u64);
        let mut tracked = 0;
        for property in &mut properties {
            if property.is_required || property.default != Default::None {
                property.bit = next?;
                tracked |= property.bit;
                next = property.bit.checked_shl(1).filter(|bit| *bit != 0);
            }
        }
        let names: Vec<&str> = properties.iter().map(|property| &*property.name).collect();
        let by_name = by_name::sorted(&names);
        let (least, most) = bounds;
        Some(Self { least, most, properties: properties.into(), by_name: by_name.into(), others, tracked })
    }

    /// The place of the property that a key names, sought first where the one after the last found stands: members mostly
    /// come in the schema's order.
    pub(super) fn place_of(&self, key: Node<'_>, likely: usize) -> Option<usize> {
        if self.properties.get(likely).is_some_and(|property| key.is_string(&property.name)) {
            return Some(likely);
        }
        let name = key.as_str()?;
        let named = |place: &u32| self.properties.get(*place as usize).map_or("", |property| &property.name);
        let found = self.by_name.binary_search_by(|place| named(place).cmp(&name)).ok()?;
        Some(*self.by_name.get(found)? as usize)
    }

    /// Properties whose absence matters and that are not among those seen.
    pub(super) fn missing(&self, seen: Seen) -> impl Iterator<Item = &Property> {
        let missing = self.tracked & !seen.0;
        // Mostly nothing is missing; then no property is looked at.
        let properties = if missing == 0 { &[] } else { &*self.properties };
        properties.iter().filter(move |property| property.bit & missing != 0)
    }
}

/// Which properties an object has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen(u64);

impl Seen {
    pub(super) const fn add(&mut self, property: &Property) {
        self.0 |= property.bit;
    }
}
