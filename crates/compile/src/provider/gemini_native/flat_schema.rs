//! A schema without `$ref` and `allOf` at its top level, with the origin of each keyword.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::Receipt;
use super::super::merge::merge;
use super::super::origin::ORIGIN;
use crate::text::source::pointer_from_names;

#[derive(Debug, Clone, Default)]
pub(super) struct FlatSchema {
    /// The JSON Pointer of the schema.
    pub(super) at: String,
    members: Map<String, Value>,
    /// By keyword: the pointer of the schema that it comes from, if that is not `at`.
    origins: BTreeMap<String, String>,
}

impl FlatSchema {
    /// Returns a schema of one part.
    pub(super) fn from_members(part: Map<String, Value>) -> Self {
        let mut flat = Self::default();
        flat.add(part, "", &mut Receipt::default());
        flat
    }

    /// Returns a schema without keywords.
    pub(super) fn empty_at(at: &str) -> Self {
        Self { at: at.to_owned(), ..Self::default() }
    }

    /// Merges another part; `at` is its pointer, unless [`ORIGIN`] is set in it.
    pub(super) fn add(&mut self, mut part: Map<String, Value>, at: &str, receipt: &mut Receipt) {
        let marked = part.shift_remove(ORIGIN);
        let at = marked.as_ref().and_then(Value::as_str).unwrap_or(at);
        for keyword in part.keys().filter(|keyword| !self.members.contains_key(*keyword)) {
            self.origins.insert(keyword.clone(), at.to_owned());
        }
        merge(&mut self.members, part, at, receipt);
    }

    /// Merges the constraints beside this schema.
    pub(super) fn add_beside(&mut self, beside: &Self, receipt: &mut Receipt) {
        for (keyword, value) in &beside.members {
            let part = Map::from_iter([(keyword.clone(), value.clone())]);
            self.add(part, beside.origin(keyword), receipt);
        }
    }

    pub(super) fn get(&self, keyword: &str) -> Option<&Value> {
        self.members.get(keyword)
    }

    pub(super) fn has(&self, keyword: &str) -> bool {
        self.members.contains_key(keyword)
    }

    pub(super) fn string(&self, keyword: &str) -> Option<&str> {
        self.get(keyword)?.as_str()
    }

    pub(super) fn array(&self, keyword: &str) -> Option<&Vec<Value>> {
        self.get(keyword)?.as_array()
    }

    fn origin(&self, keyword: &str) -> &str {
        self.origins.get(keyword).map_or(&self.at, String::as_str)
    }

    /// The JSON Pointer of a keyword.
    pub(super) fn pointer(&self, keyword: &str) -> String {
        format!("{}{}", self.origin(keyword), pointer_from_names(&[keyword]))
    }

    /// The same without some keywords.
    pub(super) fn without(&self, keywords: &[&str]) -> Self {
        let mut rest = self.clone();
        rest.members.retain(|keyword, _| !keywords.contains(&keyword.as_str()));
        rest
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}
