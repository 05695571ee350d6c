//! Flattening a schema into the arena.

use jsonschema::Draft;
use referencing::Resolver;
use serde_json::Value;

use super::judge::{Asked, Judgement};
use super::keywords::Keywords;
use super::referring::{Referring, stands_alone};
use super::{Applied, Certainty, NodeId, Plan, PlanNode, Property};
use crate::SchemaError;
use crate::document::Document;
use crate::pattern::Pattern;
use toolgate_json::{Limits, Tape, write_string};

/// A pattern of `patternProperties`, matched exactly as validation does. None where it can't be compiled, which has been
/// told when the validator was built.
pub(super) struct NamePattern(Option<Pattern>);

impl NamePattern {
    fn new(pattern: &str) -> Self {
        Self(Pattern::of(pattern).ok())
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        let mut text = String::with_capacity(name.len() + 2);
        write_string(&mut text, name);
        let tape = Tape::parse(text, &Limits::widest()).unwrap_or_default();
        self.0.as_ref().is_some_and(|pattern| pattern.fits(tape.root()))
    }
}

impl std::fmt::Debug for NamePattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("NamePattern").finish_non_exhaustive()
    }
}

/// A schema and what its references are read by.
#[derive(Clone)]
struct Place<'s> {
    schema: &'s Value,
    /// None where the schema stands alone.
    resolver: Option<Resolver<'s>>,
    draft: Draft,
}

impl<'s> Place<'s> {
    /// A schema below this one.
    fn child(&self, schema: &'s Value) -> Self {
        Self { schema, resolver: self.resolver.clone(), draft: self.draft }
    }

    /// The place as seen from inside: a schema with an id of its own is the base of its references.
    fn entered(mut self) -> Self {
        if self.resolver.is_none() {
            return self;
        }
        self.draft = self.draft.detect(self.schema);
        let resource = self.draft.create_resource_ref(self.schema);
        if resource.id().is_some()
            && let Some(Ok(inner)) = self.resolver.as_ref().map(|resolver| resolver.in_subresource(resource))
        {
            self.resolver = Some(inner);
        }
        self
    }

    /// Drafts up to 7 ignore what stands beside a `$ref`, and write tuples as an array of `items` up to 2019-09.
    fn ref_stands_alone(&self) -> bool {
        matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7)
    }
}

struct Builder<'d> {
    nodes: Vec<PlanNode>,
    /// The node of all schemas that lead nowhere, once there is one.
    leaf: Option<NodeId>,
    pending: Vec<(NodeId, Place<'d>, Keywords<'d>)>,
    /// What only references make necessary; none where the document stands alone.
    referring: Option<Referring>,
    judgement: Judgement<'d>,
}

impl Plan {
    /// Whether nothing in a document refers to anything else in or out of it.
    pub(crate) fn stands_alone(document: &Document<'_>) -> bool {
        document.is_of_known_dialect() && stands_alone(document.root)
    }

    /// Flattens a document that has been found valid.
    pub(crate) fn build(document: &Document<'_>) -> Result<Self, SchemaError> {
        let stands_alone = Self::stands_alone(document);
        let mut builder = Builder {
            nodes: Vec::new(),
            leaf: None,
            pending: Vec::new(),
            referring: (!stands_alone).then(|| Referring::new(document.root)),
            judgement: Judgement::default(),
        };
        builder.node_of(Place {
            schema: document.root,
            resolver: if stands_alone { None } else { Some(document.resolver()?) },
            draft: document.draft,
        });
        while let Some((node, place, keywords)) = builder.pending.pop() {
            builder.read(node, &place, &keywords);
        }
        let references = builder.referring.map(|referring| referring.references).unwrap_or_default();
        let mut plan = Self { nodes: builder.nodes, references, longest_chain: 0 };
        plan.close();
        builder.judgement.settle(document, &mut plan)?;
        plan.mark_reach();
        Ok(plan)
    }
}

impl<'d> Builder<'d> {
    /// The node of a schema, which is read later where it is new and leads on.
    fn node_of(&mut self, place: Place<'d>) -> NodeId {
        let Some(keywords) = Keywords::of(place.schema) else { return self.leaf() };
        let node = self.nodes.len();
        if let Some(known) = self.referring.as_mut().and_then(|referring| referring.known(place.schema, node)) {
            return known;
        }
        self.nodes.push(PlanNode::default());
        self.pending.push((node, place.entered(), keywords));
        node
    }

    fn leaf(&mut self) -> NodeId {
        let nodes = &mut self.nodes;
        *self.leaf.get_or_insert_with(|| {
            nodes.push(PlanNode::default());
            nodes.len() - 1
        })
    }

    fn child(&mut self, place: &Place<'d>, schema: Option<&'d Value>) -> Option<NodeId> {
        Some(self.node_of(place.child(schema.filter(|schema| is_schema(schema))?)))
    }

    fn list(&mut self, place: &Place<'d>, schemas: Option<&'d Value>) -> Vec<(&'d Value, NodeId)> {
        let schemas = schemas.and_then(Value::as_array).into_iter().flatten();
        schemas.map(|schema| (schema, self.node_of(place.child(schema)))).collect()
    }

