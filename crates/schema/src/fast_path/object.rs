//! The rule of a schema for objects, and the lookup of missing members.

use super::super::name_index;
use super::rules::RuleId;
use toolgate_json::Node;

/// The rule for objects.
#[derive(Debug)]
pub(super) struct ObjectRule {
    pub(super) min_members: u64,
    pub(super) max_members: u64,
    /// In the order of the schema; undeclared required names come last.
    pub(super) properties: Box<[PropertyRule]>,
    /// Indexes of `properties`, sorted by name.
    name_order: Box<[u32]>,
    pub(super) additional_properties: AdditionalProperties,
    /// The bits of all properties that are required or have a default.
    tracked_bits: u64,
}

/// The rule for members that `properties` does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AdditionalProperties {
    Allowed,
    Refused,
    Matching(RuleId),
}

/// A property that a schema names.
#[derive(Debug)]
pub(super) struct PropertyRule {
    pub(super) name: Box<str>,
    /// `None` if it is required but not declared.
    pub(super) schema: Option<RuleId>,
    pub(super) is_required: bool,
    pub(super) default: DefaultRule,
    /// Its bit if it is required or has a default, otherwise 0.
    bit: u64,
}

/// A property's default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DefaultRule {
    None,
    /// Its text: its own schema accepts it, and no defaults are filled into it.
    Known(Box<str>),
    /// Only completion by the plan decides whether and how it is filled.
    Unknown,
}

impl PropertyRule {
    pub(super) fn new(name: &str, schema: Option<RuleId>, is_required: bool, default: DefaultRule) -> Self {
        Self { name: name.into(), schema, is_required, default, bit: 0 }
    }
}

impl ObjectRule {
    /// Returns `None` if more properties are required or have a default than there are bits.
    pub(super) fn new(
        bounds: (u64, u64),
        mut properties: Vec<PropertyRule>,
        others: AdditionalProperties,
    ) -> Option<Self> {
        let mut next = Some(1_u64);
        let mut tracked = 0;
        for property in &mut properties {
            if property.is_required || property.default != DefaultRule::None {
                property.bit = next?;
                tracked |= property.bit;
                next = property.bit.checked_shl(1).filter(|bit| *bit != 0);
            }
        }
        let names: Vec<&str> = properties.iter().map(|property| &*property.name).collect();
        let by_name = name_index::sorted_positions(&names);
        let (least, most) = bounds;
        Some(Self {
            min_members: least,
            max_members: most,
            properties: properties.into(),
            name_order: by_name.into(),
            additional_properties: others,
            tracked_bits: tracked,
        })
    }

    /// The index of the property that a key names. Tries the index `likely` first, the one after the last found:
    /// members are usually in the schema's order.
    pub(super) fn index_of(&self, key: Node<'_>, likely: usize) -> Option<usize> {
        if self.properties.get(likely).is_some_and(|property| key.equals_str(&property.name)) {
            return Some(likely);
        }
        let name = key.as_str()?;
        let named = |place: &u32| self.properties.get(*place as usize).map_or("", |property| &property.name);
        let found = self.name_order.binary_search_by(|place| named(place).cmp(&name)).ok()?;
        Some(*self.name_order.get(found)? as usize)
    }

    /// The tracked properties that are not in `seen`.
    pub(super) fn missing(&self, seen: SeenProperties) -> impl Iterator<Item = &PropertyRule> {
        let missing = self.tracked_bits & !seen.0;
        // Usually nothing is missing; then no property is visited.
        let properties = if missing == 0 { &[] } else { &*self.properties };
        properties.iter().filter(move |property| property.bit & missing != 0)
    }
}

/// The tracked properties of an object, as bits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SeenProperties(u64);

impl SeenProperties {
    pub(super) const fn add(&mut self, property: &PropertyRule) {
        self.0 |= property.bit;
    }
}
