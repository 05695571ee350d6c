//! One schema, keyword by keyword.

use serde_json::{Map, Value, json};

use super::NoteKind;
use super::draft::{Draft, Holds};
use super::rewrite::Rewrite;
use crate::source::pointer;

/// The anchor that stands for `$recursiveAnchor: true`.
const RECURSIVE: &str = "recursive";

pub(super) struct Object<'r, 'a> {
    rewrite: &'r mut Rewrite<'a>,
    members: &'r Map<String, Value>,
    old: &'r str,
    new: &'r str,
    made: Map<String, Value>,
    /// Of `dependencies`, those whose place the schema gives to another of the same name.
    doubled: Vec<(&'r str, &'r Value)>,
}

impl<'r, 'a> Object<'r, 'a> {
    pub(super) fn rewritten(
        rewrite: &'r mut Rewrite<'a>,
        members: &'r Map<String, Value>,
        old: &'r str,
        new: &'r str,
    ) -> Value {
        let mut object = Self { rewrite, members, old, new, made: Map::new(), doubled: Vec::new() };
        for (keyword, value) in members {
            object.keyword(keyword, value);
        }
        object.put_doubled_apart();
        if object.rewrite.hides_contains {
            object.hide_contains();
        }
        Value::Object(object.made)
    }

    fn keyword(&mut self, keyword: &str, value: &'r Value) {
        let draft = self.rewrite.draft;
        if draft.came_later(keyword) {
            return self.note(keyword, NoteKind::CameLater { keyword: keyword.to_owned() });
        }
        match (keyword, value) {
            ("$schema", _) if !self.old.is_empty() => {
                if Draft::declared(&Value::Object(self.members.clone())) != Some(draft) {
                    self.note(keyword, NoteKind::OtherDraft);
                }
            }
            ("id" | "$id", Value::String(id)) if keyword == draft.id() => self.identify(id),
            ("$anchor" | "$dynamicAnchor", _) if !self.rewrite.dynamic => {}
            ("$recursiveAnchor", _) if draft == Draft::Year2019 => self.recursive_anchor(value),
            ("$recursiveRef", Value::String(_)) if draft == Draft::Year2019 => self.recursive_ref(),
            ("items", Value::Array(list)) if draft < Draft::Year2020 => self.by_position(list),
            ("additionalItems", _) if draft < Draft::Year2020 => self.additional_items(value),
            ("dependencies", Value::Object(named)) => self.dependencies(named),
            ("minimum", _) if draft == Draft::Four => self.bound("minimum", "exclusiveMinimum", value),
            ("maximum", _) if draft == Draft::Four => self.bound("maximum", "exclusiveMaximum", value),
            // draft-04 does not know `$id`, and its flags are told with the bounds that they are about.
            ("$id", _) | ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) if draft == Draft::Four => {}
            _ => self.kept(keyword, value),
        }
    }

    /// A keyword that means the same.
    fn kept(&mut self, keyword: &str, value: &Value) {
        let at = (self.old, self.new);
        let below = |at: &str| format!("{at}{}", pointer(&[keyword]));
        let value = match self.rewrite.draft.holds(keyword, value) {
            Holds::Schema => self.rewrite.schema(value, &below(self.old), &below(self.new)),
            Holds::List => self.rewrite.list(value, keyword, keyword, at),
            Holds::Named => self.rewrite.named(value, keyword, keyword, at),
            Holds::Nothing => value.clone(),
        };
        self.put(keyword, value);
    }

    fn put(&mut self, keyword: &str, value: Value) {
        match (self.made.get_mut(keyword), value) {
            // `dependencies` beside what it was split into.
            (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
            (_, value) => {
                self.made.insert(keyword.to_owned(), value);
            }
        }
    }

    fn note(&mut self, keyword: &str, kind: NoteKind) {
        self.rewrite.note(self.old, keyword, kind);
    }

    fn identify(&mut self, id: &str) {
        if !self.rewrite.dynamic {
            return;
        }
        let (address, fragment) = id.split_once('#').unwrap_or((id, ""));
        if !address.is_empty() {
            self.put("$id", json!(address));
        }
        if !fragment.is_empty() {
            self.put("$anchor", json!(fragment));
        }
    }

    fn recursive_anchor(&mut self, value: &Value) {
        if self.rewrite.dynamic && *value == Value::Bool(true) {
            self.put("$dynamicAnchor", json!(RECURSIVE));
        }
    }

    /// `$recursiveRef: "#"` is dynamic only where the resource that it stands in has `$recursiveAnchor`.
    fn recursive_ref(&mut self) {
        if !self.rewrite.dynamic {
            return;
        }
        let within = self.rewrite.root_of(self.old);
        if self.rewrite.is_recursive_anchor(within) {
            self.put("$dynamicRef", json!(format!("#{RECURSIVE}")));
        } else {
            self.put("$ref", json!("#"));
        }
    }

    /// `items` as a list is `prefixItems`, which is never empty.
    fn by_position(&mut self, list: &[Value]) {
        if !list.is_empty() {
            let value = self.rewrite.list(&json!(list), "items", "prefixItems", (self.old, self.new));
            self.put("prefixItems", value);
        }
    }

    /// It counts from the end of the list, and without a list it says nothing.
    fn additional_items(&mut self, value: &Value) {
        if self.members.get("items").is_some_and(Value::is_array) {
            let old = format!("{}/additionalItems", self.old);
            let value = self.rewrite.schema(value, &old, &format!("{}/items", self.new));
            self.put("items", value);
        }
    }

    fn dependencies(&mut self, named: &'r Map<String, Value>) {
        for (name, dependency) in named {
            let keyword = dependent(dependency);
            let is_taken = !self.rewrite.draft.came_later(keyword)
                && self.members.get(keyword).is_some_and(|named| named.get(name).is_some());
            if is_taken {
                self.doubled.push((name, dependency));
            } else {
                let value = self.dependency(name, dependency, self.new);
                self.put(keyword, json!({ name: value }));
            }
        }
    }

    /// A dependency, in a schema that stands at `within` afterwards.
    fn dependency(&mut self, name: &str, dependency: &Value, within: &str) -> Value {
        let keyword = dependent(dependency);
        let old = format!("{}{}", self.old, pointer(&["dependencies", name]));
        let new = format!("{within}{}", pointer(&[keyword, name]));
        if keyword == "dependentSchemas" {
            return self.rewrite.schema(dependency, &old, &new);
        }
        self.rewrite.moved.keyword(old, new);
        dependency.clone()
    }

    /// Both hold, and one keyword has one place for a name.
    fn put_doubled_apart(&mut self) {
        for (name, dependency) in std::mem::take(&mut self.doubled) {
            let value = self.dependency(name, dependency, &self.next_branch());
            self.push_branch(json!({ dependent(dependency): { name: value } }));
        }
    }

    /// Where the next schema of `allOf` will stand.
    fn next_branch(&self) -> String {
        let branches = self.made.get("allOf").and_then(Value::as_array).map_or(0, Vec::len);
        format!("{}/allOf/{branches}", self.new)
    }

    fn push_branch(&mut self, branch: Value) {
        if let Value::Array(all) = self.made.entry("allOf").or_insert_with(|| json!([])) {
            all.push(branch);
        }
    }

    /// In draft-04 a bound is exclusive where a truth value beside it says so.
    fn bound(&mut self, inclusive: &str, exclusive: &str, value: &Value) {
        if self.members.get(exclusive) == Some(&Value::Bool(true)) {
            let at = |at: &str, keyword: &str| format!("{at}/{keyword}");
            self.rewrite.moved.keyword(at(self.old, inclusive), at(self.new, exclusive));
            self.put(exclusive, value.clone());
        } else {
            self.put(inclusive, value.clone());
        }
    }

    /// Twice denied, a schema says the same and nobody hears what it has seen.
    fn hide_contains(&mut self) {
        let mut hidden = Map::new();
        for keyword in ["contains", "minContains", "maxContains"] {
            hidden.extend(self.made.shift_remove(keyword).map(|value| (keyword.to_owned(), value)));
        }
        if hidden.is_empty() {
            return;
        }
        let at = format!("{}/not/not", self.next_branch());
        self.push_branch(json!({ "not": { "not": hidden } }));
        // The schema in it was rewritten for its old place.
        self.rewrite.moved.shift(&format!("{}/contains", self.new), &format!("{at}/contains"));
    }
}

/// What `dependencies` says of one name is two keywords since 2019-09.
fn dependent(dependency: &Value) -> &'static str {
    if dependency.is_array() { "dependentRequired" } else { "dependentSchemas" }
}
