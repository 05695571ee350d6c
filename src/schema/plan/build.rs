//! Flattening a schema into the arena.

use std::collections::HashMap;

use jsonschema::{Draft, Validator};
use referencing::Resolver;
use serde_json::Value;

use super::judge::Judgement;
use super::{Applied, Certainty, NodeId, Plan, PlanNode, Property, Reference};
use crate::json::{Limits, Tape, pointer, write_string};
use crate::schema::SchemaError;
use crate::schema::document::Document;
use crate::schema::representation::OnTape;

/// A pattern of `patternProperties`, matched exactly as validation does.
pub(super) struct Pattern(Option<Validator<OnTape>>);

impl Pattern {
    fn new(pattern: &str) -> Self {
        let schema = serde_json::json!({ "pattern": pattern });
        let options = jsonschema::options_for::<OnTape>().with_pattern_options(jsonschema::PatternOptions::regex());
        Self(options.build(&schema).ok())
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        let mut text = String::with_capacity(name.len() + 2);
        write_string(&mut text, name);
        let tape = Tape::parse(text, &Limits::widest()).unwrap_or_default();
        self.0.as_ref().is_some_and(|validator| validator.is_valid(tape.root()))
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pattern").finish_non_exhaustive()
    }
}

/// A schema and where it stands.
#[derive(Clone)]
struct Place<'s> {
    schema: &'s Value,
    /// None where the document holds no reference.
    resolver: Option<Resolver<'s>>,
    draft: Draft,
    /// JSON Pointer from the root of the document; unknown for what stands in another document.
    pointer: Option<String>,
}

impl<'s> Place<'s> {
    /// A schema below this one, by the tokens that lead to it.
    fn child(&self, tokens: &[&str], schema: &'s Value) -> Self {
        let pointer = self.pointer.clone().map(|mut pointer| {
            for token in tokens {
                pointer::push(&mut pointer, token);
            }
            pointer
        });
        Self { schema, resolver: self.resolver.clone(), draft: self.draft, pointer }
    }

