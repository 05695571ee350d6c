//! The walk over a schema: each schema in it is rewritten where it stands, then references are pointed anew.

use serde_json::{Map, Value, json};

use super::draft::{Draft, NOTES, SHELVES};
use super::index::Index;
use super::object::Object;
use super::{Modern, Moved, Note, NoteKind};
use crate::source::pointer;
use toolgate_json::pointer as json_pointer;

pub(super) struct Rewrite<'a> {
    root: &'a Value,
    pub(super) draft: Draft,
    index: &'a Index,
    /// Names stay: some reference depends on the way to it.
    pub(super) dynamic: bool,
    /// In 2019-09 `contains` does not tell `unevaluatedItems` what it has seen; in 2020-12 it does.
    pub(super) hides_contains: bool,
    pub(super) moved: Moved,
    pub(super) notes: Vec<Note>,
}

impl<'a> Rewrite<'a> {
    pub(super) fn new(root: &'a Value, draft: Draft, index: &'a Index) -> Self {
        let dynamic = index.is_dynamic();
        let hides_contains = draft == Draft::Year2019 && index.has_unevaluated_items();
        Self { root, draft, index, dynamic, hides_contains, moved: Moved::default(), notes: Vec::new() }
    }

    pub(super) fn run(mut self) -> Modern {
        let mut schema = self.schema(self.root, "", "");
        for target in &self.index.elsewhere {
            self.elsewhere(&mut schema, target);
        }
        for (at, keyword) in self.index.references() {
            self.point(&mut schema, at, keyword);
        }
        if let Value::Object(members) = &mut schema {
            members.shift_remove("$schema");
        }
        Modern { schema, draft: self.draft, notes: self.notes, moved: self.moved }
    }

    /// Rewrites the schema that stood at `old` and stands at `new`.
    pub(super) fn schema(&mut self, schema: &Value, old: &str, new: &str) -> Value {
        self.moved.schema(old, new);
        let Value::Object(members) = schema else { return schema.clone() };
        if self.draft.ref_stands_alone() && members.get("$ref").is_some_and(Value::is_string) {
            return self.reference_alone(members, old, new);
        }
        Object::rewritten(self, members, old, new)
    }

    fn reference_alone(&mut self, members: &Map<String, Value>, old: &str, new: &str) -> Value {
        let mut kept = Map::new();
        for (keyword, value) in members {
            if keyword == "$ref" || NOTES.contains(&keyword.as_str()) {
                kept.insert(keyword.clone(), value.clone());
            } else if SHELVES.contains(&keyword.as_str()) {
                kept.insert(keyword.clone(), self.named(value, keyword, keyword, (old, new)));
            } else if !matches!(keyword.as_str(), "$schema" | "id" | "$id" | "examples") {
                let kind = NoteKind::BesideRef { keyword: keyword.clone() };
                self.note(old, keyword, kind);
            }
        }
        Value::Object(kept)
    }

    /// Schemas by name, under a keyword that may be called otherwise now.
    pub(super) fn named(&mut self, value: &Value, was: &str, is: &str, (old, new): (&str, &str)) -> Value {
        let Value::Object(named) = value else { return value.clone() };
        let rewritten = named.iter().map(|(name, schema)| {
            let below = |at: &str, keyword: &str| format!("{at}{}", pointer(&[keyword, name]));
            (name.clone(), self.schema(schema, &below(old, was), &below(new, is)))
        });
        Value::Object(rewritten.collect())
    }

    /// Schemas in a list, under a keyword that may be called otherwise now.
    pub(super) fn list(&mut self, value: &Value, was: &str, is: &str, (old, new): (&str, &str)) -> Value {
        let Value::Array(list) = value else { return value.clone() };
        let rewritten = list.iter().enumerate();
        let rewritten = rewritten.map(|(index, schema)| {
            self.schema(schema, &format!("{old}/{was}/{index}"), &format!("{new}/{is}/{index}"))
        });
        rewritten.collect()
    }

    pub(super) fn note(&mut self, old: &str, keyword: &str, kind: NoteKind) {
        self.notes.push(Note { pointer: format!("{old}{}", pointer(&[keyword])), kind });
    }

    pub(super) fn is_recursive_anchor(&self, old: &str) -> bool {
        self.index.is_recursive_anchor(old)
    }

    pub(super) fn root_of(&self, old: &str) -> &'a str {
        self.index.root_of(old)
    }

    /// A schema that something refers to although none is expected where it stands. Where the place is still there it
    /// is rewritten there; where the declared draft left it out it is kept under `$defs`.
    fn elsewhere(&mut self, schema: &mut Value, old: &str) {
        let Some(original) = self.root.pointer(old) else { return };
        let new = self.moved.new_of(old);
        if schema.pointer(&new).is_some() {
            let rewritten = self.schema(original, old, &new);
            if let Some(place) = schema.pointer_mut(&new) {
                *place = rewritten;
            }
            return;
        }
        let taken = |name: &String| schema.pointer(&format!("/$defs/{name}")).is_some();
        let Some(name) = (0..u32::MAX).map(|n| format!("kept_{n}")).find(|name| !taken(name)) else { return };
        let rewritten = self.schema(original, old, &format!("/$defs/{name}"));
        if let Value::Object(members) = schema
            && let Some(shelf) = members.entry("$defs").or_insert_with(|| json!({})).as_object_mut()
        {
            shelf.insert(name, rewritten);
        }
    }

    /// Points a reference to where its target stands now.
    fn point(&self, schema: &mut Value, old: &str, keyword: &'static str) {
        let Some(target) = self.index.target(self.root, old, keyword) else { return };
        if self.dynamic && keyword != "$ref" {
            return;
        }
        let new_target = self.moved.new_of(&target);
        let reference = if self.dynamic {
            // Names are kept, so a reference counts from the resource that it stands in.
            let within = self.moved.new_of(self.index.root_of(old));
            let local = self.index.root_of(&target) == self.index.root_of(old);
            match new_target.strip_prefix(&within) {
                Some(rest) if local && new_target != target => format!("#{}", json_pointer::to_fragment(rest)),
                _ => return,
            }
        } else {
            format!("#{}", json_pointer::to_fragment(&new_target))
        };
        let Some(Value::Object(members)) = schema.pointer_mut(&self.moved.new_of(old)) else { return };
        if keyword == "$ref" {
            members.insert("$ref".to_owned(), json!(reference));
            return;
        }
        // With one way to go a dynamic reference is a plain one; beside a plain one it is a part of its own.
        members.shift_remove(keyword);
        if !members.contains_key("$ref") {
            members.insert("$ref".to_owned(), json!(reference));
        } else if let Value::Array(all) = members.entry("allOf").or_insert_with(|| json!([])) {
            all.push(json!({ "$ref": reference }));
        }
    }
}
