//! The annotation plan: the subschemas that apply to each part of a value, without validation.
//!
//! A schema is flattened into an arena of nodes, so recursive references need no special case. Completion, masking and
//! the lookup of known properties walk the plan. Validation does not use it.

mod acceptance;
mod applied_list;
mod build;
mod closure;
mod keywords;
mod recursion;
mod references;
mod static_checks;

use super::name_index;
use applied_list::AppliedList;
use toolgate_json::{Kind, Node, Tape};

/// Index of a schema in the arena.
pub(super) type NodeId = usize;

/// Whether a schema certainly applies to a value (through `$ref`, `allOf`, `properties`, `items`) or possibly (through
/// `anyOf`, `oneOf`, `if` and similar keywords).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    Certain,
    Possible,
}

impl Certainty {
    fn and(self, other: Self) -> Self {
        if self == Self::Certain { other } else { Self::Possible }
    }
}

/// A schema that applies to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AppliedSchema {
    pub(super) node: NodeId,
    pub(super) certainty: Certainty,
}

/// A property that a schema declares.
#[derive(Debug)]
pub(super) struct PlanProperty {
    pub(super) name: String,
    pub(super) node: NodeId,
    /// Whether its own schema rejects `null`.
    pub(super) rejects_null: bool,
    /// Its default, if its own schema accepts it.
    pub(super) default: Option<Tape>,
}

/// One schema.
#[derive(Debug, Default)]
pub(super) struct PlanNode {
    /// The schemas that this one directly applies to the same value.
    in_place: Vec<AppliedSchema>,
    /// The transitive closure of `in_place`, with this schema: references before their siblings, as in Ajv.
    closure: Vec<AppliedSchema>,
    pub(super) properties: Vec<PlanProperty>,
    /// Indexes of `properties`, sorted by name.
    name_order: Vec<u32>,
    /// Sorted.
    required: Vec<String>,
    pattern_properties: Vec<(build::NamePattern, NodeId)>,
    /// `additionalProperties`, if it is a schema.
    additional_properties: Option<NodeId>,
    /// `unevaluatedProperties`, if it is a schema: applies to some members.
    unevaluated_properties: Option<NodeId>,
    /// `unevaluatedItems` and `contains`: apply to some elements.
    possible_items: Vec<NodeId>,
    /// The schemas of the first elements (`prefixItems`).
    pub(super) prefix_items: Vec<PlanProperty>,
    /// The schema of the other elements.
    items: Option<NodeId>,
    pub(super) is_sensitive: bool,
    /// Whether its format makes a value one that is never cut for people.
    pub(super) is_never_cut: bool,
    /// Its `title`, for people.
    title: Option<Box<str>>,
    /// Whether a property that it declares is sensitive.
    declares_sensitive: bool,
    subtree: SubtreeSummary,
}

/// Summary of a schema and all schemas below it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct SubtreeSummary {
    /// Whether it contains a default that is filled.
    has_default: bool,
    /// Whether a schema of a member or an element does.
    has_default_below: bool,
    /// Whether it contains a sensitive value.
    has_sensitive: bool,
}

impl PlanNode {
    pub(super) fn property(&self, name: &str) -> Option<&PlanProperty> {
        let named = |place: &u32| self.properties.get(*place as usize).map_or("", |property| &property.name);
        let place = self.name_order.binary_search_by(|place| named(place).cmp(name)).ok()?;
        self.properties.get(*self.name_order.get(place)? as usize)
    }

    /// Builds the index by name, after all properties are added. Names are unique.
    fn index_names(&mut self) {
        let names: Vec<&str> = self.properties.iter().map(|property| &*property.name).collect();
        self.name_order = name_index::sorted_positions(&names);
    }

    /// Whether it has schemas for properties that `properties` does not declare.
    pub(super) fn covers_undeclared_properties(&self) -> bool {
        self.additional_properties.is_some() || !self.pattern_properties.is_empty()
    }

    pub(super) fn has_properties(&self) -> bool {
        !self.properties.is_empty()
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.required.binary_search_by(|required| required.as_str().cmp(name)).is_ok()
    }
}

/// A schema, flattened into an arena of nodes.
#[derive(Debug, Default)]
pub(super) struct AnnotationPlan {
    nodes: Vec<PlanNode>,
    references: Vec<Reference>,
    longest_chain: usize,
}

/// A `$ref` inside the document.
#[derive(Debug)]
pub(super) struct Reference {
    /// JSON Pointer of the schema that contains it.
    pub(super) holder: String,
    /// JSON Pointer of its target.
    pub(super) target: String,
    node: NodeId,
}

/// The root node of every plan.
const ROOT: NodeId = 0;

/// The node of an unknown id: an empty schema.
static EMPTY_NODE: std::sync::LazyLock<PlanNode> = std::sync::LazyLock::new(PlanNode::default);

impl AnnotationPlan {
    /// The plan of a schema that can't be read: fills no defaults and masks everything.
    pub(super) fn all_sensitive() -> Self {
        let mut plan = Self { nodes: vec![PlanNode { is_sensitive: true, ..PlanNode::default() }], ..Self::default() };
        // One schema is not too large.
        plan.compute_closures().unwrap_or_default();
        plan.compute_subtrees();
        plan
    }

