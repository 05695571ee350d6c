//! What a schema's references mean: its resources, its anchors, and where each `$ref` leads.
//!
//! Pointers here are those of the schema as it was written.

use std::collections::{BTreeMap, BTreeSet};

use referencing::{Uri, uri};
use serde_json::{Map, Value};

use super::draft::{Draft, Holds, SHELVES};
use crate::source::pointer;
use toolgate_json::pointer as json_pointer;

/// Where a schema without `$id` stands.
const BASE: &str = "json-schema:///";

/// A schema with a base URI of its own.
#[derive(Debug)]
struct Resource {
    at: String,
    base: Uri<String>,
}

/// A keyword that refers, and the schema that it stands in.
type Place = (String, &'static str);

#[derive(Debug)]
pub(super) struct Index {
    draft: Draft,
    resources: Vec<Resource>,
    /// By base URI and name.
    anchors: BTreeMap<(String, String), String>,
    /// Schemas that were seen.
    seen: BTreeSet<String>,
    /// What each reference says.
    references: BTreeMap<Place, String>,
    /// Schemas with `$recursiveAnchor: true`, and how many places refer dynamically.
    recursive_anchors: BTreeSet<String>,
    dynamic_anchors: BTreeMap<String, usize>,
    dynamic_references: Vec<String>,
    unevaluated_items: bool,
    /// Schemas that stand where no schema is expected; something refers to them.
    pub(super) elsewhere: Vec<String>,
}

impl Index {
    pub(super) fn of(root: &Value, draft: Draft) -> Self {
        let mut index = Self {
            draft,
            resources: uri::from_str(BASE).ok().map(|base| Resource { at: String::new(), base }).into_iter().collect(),
            anchors: BTreeMap::new(),
            seen: BTreeSet::new(),
            references: BTreeMap::new(),
            recursive_anchors: BTreeSet::new(),
            dynamic_anchors: BTreeMap::new(),
            dynamic_references: Vec::new(),
            unevaluated_items: false,
            elsewhere: Vec::new(),
        };
        index.schema(root, "", 0);
        loop {
            let unseen = index.references.keys().filter_map(|(at, keyword)| index.target(root, at, keyword));
            let unseen: BTreeSet<String> = unseen.filter(|target| !index.seen.contains(target)).collect();
            if unseen.is_empty() {
                return index;
            }
            for target in unseen {
                let within = index.resource_of(&target);
                if let Some(schema) = root.pointer(&target) {
                    index.schema(schema, &target, within);
                    index.elsewhere.push(target);
                }
            }
        }
    }

    fn schema(&mut self, schema: &Value, at: &str, mut within: usize) {
        self.seen.insert(at.to_owned());
        let Value::Object(members) = schema else { return };
        let alone = self.draft.ref_stands_alone() && members.get("$ref").is_some_and(Value::is_string);
        if !alone {
            within = self.identify(members, at, within);
        }
        if let Some(Value::String(reference)) = members.get("$ref") {
            self.references.insert((at.to_owned(), "$ref"), reference.clone());
        }
        for (name, value) in members {
            if alone && !SHELVES.contains(&name.as_str()) {
                continue;
            }
            let below = format!("{at}{}", pointer(&[name]));
            match (self.draft.holds(name, value), value) {
                (Holds::Schema, _) => self.schema(value, &below, within),
                (Holds::List, Value::Array(list)) => {
                    for (index, schema) in list.iter().enumerate() {
                        self.schema(schema, &format!("{below}/{index}"), within);
                    }
                }
                (Holds::Named, Value::Object(named)) => {
                    for (key, schema) in named.iter().filter(|(_, schema)| !schema.is_array()) {
                        self.schema(schema, &format!("{below}{}", pointer(&[key])), within);
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes in the names of a schema; gives the resource that it is of.
    fn identify(&mut self, members: &Map<String, Value>, at: &str, mut within: usize) -> usize {
        if let Some(Value::String(id)) = members.get(self.draft.id()) {
            let (address, fragment) = id.split_once('#').unwrap_or((id, ""));
            if !address.is_empty()
                && let Some(base) = self.base(within)
                && let Ok(base) = uri::resolve_against(&base.borrow(), address)
            {
                self.resources.push(Resource { at: at.to_owned(), base });
                within = self.resources.len() - 1;
            }
            // Up to draft-07 a name within the document was written as the fragment of an id.
            if self.draft <= Draft::Seven && !fragment.is_empty() {
                self.anchor(within, fragment, at);
            }
        }
        self.unevaluated_items |= members.contains_key("unevaluatedItems");
        if self.draft >= Draft::Year2019 {
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(Value::String(name)) = members.get(keyword) {
                    self.anchor(within, name, at);
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

    fn anchor(&mut self, within: usize, name: &str, at: &str) {
        if let Some(base) = self.base(within) {
            let key = (base.as_str().to_owned(), name.to_owned());
            self.anchors.entry(key).or_insert_with(|| at.to_owned());
        }
    }

    fn base(&self, resource: usize) -> Option<&Uri<String>> {
        self.resources.get(resource).map(|resource| &resource.base)
    }

    /// The innermost resource around a pointer.
    fn resource_of(&self, at: &str) -> usize {
        let around = |resource: &Resource| {
            at.strip_prefix(&resource.at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let innermost = self.resources.iter().enumerate().filter(|(_, resource)| around(resource));
        innermost.max_by_key(|(index, resource)| (resource.at.len(), *index)).map_or(0, |(index, _)| index)
    }

    /// The pointer of the resource that a schema is of.
    pub(super) fn root_of(&self, at: &str) -> &str {
        self.resources.get(self.resource_of(at)).map_or("", |resource| &resource.at)
    }

    /// Where the reference of the schema at `at` leads; `None` for one that leads nowhere or out of the document.
    pub(super) fn target(&self, root: &Value, at: &str, keyword: &'static str) -> Option<String> {
        let reference = self.references.get(&(at.to_owned(), keyword))?;
        let base = self.base(self.resource_of(at))?;
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resolved;
        let address = if address.is_empty() {
            without_fragment(base)
        } else {
            resolved = uri::resolve_against(&base.borrow(), address).ok()?;
            without_fragment(&resolved)
        };
        let resource = self.resources.iter().find(|resource| without_fragment(&resource.base) == address)?;
        let fragment = json_pointer::from_fragment(fragment)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = format!("{}{fragment}", resource.at);
            return root.pointer(&pointer).map(|_| pointer);
        }
        self.anchors.get(&(resource.base.as_str().to_owned(), fragment.into_owned())).cloned()
    }

    /// The schemas that refer, with the keyword.
    pub(super) fn references(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.references.keys().map(|(at, keyword)| (at.as_str(), *keyword))
    }

    pub(super) fn is_recursive_anchor(&self, at: &str) -> bool {
        self.recursive_anchors.contains(at)
    }

    pub(super) const fn has_unevaluated_items(&self) -> bool {
        self.unevaluated_items
    }

    /// Whether some reference may lead to different places on different ways to it.
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
