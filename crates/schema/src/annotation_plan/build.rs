//! Builds the plan: flattens a schema into the arena.

use jsonschema::Draft;
use referencing::Resolver;
use serde_json::Value;

use super::acceptance::{AcceptanceChecks, CheckedSchema};
use super::keywords::ApplicatorKeywords;
use super::references::{PlanReferences, is_self_contained};
use super::{AnnotationPlan, AppliedSchema, Certainty, NodeId, PlanNode, PlanProperty};
use crate::document::Document;
use crate::pattern::Pattern;
use crate::{SchemaError, is_never_cut_format};
use toolgate_json::{Limits, Tape, write_string};

/// A pattern of `patternProperties`, matched as validation does. `None` if it can't be compiled, which is reported when
/// the validator is built.
pub(super) struct NamePattern(Option<Pattern>);

impl NamePattern {
    fn new(pattern: &str) -> Self {
        Self(Pattern::compile(pattern).ok())
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        let mut text = String::with_capacity(name.len() + 2);
        write_string(&mut text, name);
        let tape = Tape::parse(text, &Limits::widest()).unwrap_or_default();
        self.0.as_ref().is_some_and(|pattern| pattern.accepts(tape.root()))
    }
}

impl std::fmt::Debug for NamePattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("NamePattern").finish_non_exhaustive()
    }
}

/// A schema with the resolver and draft for its references.
#[derive(Clone)]
struct SchemaLocation<'s> {
    schema: &'s Value,
    /// `None` if the document is self-contained.
    resolver: Option<Resolver<'s>>,
    draft: Draft,
}

impl<'s> SchemaLocation<'s> {
    /// The location of a subschema.
    fn child(&self, schema: &'s Value) -> Self {
        Self { schema, resolver: self.resolver.clone(), draft: self.draft }
    }

    /// The location with the schema's own base URI and draft: a schema with an id is the base of its references.
    fn with_own_base(mut self) -> Self {
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

    /// Whether siblings of a `$ref` are ignored: drafts up to 7.
    fn ref_ignores_siblings(&self) -> bool {
        matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7)
    }
}

struct PlanBuilder<'d> {
    nodes: Vec<PlanNode>,
    /// The shared node of all schemas without applicator keywords, after the first one.
    leaf: Option<NodeId>,
    pending: Vec<(NodeId, SchemaLocation<'d>, ApplicatorKeywords<'d>)>,
    /// The index of references; `None` if the document is self-contained.
    references: Option<PlanReferences>,
    acceptance: AcceptanceChecks<'d>,
}

impl AnnotationPlan {
    /// Whether a document has a published dialect, no references, and no identifiers below its root.
    pub(crate) fn is_self_contained(document: &Document<'_>) -> bool {
        document.has_standard_dialect() && is_self_contained(document.root)
    }

    /// Flattens a valid document.
    pub(crate) fn build(document: &Document<'_>) -> Result<Self, SchemaError> {
        let stands_alone = Self::is_self_contained(document);
        let mut builder = PlanBuilder {
            nodes: Vec::new(),
            leaf: None,
            pending: Vec::new(),
            references: (!stands_alone).then(|| PlanReferences::new(document.root)),
            acceptance: AcceptanceChecks::default(),
        };
        builder.node_for(SchemaLocation {
            schema: document.root,
            resolver: if stands_alone { None } else { Some(document.resolver()?) },
            draft: document.draft,
        });
        while let Some((node, place, keywords)) = builder.pending.pop() {
            builder.read(node, &place, &keywords);
        }
        let references = builder.references.map(|referring| referring.references).unwrap_or_default();
        let mut plan = Self { nodes: builder.nodes, references, longest_chain: 0 };
        plan.compute_closures()?;
        builder.acceptance.resolve_into(document, &mut plan)?;
        plan.compute_subtrees();
        Ok(plan)
    }
}

impl<'d> PlanBuilder<'d> {
    /// Returns the node of a schema. A new schema with applicator keywords is queued to be read.
    fn node_for(&mut self, place: SchemaLocation<'d>) -> NodeId {
        let Some(keywords) = ApplicatorKeywords::from_schema(place.schema) else { return self.leaf() };
        let node = self.nodes.len();
        if let Some(known) =
            self.references.as_mut().and_then(|referring| referring.known_or_insert(place.schema, node))
        {
            return known;
        }
        self.nodes.push(PlanNode::default());
        self.pending.push((node, place.with_own_base(), keywords));
        node
    }

    fn leaf(&mut self) -> NodeId {
        let nodes = &mut self.nodes;
        *self.leaf.get_or_insert_with(|| {
            nodes.push(PlanNode::default());
            nodes.len() - 1
        })
    }

    fn child(&mut self, place: &SchemaLocation<'d>, schema: Option<&'d Value>) -> Option<NodeId> {
        Some(self.node_for(place.child(schema.filter(|schema| is_schema(schema))?)))
    }

    fn list(&mut self, place: &SchemaLocation<'d>, schemas: Option<&'d Value>) -> Vec<(&'d Value, NodeId)> {
        let schemas = schemas.and_then(Value::as_array).into_iter().flatten();
        schemas.map(|schema| (schema, self.node_for(place.child(schema)))).collect()
    }

