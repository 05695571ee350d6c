//! The walk over a schema: each subschema is rewritten in place, then references are updated to the new pointers.

use serde_json::{Map, Value, json};

use super::draft::{DEFINITION_KEYWORDS, Draft, KEPT_BESIDE_REF};
use super::object_upgrade::ObjectUpgrade;
use super::reference_index::ReferenceIndex;
use super::{PointerMap, UpgradeNote, UpgradeNoteKind, UpgradedSchema};
use crate::text::source::pointer_from_names;
use toolgate_json::pointer as json_pointer;

pub(super) struct SchemaUpgrade<'a> {
    root: &'a Value,
    pub(super) draft: Draft,
    index: &'a ReferenceIndex,
    /// Whether `$id` and anchors stay, because some reference depends on the dynamic scope.
    pub(super) keeps_identifiers: bool,
    /// Whether to hide `contains` from `unevaluatedItems`: it marks items as evaluated in 2020-12, but not in 2019-09.
    pub(super) hides_contains: bool,
    pub(super) pointer_map: PointerMap,
    pub(super) notes: Vec<UpgradeNote>,
}

impl<'a> SchemaUpgrade<'a> {
    pub(super) fn new(root: &'a Value, draft: Draft, index: &'a ReferenceIndex) -> Self {
        let dynamic = index.is_dynamic();
        let hides_contains = draft == Draft::Year2019 && index.has_unevaluated_items();
        Self {
            root,
            draft,
            index,
            keeps_identifiers: dynamic,
            hides_contains,
            pointer_map: PointerMap::default(),
            notes: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> UpgradedSchema {
        let mut schema = self.upgrade_subschema(self.root, "", "");
        for target in &self.index.unexpected_targets {
            self.upgrade_unexpected_target(&mut schema, target);
        }
        for (at, keyword) in self.index.references() {
            self.update_reference(&mut schema, at, keyword);
        }
        if let Value::Object(members) = &mut schema {
            members.shift_remove("$schema");
        }
        UpgradedSchema { schema, draft: self.draft, notes: self.notes, pointer_map: self.pointer_map }
    }

    /// Rewrites the schema with the old pointer `old` and the new pointer `new`.
    pub(super) fn upgrade_subschema(&mut self, schema: &Value, old: &str, new: &str) -> Value {
        self.pointer_map.record_schema(old, new);
        let Value::Object(members) = schema else { return schema.clone() };
        if self.draft.ignores_ref_siblings() && members.get("$ref").is_some_and(Value::is_string) {
            return self.upgrade_ref_alone(members, old, new);
        }
        ObjectUpgrade::upgrade_object(self, members, old, new)
    }

    fn upgrade_ref_alone(&mut self, members: &Map<String, Value>, old: &str, new: &str) -> Value {
        let mut kept = Map::new();
        for (keyword, value) in members {
            if keyword == "$ref" || KEPT_BESIDE_REF.contains(&keyword.as_str()) {
                kept.insert(keyword.clone(), value.clone());
            } else if DEFINITION_KEYWORDS.contains(&keyword.as_str()) {
                kept.insert(keyword.clone(), self.upgrade_map(value, keyword, keyword, (old, new)));
            } else if !matches!(keyword.as_str(), "$schema" | "id" | "$id" | "examples") {
                let kind = UpgradeNoteKind::RefSibling { keyword: keyword.clone() };
                self.add_note(old, keyword, kind);
            }
        }
        Value::Object(kept)
    }

    /// Rewrites schemas by name, under a keyword with the old name `was` and the new name `is`.
    pub(super) fn upgrade_map(&mut self, value: &Value, was: &str, is: &str, (old, new): (&str, &str)) -> Value {
        let Value::Object(named) = value else { return value.clone() };
        let rewritten = named.iter().map(|(name, schema)| {
            let below = |at: &str, keyword: &str| format!("{at}{}", pointer_from_names(&[keyword, name]));
            (name.clone(), self.upgrade_subschema(schema, &below(old, was), &below(new, is)))
        });
        Value::Object(rewritten.collect())
    }

    /// Rewrites an array of schemas, under a keyword with the old name `was` and the new name `is`.
    pub(super) fn upgrade_list(&mut self, value: &Value, was: &str, is: &str, (old, new): (&str, &str)) -> Value {
        let Value::Array(list) = value else { return value.clone() };
        let rewritten = list.iter().enumerate();
        let rewritten = rewritten.map(|(index, schema)| {
            self.upgrade_subschema(schema, &format!("{old}/{was}/{index}"), &format!("{new}/{is}/{index}"))
        });
        rewritten.collect()
    }

    pub(super) fn add_note(&mut self, old: &str, keyword: &str, kind: UpgradeNoteKind) {
        self.notes.push(UpgradeNote { pointer: format!("{old}{}", pointer_from_names(&[keyword])), kind });
    }

    pub(super) fn is_recursive_anchor(&self, old: &str) -> bool {
        self.index.is_recursive_anchor(old)
    }

    pub(super) fn resource_root(&self, old: &str) -> &'a str {
        self.index.resource_root(old)
    }

    /// Rewrites a reference target at a location without a schema in this draft: in place if the location still exists,
    /// else under `$defs`.
    fn upgrade_unexpected_target(&mut self, schema: &mut Value, old: &str) {
        let Some(original) = self.root.pointer(old) else { return };
        let new = self.pointer_map.new_pointer(old);
        if schema.pointer(&new).is_some() {
            let rewritten = self.upgrade_subschema(original, old, &new);
            if let Some(place) = schema.pointer_mut(&new) {
                *place = rewritten;
            }
            return;
        }
        let taken = |name: &String| schema.pointer(&format!("/$defs/{name}")).is_some();
        let Some(name) = (0..u32::MAX).map(|n| format!("kept_{n}")).find(|name| !taken(name)) else { return };
        let rewritten = self.upgrade_subschema(original, old, &format!("/$defs/{name}"));
        if let Value::Object(members) = schema
            && let Some(shelf) = members.entry("$defs").or_insert_with(|| json!({})).as_object_mut()
        {
            shelf.insert(name, rewritten);
        }
    }

    /// Updates a reference to the new pointer of its target.
    pub(super) fn update_reference(&self, schema: &mut Value, old: &str, keyword: &'static str) {
        let Some(target) = self.index.resolve_reference(self.root, old, keyword) else { return };
        if self.keeps_identifiers && keyword != "$ref" {
            return;
        }
        let new_target = self.pointer_map.new_pointer(&target);
        let reference = if self.keeps_identifiers {
            // `$id` is kept, so a reference is relative to its resource.
            let within = self.pointer_map.new_pointer(self.index.resource_root(old));
            let local = self.index.resource_root(&target) == self.index.resource_root(old);
            match new_target.strip_prefix(&within) {
                Some(rest) if local && new_target != target => format!("#{}", json_pointer::to_fragment(rest)),
                _ => return,
            }
        } else {
            format!("#{}", json_pointer::to_fragment(&new_target))
        };
        let Some(Value::Object(members)) = schema.pointer_mut(&self.pointer_map.new_pointer(old)) else { return };
        if keyword == "$ref" {
            members.insert("$ref".to_owned(), json!(reference));
            return;
        }
        // A dynamic reference with one target is a plain one; beside another `$ref` it becomes a branch of `allOf`.
        members.shift_remove(keyword);
        if !members.contains_key("$ref") {
            members.insert("$ref".to_owned(), json!(reference));
        } else if let Value::Array(all) = members.entry("allOf").or_insert_with(|| json!([])) {
            all.push(json!({ "$ref": reference }));
        }
    }
}
