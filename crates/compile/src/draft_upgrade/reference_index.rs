//! Index of a schema's resources, anchors and references, which resolves each reference.
//!
//! Pointers here are those of the schema before the rewriting.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use referencing::{Uri, uri};
use serde_json::{Map, Value};

use super::draft::{DEFINITION_KEYWORDS, Draft, DraftKeywordContent};
use crate::text::source::pointer_from_names;
use toolgate_json::pointer as json_pointer;

/// The base URI of a schema without `$id`.
const DEFAULT_BASE_URI: &str = "json-schema:///";

/// A schema with a base URI of its own.
#[derive(Debug)]
struct SchemaResource {
    at: String,
    base: Uri<String>,
}

/// The pointer of a schema with a reference, and the keyword of the reference.
type ReferenceKey = (String, &'static str);

#[derive(Debug)]
pub(super) struct ReferenceIndex {
    draft: Draft,
    resources: Vec<SchemaResource>,
    /// The innermost resource that begins at a pointer.
    resource_by_pointer: HashMap<String, usize>,
    /// The first resource with a base URI, without its fragment.
    resource_by_address: HashMap<String, usize>,
    /// Pointers of anchors, by base URI and name.
    anchors: BTreeMap<(String, String), String>,
    /// Pointers of visited schemas.
    visited: BTreeSet<String>,
    /// The text of each reference.
    references: BTreeMap<ReferenceKey, String>,
    /// Pointers of schemas with `$recursiveAnchor: true`.
    recursive_anchors: BTreeSet<String>,
    /// The number of `$dynamicAnchor` declarations, by name.
    dynamic_anchors: BTreeMap<String, usize>,
    dynamic_references: Vec<String>,
    unevaluated_items: bool,
    /// Targets of references at locations without a schema in this draft.
    pub(super) unexpected_targets: Vec<String>,
}

impl ReferenceIndex {
    pub(super) fn build(root: &Value, draft: Draft) -> Self {
        let mut index = Self {
            draft,
            resources: Vec::new(),
            resource_by_pointer: HashMap::new(),
            resource_by_address: HashMap::new(),
            anchors: BTreeMap::new(),
            visited: BTreeSet::new(),
            references: BTreeMap::new(),
            recursive_anchors: BTreeSet::new(),
            dynamic_anchors: BTreeMap::new(),
            dynamic_references: Vec::new(),
            unevaluated_items: false,
            unexpected_targets: Vec::new(),
        };
        if let Ok(base) = uri::from_str(DEFAULT_BASE_URI) {
            index.add_resource("", base);
        }
        index.index_schema(root, "", 0);
        loop {
            let unseen = index.references.keys().filter_map(|(at, keyword)| index.resolve_reference(root, at, keyword));
            let unseen: BTreeSet<String> = unseen.filter(|target| !index.visited.contains(target)).collect();
            if unseen.is_empty() {
                return index;
            }
            for target in unseen {
                let within = index.enclosing_resource(&target);
                if let Some(schema) = root.pointer(&target) {
                    index.index_schema(schema, &target, within);
                    index.unexpected_targets.push(target);
                }
            }
        }
    }

    fn index_schema(&mut self, schema: &Value, at: &str, mut within: usize) {
        self.visited.insert(at.to_owned());
        let Value::Object(members) = schema else { return };
        let alone = self.draft.ignores_ref_siblings() && members.get("$ref").is_some_and(Value::is_string);
        if !alone {
            within = self.register_identifiers(members, at, within);
        }
        if let Some(Value::String(reference)) = members.get("$ref") {
            self.references.insert((at.to_owned(), "$ref"), reference.clone());
        }
        for (name, value) in members {
            if alone && !DEFINITION_KEYWORDS.contains(&name.as_str()) {
                continue;
            }
            let below = format!("{at}{}", pointer_from_names(&[name]));
            match (self.draft.keyword_content(name, value), value) {
                (DraftKeywordContent::Schema, _) => self.index_schema(value, &below, within),
                (DraftKeywordContent::SchemaList, Value::Array(list)) => {
                    for (index, schema) in list.iter().enumerate() {
                        self.index_schema(schema, &format!("{below}/{index}"), within);
                    }
                }
                (DraftKeywordContent::SchemaMap, Value::Object(named)) => {
                    for (key, schema) in named.iter().filter(|(_, schema)| !schema.is_array()) {
                        self.index_schema(schema, &format!("{below}{}", pointer_from_names(&[key])), within);
                    }
                }
                _ => {}
            }
        }
    }

    /// Registers the identifiers of a schema; returns its resource.
    fn register_identifiers(&mut self, members: &Map<String, Value>, at: &str, mut within: usize) -> usize {
        if let Some(Value::String(id)) = members.get(self.draft.id_keyword()) {
            let (address, fragment) = id.split_once('#').unwrap_or((id, ""));
            if !address.is_empty()
                && let Some(base) = self.base_uri(within)
                && let Ok(base) = uri::resolve_against(&base.borrow(), address)
            {
                within = self.add_resource(at, base);
            }
            // Up to draft-07 an anchor was written as the fragment of the id.
            if self.draft <= Draft::Seven && !fragment.is_empty() {
                self.register_anchor(within, fragment, at);
            }
        }
        self.unevaluated_items |= members.contains_key("unevaluatedItems");
        if self.draft >= Draft::Year2019 {
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(Value::String(name)) = members.get(keyword) {
                    self.register_anchor(within, name, at);
                }
            }
        }
        if self.draft == Draft::Year2019 {
            if members.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
                self.recursive_anchors.insert(at.to_owned());
            }
            if members.contains_key("$recursiveRef") {
                self.references.insert((at.to_owned(), "$recursiveRef"), "#".to_owned());
            }
        }
        if self.draft == Draft::Year2020 {
            if let Some(Value::String(name)) = members.get("$dynamicAnchor") {
                *self.dynamic_anchors.entry(name.clone()).or_default() += 1;
            }
            if let Some(Value::String(reference)) = members.get("$dynamicRef") {
                self.references.insert((at.to_owned(), "$dynamicRef"), reference.clone());
                self.dynamic_references.push(reference.clone());
            }
        }
        within
    }

    fn add_resource(&mut self, at: &str, base: Uri<String>) -> usize {
        let added = self.resources.len();
        self.resource_by_pointer.insert(at.to_owned(), added);
        self.resource_by_address.entry(without_fragment(&base).to_owned()).or_insert(added);
        self.resources.push(SchemaResource { at: at.to_owned(), base });
        added
    }

    fn register_anchor(&mut self, within: usize, name: &str, at: &str) {
        if let Some(base) = self.base_uri(within) {
            let key = (base.as_str().to_owned(), name.to_owned());
            self.anchors.entry(key).or_insert_with(|| at.to_owned());
        }
    }

    fn base_uri(&self, resource: usize) -> Option<&Uri<String>> {
        self.resources.get(resource).map(|resource| &resource.base)
    }

    /// The innermost resource around a pointer.
    fn enclosing_resource(&self, at: &str) -> usize {
        let mut around = std::iter::successors(Some(at), |at| at.rsplit_once('/').map(|(around, _)| around));
        around.find_map(|at| self.resource_by_pointer.get(at)).copied().unwrap_or_default()
    }

    /// The pointer of a schema's resource.
    pub(super) fn resource_root(&self, at: &str) -> &str {
        self.resources.get(self.enclosing_resource(at)).map_or("", |resource| &resource.at)
    }

    /// The target of the reference in the schema at `at`; `None` if it does not resolve within the document.
    pub(super) fn resolve_reference(&self, root: &Value, at: &str, keyword: &'static str) -> Option<String> {
        let reference = self.references.get(&(at.to_owned(), keyword))?;
        let base = self.base_uri(self.enclosing_resource(at))?;
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resolved;
        let address = if address.is_empty() {
            without_fragment(base)
        } else {
            resolved = uri::resolve_against(&base.borrow(), address).ok()?;
            without_fragment(&resolved)
        };
        let resource = self.resources.get(*self.resource_by_address.get(address)?)?;
        let fragment = json_pointer::from_fragment(fragment)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = format!("{}{fragment}", resource.at);
            return root.pointer(&pointer).map(|_| pointer);
        }
        self.anchors.get(&(resource.base.as_str().to_owned(), fragment.into_owned())).cloned()
    }

    /// The pointers of schemas with a reference, with its keyword.
    pub(super) fn references(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.references.keys().map(|(at, keyword)| (at.as_str(), *keyword))
    }

    /// The pointers of all schemas.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &str> {
        self.visited.iter().map(String::as_str)
    }

    /// Whether `#` does not mean the root of the document for every reference, or another name means it for some.
    pub(super) fn needs_base_uris(&self, root: &Value) -> bool {
        let is_embedded = |resource: &SchemaResource| !resource.at.is_empty();
        let is_named = |((at, keyword), reference): (&ReferenceKey, &String)| {
            !reference.starts_with('#') && self.resolve_reference(root, at, keyword).is_some()
        };
        self.resources.iter().any(is_embedded) || self.references.iter().any(is_named)
    }

    pub(super) fn is_recursive_anchor(&self, at: &str) -> bool {
        self.recursive_anchors.contains(at)
    }

    pub(super) const fn has_unevaluated_items(&self) -> bool {
        self.unevaluated_items
    }

    /// Whether some reference may resolve to several targets, depending on the dynamic scope.
    pub(super) fn is_dynamic(&self) -> bool {
        let recursive = self.recursive_anchors.len() > 1;
        let dynamic = self.dynamic_references.iter().any(|reference| {
            let name = reference.rsplit('#').next().unwrap_or_default();
            self.dynamic_anchors.get(name).is_some_and(|count| *count > 1)
        });
        recursive || dynamic
    }
}

fn without_fragment(uri: &Uri<String>) -> &str {
    uri.as_str().split('#').next().unwrap_or_default()
}