    pub(super) fn node(&self, id: NodeId) -> &PlanNode {
        self.nodes.get(id).unwrap_or(&EMPTY_NODE)
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &PlanNode> {
        self.nodes.iter()
    }

    /// Whether a schema, or one that it applies to the same value, is marked as sensitive.
    pub(super) fn marks_sensitive(&self, id: NodeId) -> bool {
        self.node(id).closure.iter().any(|applied| self.node(applied.node).is_sensitive)
    }

    /// The schemas that apply to the whole value.
    pub(super) fn root(&self) -> &[AppliedSchema] {
        &self.node(ROOT).closure
    }

    /// The length of the longest chain of in-place schemas.
    pub(super) const fn longest_chain(&self) -> usize {
        self.longest_chain
    }

    pub(super) fn has_default(&self) -> bool {
        self.node(ROOT).subtree.has_default
    }

    pub(super) fn has_sensitive(&self) -> bool {
        self.node(ROOT).subtree.has_sensitive
    }

    pub(super) fn reaches_sensitive(&self, applied: &[AppliedSchema]) -> bool {
        applied.iter().any(|applied| self.node(applied.node).subtree.has_sensitive)
    }

    pub(super) fn reaches_default(&self, applied: &[AppliedSchema]) -> bool {
        applied
            .iter()
            .any(|applied| applied.certainty == Certainty::Certain && self.node(applied.node).subtree.has_default)
    }

    /// Whether a default may be filled inside a member or an element of a value to which `applied` applies.
    pub(super) fn reaches_default_below(&self, applied: &[AppliedSchema]) -> bool {
        applied.iter().any(|applied| self.node(applied.node).subtree.has_default_below)
    }

    /// The schemas with all their in-place schemas, each once.
    fn expand(&self, seeds: impl IntoIterator<Item = AppliedSchema>) -> Vec<AppliedSchema> {
        let mut all = AppliedList::default();
        for seed in seeds {
            for member in &self.node(seed.node).closure {
                let certainty = member.certainty.and(seed.certainty);
                match all.get_mut(member.node) {
                    Some(known) if certainty == Certainty::Certain => known.certainty = certainty,
                    Some(_) => {}
                    None => all.push(AppliedSchema { node: member.node, certainty }),
                }
            }
        }
        all.into_schemas()
    }

    /// The schemas that apply to the member `name` of an object to which `applied` applies.
    pub(super) fn applied_to_member(&self, applied: &[AppliedSchema], name: &str) -> Vec<AppliedSchema> {
        let mut seeds = Vec::new();
        for parent in applied {
            let node = self.node(parent.node);
            let mut push = |id, certainty: Certainty| {
                seeds.push(AppliedSchema { node: id, certainty: certainty.and(parent.certainty) });
            };
            let mut is_declared = false;
            if let Some(property) = node.property(name) {
                is_declared = true;
                push(property.node, Certainty::Certain);
            }
            for (pattern, id) in &node.pattern_properties {
                if pattern.matches(name) {
                    is_declared = true;
                    push(*id, Certainty::Certain);
                }
            }
            if let Some(id) = node.additional_properties.filter(|_| !is_declared) {
                push(id, Certainty::Certain);
            }
            if let Some(id) = node.unevaluated_properties {
                push(id, Certainty::Possible);
            }
        }
        self.expand(seeds)
    }

    /// The number of leading elements with schemas of their own; the same schemas apply to all others.
    pub(super) fn prefix_length(&self, applied: &[AppliedSchema]) -> usize {
        applied.iter().map(|applied| self.node(applied.node).prefix_items.len()).max().unwrap_or_default()
    }

    /// The schemas that apply to the element `index` of an array to which `applied` applies.
    pub(super) fn applied_to_element(&self, applied: &[AppliedSchema], index: usize) -> Vec<AppliedSchema> {
        let mut seeds = Vec::new();
        for parent in applied {
            let node = self.node(parent.node);
            let here = node.prefix_items.get(index).map(|element| element.node).or(node.items);
            seeds.extend(here.map(|id| AppliedSchema { node: id, certainty: parent.certainty }));
            seeds.extend(
                node.possible_items.iter().map(|id| AppliedSchema { node: *id, certainty: Certainty::Possible }),
            );
        }
        self.expand(seeds)
    }

    /// Whether a value is sensitive, or possibly is: an undeclared member beside a declared sensitive one may be its
    /// misspelt name.
    pub(super) fn is_sensitive(&self, parents: &[AppliedSchema], applied: &[AppliedSchema]) -> bool {
        applied.iter().any(|applied| self.node(applied.node).is_sensitive)
            || (applied.is_empty() && parents.iter().any(|parent| self.node(parent.node).declares_sensitive))
    }

    /// The title of a value: its own schema's rather than one of a schema that it refers to.
    pub(super) fn title(&self, applied: &[AppliedSchema]) -> Option<&str> {
        let certain = applied.iter().rev().filter(|applied| applied.certainty == Certainty::Certain);
        certain.into_iter().find_map(|applied| self.node(applied.node).title.as_deref())
    }

    /// Whether the schemas that apply to the whole value mark it as sensitive.
    pub(super) fn marks_sensitive_root(&self, applied: &[AppliedSchema]) -> bool {
        self.is_sensitive(&[], applied)
    }

    /// Whether the whole value is sensitive. A scalar other than `null` counts as sensitive if the schema contains a
    /// sensitive value: a model may have sent that value alone, or the JSON text of the arguments as a string.
    pub(super) fn is_sensitive_root(&self, root: Node<'_>, applied: &[AppliedSchema]) -> bool {
        self.is_sensitive(&[], applied)
            || (self.has_sensitive() && !matches!(root.kind(), Kind::Object | Kind::Array | Kind::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate_json::Limits;

    #[test]
    fn an_unreadable_schema_masks_everything() {
        let plan = AnnotationPlan::all_sensitive();
        for text in [r#"{"card":"4111"}"#, r#"["4111"]"#, r#""4111""#, "4111"] {
            assert_eq!(plan.mask(&Tape::parse(text, &Limits::widest()).unwrap()), "\"***\"", "{text}");
        }
        assert!(plan.has_sensitive() && !plan.has_default());
    }
}