    fn map(&mut self, place: &SchemaLocation<'d>, schemas: Option<&'d Value>) -> Vec<(&'d str, &'d Value, NodeId)> {
        let schemas = schemas.and_then(Value::as_object).into_iter().flatten();
        let named = schemas.filter(|(_, schema)| is_schema(schema));
        named.map(|(name, schema)| (name.as_str(), schema, self.node_for(place.child(schema)))).collect()
    }

    fn read(&mut self, id: NodeId, place: &SchemaLocation<'d>, keywords: &ApplicatorKeywords<'d>) {
        let is_sensitive = keywords.sensitive.and_then(Value::as_bool).unwrap_or_default();
        let is_never_cut = keywords.format.and_then(Value::as_str).is_some_and(is_never_cut_format);
        let title = keywords.title.and_then(Value::as_str).filter(|title| !title.is_empty()).map(Box::from);
        let mut node = PlanNode { is_sensitive, is_never_cut, title, ..PlanNode::default() };
        self.read_references(&mut node, place, keywords);
        if !(place.ref_ignores_siblings() && keywords.reference.is_some()) {
            self.read_in_place(&mut node, place, keywords);
            self.read_members(&mut node, place, keywords, id);
            self.read_elements(&mut node, place, keywords, id);
        }
        if let Some(slot) = self.nodes.get_mut(id) {
            *slot = node;
        }
    }

    /// The target of a dynamic or recursive reference depends on the evaluation path, so it only possibly applies.
    fn read_references(&mut self, node: &mut PlanNode, place: &SchemaLocation<'d>, keywords: &ApplicatorKeywords<'d>) {
        for (reference, certainty) in [
            (keywords.reference, Certainty::Certain),
            (keywords.dynamic_reference, Certainty::Possible),
            (keywords.recursive_reference, Certainty::Possible),
        ] {
            let reference = reference.and_then(Value::as_str);
            // A reference that does not resolve was refused when the validator was built.
            let resolved = reference.and_then(|reference| place.resolver.as_ref()?.lookup(reference).ok());
            if let Some((schema, resolver, draft)) = resolved.map(referencing::Resolved::into_inner) {
                let target = self.node_for(SchemaLocation { schema, resolver: Some(resolver), draft });
                node.in_place.push(AppliedSchema { node: target, certainty });
                if let Some(referring) = self.references.as_mut().filter(|_| certainty == Certainty::Certain) {
                    referring.record(place.schema, schema, target);
                }
            }
        }
    }

    fn read_in_place(&mut self, node: &mut PlanNode, place: &SchemaLocation<'d>, keywords: &ApplicatorKeywords<'d>) {
        let perhaps = |node| AppliedSchema { node, certainty: Certainty::Possible };
        let all = self.list(place, keywords.all_of).into_iter();
        node.in_place.extend(all.map(|(_, node)| AppliedSchema { node, certainty: Certainty::Certain }));
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

    fn read_members(
        &mut self,
        node: &mut PlanNode,
        place: &SchemaLocation<'d>,
        keywords: &ApplicatorKeywords<'d>,
        id: NodeId,
    ) {
        let required = keywords.required.and_then(Value::as_array);
        node.required = required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        node.required.sort_unstable();
        for (name, schema, child) in self.map(place, keywords.properties) {
            let slot = (id, node.properties.len());
            node.properties.push(PlanProperty {
                name: name.to_owned(),
                node: child,
                rejects_null: false,
                default: None,
            });
            if let Some(place) = self.checked_schema(schema) {
                self.acceptance.add_property(slot, place, node.requires(name));
            }
        }
        node.index_names();
        for (pattern, _, child) in self.map(place, keywords.pattern_properties) {
            node.pattern_properties.push((NamePattern::new(pattern), child));
        }
        // `true` and `false` declare no properties.
        let says_something = |schema: &&Value| schema.is_object();
        node.additional_properties = self.child(place, keywords.additional_properties.filter(says_something));
        node.unevaluated_properties = self.child(place, keywords.unevaluated_properties.filter(says_something));
    }

    fn read_elements(
        &mut self,
        node: &mut PlanNode,
        place: &SchemaLocation<'d>,
        keywords: &ApplicatorKeywords<'d>,
        id: NodeId,
    ) {
        let is_tuple = keywords.items.is_some_and(Value::is_array);
        let (leading, rest) = if is_tuple {
            (keywords.items, keywords.additional_items)
        } else {
            (keywords.prefix_items, keywords.items)
        };
        for (index, (schema, child)) in self.list(place, leading).into_iter().enumerate() {
            // As in Ajv, missing elements are filled only in tuples written as `items`.
            if let Some(place) = self.checked_schema(schema).filter(|_| is_tuple) {
                self.acceptance.add_element((id, index), place);
            }
            let name = index.to_string();
            node.prefix_items.push(PlanProperty { name, node: child, rejects_null: false, default: None });
        }
        node.items = self.child(place, rest);
        node.possible_items.extend(self.child(place, keywords.contains));
        node.possible_items.extend(self.child(place, keywords.unevaluated_items));
    }

    /// The schema for an acceptance check; `None` if it is not part of this document.
    fn checked_schema(&self, schema: &'d Value) -> Option<CheckedSchema<'d>> {
        let pointer = match &self.references {
            Some(referring) => Some(referring.pointer_of(schema)?.clone()),
            None => None,
        };
        Some(CheckedSchema { schema, pointer })
    }
}

/// Whether a value is a schema. `true` and `{}` are schemas; invalid schemas were refused before.
fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}