    /// The place as seen from inside: a schema with an id of its own is the base of its references.
    fn entered(mut self) -> Self {
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

struct Builder<'d, 's> {
    document: &'d Document<'s>,
    nodes: Vec<PlanNode>,
    /// By the address of the schema: each is read once, however many references lead to it.
    known: HashMap<usize, NodeId>,
    pending: Vec<(NodeId, Place<'d>)>,
    /// JSON Pointers by the address of the schema; made when the first reference asks.
    pointers: Option<HashMap<usize, String>>,
    references: Vec<Reference>,
    judgement: Judgement,
}

impl Plan {
    /// Flattens a document that has been found valid.
    pub(in crate::schema) fn build(document: &Document<'_>) -> Result<Self, SchemaError> {
        let mut builder = Builder {
            document,
            nodes: Vec::new(),
            known: HashMap::new(),
            pending: Vec::new(),
            pointers: None,
            references: Vec::new(),
            judgement: Judgement::default(),
        };
        builder.node_of(Place {
            schema: document.root,
            resolver: if holds_reference(document.root) { Some(document.resolver()?) } else { None },
            draft: document.draft,
            pointer: Some(String::new()),
        });
        while let Some((node, place)) = builder.pending.pop() {
            builder.read(node, &place);
        }
        let mut plan = Self { nodes: builder.nodes, references: builder.references, longest_chain: 0 };
        plan.close();
        builder.judgement.settle(document, &mut plan)?;
        plan.mark_reach();
        Ok(plan)
    }
}

impl<'d> Builder<'d, '_> {
    /// The node of a schema, which is read later where it is new.
    fn node_of(&mut self, place: Place<'d>) -> NodeId {
        let address = std::ptr::from_ref(place.schema).addr();
        if let Some(node) = self.known.get(&address) {
            return *node;
        }
        let node = self.nodes.len();
        self.nodes.push(PlanNode::default());
        self.known.insert(address, node);
        if place.schema.is_object() {
            self.pending.push((node, place.entered()));
        }
        node
    }

    fn child(&mut self, place: &Place<'d>, keyword: &str) -> Option<NodeId> {
        let schema = place.schema.get(keyword).filter(|schema| is_schema(schema))?;
        Some(self.node_of(place.child(&[keyword], schema)))
    }

    fn list(&mut self, place: &Place<'d>, keyword: &str) -> Vec<NodeId> {
        let schemas = place.schema.get(keyword).and_then(Value::as_array);
        let numbered = schemas.into_iter().flatten().enumerate();
        numbered.map(|(index, schema)| self.node_of(place.child(&[keyword, &index.to_string()], schema))).collect()
    }

    fn map(&mut self, place: &Place<'d>, keyword: &str) -> Vec<(&'d str, NodeId)> {
        let schemas = place.schema.get(keyword).and_then(Value::as_object);
        let named = schemas.into_iter().flatten().filter(|(_, schema)| is_schema(schema));
        named.map(|(name, schema)| (name.as_str(), self.node_of(place.child(&[keyword, name], schema)))).collect()
    }

    fn read(&mut self, id: NodeId, place: &Place<'d>) {
        let mut node = PlanNode { is_sensitive: is_marked(place.schema), ..PlanNode::default() };
        self.read_references(&mut node, place);
        if !(place.ref_stands_alone() && place.schema.get("$ref").is_some()) {
            self.read_in_place(&mut node, place);
            self.read_members(&mut node, place, id);
            self.read_elements(&mut node, place, id);
        }
        if let Some(slot) = self.nodes.get_mut(id) {
            *slot = node;
        }
    }

    fn read_references(&mut self, node: &mut PlanNode, place: &Place<'d>) {
        let keywords =
            [("$ref", Certainty::Certain), ("$dynamicRef", Certainty::Perhaps), ("$recursiveRef", Certainty::Perhaps)];
        for (keyword, certainty) in keywords {
            let reference = place.schema.get(keyword).and_then(Value::as_str);
            // One that does not resolve has been refused when the validator was built.
            let resolved = reference.and_then(|reference| place.resolver.as_ref()?.lookup(reference).ok());
            if let Some((schema, resolver, draft)) = resolved.map(referencing::Resolved::into_inner) {
                let pointer = self.pointer_of(schema);
                let ends = place.pointer.clone().zip(pointer.clone()).filter(|_| certainty == Certainty::Certain);
                let target = self.node_of(Place { schema, resolver: Some(resolver), draft, pointer });
                node.in_place.push(Applied { node: target, certainty });
                self.references.extend(ends.map(|(holder, to)| Reference { holder, target: to, node: target }));
            }
        }
    }

    fn read_in_place(&mut self, node: &mut PlanNode, place: &Place<'d>) {
        let mut push = |ids: Vec<NodeId>, certainty| {
            node.in_place.extend(ids.into_iter().map(|node| Applied { node, certainty }));
        };
        push(self.list(place, "allOf"), Certainty::Certain);
        for keyword in ["anyOf", "oneOf"] {
            push(self.list(place, keyword), Certainty::Perhaps);
        }
        for keyword in ["if", "then", "else"] {
            push(self.child(place, keyword).into_iter().collect(), Certainty::Perhaps);
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            push(self.map(place, keyword).into_iter().map(|(_, id)| id).collect(), Certainty::Perhaps);
        }
    }

    fn read_members(&mut self, node: &mut PlanNode, place: &Place<'d>, id: NodeId) {
        let required = place.schema.get("required").and_then(Value::as_array);
        node.required = required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        for (name, child) in self.map(place, "properties") {
            let schema = place.schema.get("properties").and_then(|properties| properties.get(name));
            let slot = (id, node.properties.len());
            let below = schema.map(|schema| place.child(&["properties", name], schema));
            node.by_name.insert(name.to_owned(), node.properties.len());
            node.properties.push(Property { name: name.to_owned(), node: child, rejects_null: false, default: None });
            if let Some(Place { schema, pointer: Some(pointer), .. }) = below {
                let is_required = node.requires(name);
                self.judgement.ask_property(slot, schema, pointer, is_required);
            }
        }
        for (pattern, child) in self.map(place, "patternProperties") {
            node.patterns.push((Pattern::new(pattern), child));
        }
        // `true` and `false` declare nothing.
        let says_something = |keyword: &str| place.schema.get(keyword).is_some_and(Value::is_object);
        for (keyword, slot) in
            [("additionalProperties", &mut node.additional), ("unevaluatedProperties", &mut node.unevaluated_members)]
        {
            *slot = if says_something(keyword) { self.child(place, keyword) } else { None };
        }
    }

    fn read_elements(&mut self, node: &mut PlanNode, place: &Place<'d>, id: NodeId) {
        let is_tuple = place.schema.get("items").is_some_and(Value::is_array);
        let (leading, rest) = if is_tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
        for (index, child) in self.list(place, leading).into_iter().enumerate() {
            let name = index.to_string();
            let schema = place.schema.get(leading).and_then(|schemas| schemas.get(index));
            // As in Ajv, only tuples that are written as `items` have missing elements filled.
            if let Some(schema) = schema.filter(|_| is_tuple)
                && let Some(pointer) = place.child(&[leading, &name], schema).pointer
            {
                self.judgement.ask_element((id, index), schema, pointer);
            }
            node.leading.push(Property { name, node: child, rejects_null: false, default: None });
        }
        node.items = self.child(place, rest);
        node.some_elements.extend(self.child(place, "contains"));
        node.some_elements.extend(self.child(place, "unevaluatedItems"));
    }

    fn pointer_of(&mut self, schema: &'d Value) -> Option<String> {
        let root = self.document.root;
        let pointers = self.pointers.get_or_insert_with(|| all_pointers(root));
        pointers.get(&std::ptr::from_ref(schema).addr()).cloned()
    }
}

/// `true` and `{}` say nothing, but they have a place; anything else that is no schema has been refused before.
fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn is_marked(schema: &Value) -> bool {
    schema.get("x-sensitive").and_then(Value::as_bool).unwrap_or_default()
}

/// Keywords that lead to another schema. Where the latter two lead depends on how one came there.
const REFERENCES: [(&str, Certainty); 3] =
    [("$ref", Certainty::Certain), ("$dynamicRef", Certainty::Perhaps), ("$recursiveRef", Certainty::Perhaps)];

fn holds_reference(root: &Value) -> bool {
    let mut pending = vec![root];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                if REFERENCES.iter().any(|(keyword, _)| members.contains_key(*keyword)) {
                    return true;
                }
                pending.extend(members.values());
            }
            Value::Array(elements) => pending.extend(elements),
            _ => {}
        }
    }
    false
}

fn all_pointers(root: &Value) -> HashMap<usize, String> {
    let mut pointers = HashMap::new();
    let mut pending = vec![(root, String::new())];
    while let Some((value, pointer)) = pending.pop() {
        let mut push = |token: &str, child| {
            let mut below = pointer.clone();
            pointer::push(&mut below, token);
            pending.push((child, below));
        };
        match value {
            Value::Object(members) => members.iter().for_each(|(name, child)| push(name, child)),
            Value::Array(elements) => {
                elements.iter().enumerate().for_each(|(index, child)| push(&index.to_string(), child));
            }
            _ => {}
        }
        pointers.insert(std::ptr::from_ref(value).addr(), pointer);
    }
    pointers
}
