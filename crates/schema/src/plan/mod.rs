//! Which parts of a schema speak about which parts of a value, without judging the value.
//!
//! A schema is flattened into an arena of nodes, so that recursive references cost nothing. Completing arguments, masking
//! sensitive ones and telling which properties are known all walk it. Validation does not.

mod build;
mod close;
mod judge;
mod keywords;
mod plain;
mod referring;

use super::by_name;
use toolgate_json::{Kind, Node, Tape};

/// Index of a schema in the arena.
pub(super) type NodeId = usize;

/// Whether a schema applies to a value for sure (through `$ref`, `allOf`, `properties`, `items`) or perhaps (through
/// `anyOf`, `oneOf`, `if` and their like).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    Certain,
    Perhaps,
}

impl Certainty {
    fn and(self, other: Self) -> Self {
        if self == Self::Certain { other } else { Self::Perhaps }
    }
}

/// A schema that applies to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Applied {
    pub(super) node: NodeId,
    pub(super) certainty: Certainty,
}

/// A property that a schema declares.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) node: NodeId,
    /// Its own schema rejects `null`.
    pub(super) rejects_null: bool,
    /// Its default, where its own schema takes it.
    pub(super) default: Option<Tape>,
}

/// One schema.
#[derive(Debug, Default)]
pub(super) struct PlanNode {
    /// Schemas that apply to the same value.
    in_place: Vec<Applied>,
    /// Those, all that they bring along, and this one: references before what stands beside them, as Ajv does.
    closure: Vec<Applied>,
    pub(super) properties: Vec<Property>,
    /// Places of `properties`, by name.
    by_name: Vec<u32>,
    required: Vec<String>,
    patterns: Vec<(build::NamePattern, NodeId)>,
    /// `additionalProperties`, where it is a schema.
    additional: Option<NodeId>,
    /// `unevaluatedProperties`, `unevaluatedItems` and `contains`: they apply to some members or elements.
    unevaluated_members: Option<NodeId>,
    some_elements: Vec<NodeId>,
    /// Schemas of the first elements.
    pub(super) leading: Vec<Property>,
    /// The schema of the other elements.
    items: Option<NodeId>,
    pub(super) is_sensitive: bool,
    /// A property that it declares is sensitive.
    declares_sensitive: bool,
    reach: Reach,
}

/// What lies in a schema or below it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Reach {
    /// A default that is filled in.
    default: bool,
    /// Something sensitive.
    sensitive: bool,
}

impl PlanNode {
    pub(super) fn property(&self, name: &str) -> Option<&Property> {
        let named = |place: &u32| self.properties.get(*place as usize).map_or("", |property| &property.name);
        let place = self.by_name.binary_search_by(|place| named(place).cmp(name)).ok()?;
        self.properties.get(*self.by_name.get(place)? as usize)
    }

    /// Makes properties findable, once all are there. No name is there twice.
    fn index_names(&mut self) {
        let names: Vec<&str> = self.properties.iter().map(|property| &*property.name).collect();
        self.by_name = by_name::sorted(&names);
    }

    /// Whether it has schemas for members that `properties` does not name.
    pub(super) fn speaks_of_others(&self) -> bool {
        self.additional.is_some() || !self.patterns.is_empty()
    }

    pub(super) fn has_properties(&self) -> bool {
        !self.properties.is_empty()
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }
}

/// A flattened schema.
#[derive(Debug, Default)]
pub(super) struct Plan {
    nodes: Vec<PlanNode>,
    references: Vec<Reference>,
    longest_chain: usize,
}

/// A `$ref` inside the document.
#[derive(Debug)]
pub(super) struct Reference {
    /// JSON Pointer of the schema that holds it.
    pub(super) holder: String,
    /// JSON Pointer of the schema that it leads to.
    pub(super) target: String,
    node: NodeId,
}

/// The root of every plan.
const ROOT: NodeId = 0;

/// A node for a schema that the arena does not hold.
static NOTHING: std::sync::LazyLock<PlanNode> = std::sync::LazyLock::new(PlanNode::default);

impl Plan {
    /// The plan of a schema that can't be read: it fills nothing and shows nothing.
    pub(super) fn all_sensitive() -> Self {
        let mut plan = Self { nodes: vec![PlanNode { is_sensitive: true, ..PlanNode::default() }], ..Self::default() };
        plan.close();
        plan.mark_reach();
        plan
    }

    pub(super) fn node(&self, id: NodeId) -> &PlanNode {
        self.nodes.get(id).unwrap_or(&NOTHING)
    }