    fn map(&mut self, place: &Place<'d>, schemas: Option<&'d Value>) -> Vec<(&'d str, &'d Value, NodeId)> {
        let schemas = schemas.and_then(Value::as_object).into_iter().flatten();
        let named = schemas.filter(|(_, schema)| is_schema(schema));
        named.map(|(name, schema)| (name.as_str(), schema, self.node_of(place.child(schema)))).collect()
    }

    fn read(&mut self, id: NodeId, place: &Place<'d>, keywords: &Keywords<'d>) {
        let is_sensitive = keywords.sensitive.and_then(Value::as_bool).unwrap_or_default();
        let mut node = PlanNode { is_sensitive, ..PlanNode::default() };
        self.read_references(&mut node, place, keywords);
        if !(place.ref_stands_alone() && keywords.reference.is_some()) {
            self.read_in_place(&mut node, place, keywords);
            self.read_members(&mut node, place, keywords, id);
            self.read_elements(&mut node, place, keywords, id);
        }
        if let Some(slot) = self.nodes.get_mut(id) {
            *slot = node;
        }
    }

    /// Where a dynamic or recursive reference leads depends on how one came to it.
    fn read_references(&mut self, node: &mut PlanNode, place: &Place<'d>, keywords: &Keywords<'d>) {
        for (reference, certainty) in [
            (keywords.reference, Certainty::Certain),
            (keywords.dynamic_reference, Certainty::Perhaps),
            (keywords.recursive_reference, Certainty::Perhaps),
        ] {
            let reference = reference.and_then(Value::as_str);
            // One that does not resolve has been refused when the validator was built.
            let resolved = reference.and_then(|reference| place.resolver.as_ref()?.lookup(reference).ok());
            if let Some((schema, resolver, draft)) = resolved.map(referencing::Resolved::into_inner) {
                let target = self.node_of(Place { schema, resolver: Some(resolver), draft });
                node.in_place.push(Applied { node: target, certainty });
                if let Some(referring) = self.referring.as_mut().filter(|_| certainty == Certainty::Certain) {
                    referring.note(place.schema, schema, target);
                }
            }
        }
    }

    fn read_in_place(&mut self, node: &mut PlanNode, place: &Place<'d>, keywords: &Keywords<'d>) {
        let perhaps = |node| Applied { node, certainty: Certainty::Perhaps };
        let all = self.list(place, keywords.all_of).into_iter();
        node.in_place.extend(all.map(|(_, node)| Applied { node, certainty: Certainty::Certain }));
        for schemas in [keywords.any_of, keywords.one_of] {
            node.in_place.extend(self.list(place, schemas).into_iter().map(|(_, id)| perhaps(id)));
        }
        for schema in [keywords.condition, keywords.consequence, keywords.alternative] {
            node.in_place.extend(self.child(place, schema).map(perhaps));
        }
        for schemas in [keywords.dependent_schemas, keywords.dependencies] {
            node.in_place.extend(self.map(place, schemas).into_iter().map(|(_, _, id)| perhaps(id)));
        }
    }

    fn read_members(&mut self, node: &mut PlanNode, place: &Place<'d>, keywords: &Keywords<'d>, id: NodeId) {
        let required = keywords.required.and_then(Value::as_array);
        node.required = required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        for (name, schema, child) in self.map(place, keywords.properties) {
            let slot = (id, node.properties.len());
            node.properties.push(Property { name: name.to_owned(), node: child, rejects_null: false, default: None });
            if let Some(place) = self.asked(schema) {
                self.judgement.ask_property(slot, place, node.requires(name));
            }
        }
        node.index_names();
        for (pattern, _, child) in self.map(place, keywords.pattern_properties) {
            node.patterns.push((NamePattern::new(pattern), child));
        }
        // `true` and `false` declare nothing.
        let says_something = |schema: &&Value| schema.is_object();
        node.additional = self.child(place, keywords.additional_properties.filter(says_something));
        node.unevaluated_members = self.child(place, keywords.unevaluated_properties.filter(says_something));
    }

    fn read_elements(&mut self, node: &mut PlanNode, place: &Place<'d>, keywords: &Keywords<'d>, id: NodeId) {
        let is_tuple = keywords.items.is_some_and(Value::is_array);
        let (leading, rest) = if is_tuple {
            (keywords.items, keywords.additional_items)
        } else {
            (keywords.prefix_items, keywords.items)
        };
        for (index, (schema, child)) in self.list(place, leading).into_iter().enumerate() {
            // As in Ajv, only tuples that are written as `items` have missing elements filled.
            if let Some(place) = self.asked(schema).filter(|_| is_tuple) {
                self.judgement.ask_element((id, index), place);
            }
            let name = index.to_string();
            node.leading.push(Property { name, node: child, rejects_null: false, default: None });
        }
        node.items = self.child(place, rest);
        node.some_elements.extend(self.child(place, keywords.contains));
        node.some_elements.extend(self.child(place, keywords.unevaluated_items));
    }

    /// A schema that can be asked: one of this document.
    fn asked(&self, schema: &'d Value) -> Option<Asked<'d>> {
        let pointer = match &self.referring {
            Some(referring) => Some(referring.pointer_of(schema)?.clone()),
            None => None,
        };
        Some(Asked { schema, pointer })
    }
}

/// `true` and `{}` say nothing, but they have a place; anything else that is no schema has been refused before.
fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}