    /// All that applies to the whole value.
    pub(super) fn root(&self) -> Vec<Applied> {
        self.expand([Applied { node: ROOT, certainty: Certainty::Certain }])
    }

    /// How many schemas, at most, apply in place one through the other.
    pub(super) const fn longest_chain(&self) -> usize {
        self.longest_chain
    }

    pub(super) fn has_default(&self) -> bool {
        self.node(ROOT).reach.default
    }

    pub(super) fn has_sensitive(&self) -> bool {
        self.node(ROOT).reach.sensitive
    }

    pub(super) fn reaches_sensitive(&self, applied: &[Applied]) -> bool {
        applied.iter().any(|applied| self.node(applied.node).reach.sensitive)
    }

    pub(super) fn reaches_default(&self, applied: &[Applied]) -> bool {
        applied.iter().any(|applied| applied.certainty == Certainty::Certain && self.node(applied.node).reach.default)
    }

    /// The schemas and all that they bring along, each once.
    fn expand(&self, seeds: impl IntoIterator<Item = Applied>) -> Vec<Applied> {
        let mut all: Vec<Applied> = Vec::new();
        for seed in seeds {
            for member in &self.node(seed.node).closure {
                let certainty = member.certainty.and(seed.certainty);
                match all.iter_mut().find(|known| known.node == member.node) {
                    Some(known) if certainty == Certainty::Certain => known.certainty = certainty,
                    Some(_) => {}
                    None => all.push(Applied { node: member.node, certainty }),
                }
            }
        }
        all
    }

    /// What applies to the member `name` of an object to which `applied` applies.
    pub(super) fn of_member(&self, applied: &[Applied], name: &str) -> Vec<Applied> {
        let mut seeds = Vec::new();
        for parent in applied {
            let node = self.node(parent.node);
            let mut push = |id, certainty: Certainty| {
                seeds.push(Applied { node: id, certainty: certainty.and(parent.certainty) });
            };
            let mut is_declared = false;
            if let Some(property) = node.property(name) {
                is_declared = true;
                push(property.node, Certainty::Certain);
            }
            for (pattern, id) in &node.patterns {
                if pattern.matches(name) {
                    is_declared = true;
                    push(*id, Certainty::Certain);
                }
            }
            if let Some(id) = node.additional.filter(|_| !is_declared) {
                push(id, Certainty::Certain);
            }
            if let Some(id) = node.unevaluated_members {
                push(id, Certainty::Perhaps);
            }
        }
        self.expand(seeds)
    }

    /// How many elements at the beginning of an array have schemas of their own; to all others the same applies.
    pub(super) fn leading_elements(&self, applied: &[Applied]) -> usize {
        applied.iter().map(|applied| self.node(applied.node).leading.len()).max().unwrap_or_default()
    }

    /// What applies to the element `index` of an array to which `applied` applies.
    pub(super) fn of_element(&self, applied: &[Applied], index: usize) -> Vec<Applied> {
        let mut seeds = Vec::new();
        for parent in applied {
            let node = self.node(parent.node);
            let here = node.leading.get(index).map(|element| element.node).or(node.items);
            seeds.extend(here.map(|id| Applied { node: id, certainty: parent.certainty }));
            seeds.extend(node.some_elements.iter().map(|id| Applied { node: *id, certainty: Certainty::Perhaps }));
        }
        self.expand(seeds)
    }

    /// Whether a value is sensitive, or stands where a sensitive one was meant to: a member that nothing declares, beside
    /// one that is sensitive, may be that one misspelt.
    pub(super) fn is_sensitive(&self, parents: &[Applied], applied: &[Applied]) -> bool {
        applied.iter().any(|applied| self.node(applied.node).is_sensitive)
            || (applied.is_empty() && parents.iter().any(|parent| self.node(parent.node).declares_sensitive))
    }

    /// Whether the whole value is sensitive: also where it is no object although it should hold something sensitive, since
    /// a model may have sent that alone, or its JSON text as a string.
    pub(super) fn is_sensitive_root(&self, root: Node<'_>, applied: &[Applied]) -> bool {
        self.is_sensitive(&[], applied)
            || (self.has_sensitive() && !matches!(root.kind(), Kind::Object | Kind::Array | Kind::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate_json::Limits;

    #[test]
    fn of_what_cannot_be_read_nothing_is_shown() {
        let plan = Plan::all_sensitive();
        for text in [r#"{"card":"4111"}"#, r#"["4111"]"#, r#""4111""#, "4111"] {
            assert_eq!(plan.mask(&Tape::parse(text, &Limits::widest()).unwrap()), "\"***\"", "{text}");
        }
        assert!(plan.has_sensitive() && !plan.has_default());
    }
}
