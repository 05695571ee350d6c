//! Upgrade of one schema object, keyword by keyword.

use serde_json::{Map, Value, json};

use super::UpgradeNoteKind;
use super::draft::{Draft, DraftKeywordContent};
use super::schema_upgrade::SchemaUpgrade;
use crate::text::source::pointer_from_names;

/// The anchor that stands for `$recursiveAnchor: true`.
const RECURSIVE_ANCHOR: &str = "recursive";

pub(super) struct ObjectUpgrade<'r, 'a> {
    upgrade: &'r mut SchemaUpgrade<'a>,
    members: &'r Map<String, Value>,
    old: &'r str,
    new: &'r str,
    upgraded: Map<String, Value>,
    /// Entries of `dependencies` whose name also has an entry in `dependentRequired` or `dependentSchemas`.
    duplicate_dependencies: Vec<(&'r str, &'r Value)>,
}

impl<'r, 'a> ObjectUpgrade<'r, 'a> {
    pub(super) fn upgrade_object(
        rewrite: &'r mut SchemaUpgrade<'a>,
        members: &'r Map<String, Value>,
        old: &'r str,
        new: &'r str,
    ) -> Value {
        let mut object =
            Self { upgrade: rewrite, members, old, new, upgraded: Map::new(), duplicate_dependencies: Vec::new() };
        for (keyword, value) in members {
            object.upgrade_keyword(keyword, value);
        }
        object.add_duplicate_dependencies();
        if object.upgrade.hides_contains {
            object.hide_contains();
        }
        Value::Object(object.upgraded)
    }

    fn upgrade_keyword(&mut self, keyword: &str, value: &'r Value) {
        let draft = self.upgrade.draft;
        if draft.is_newer_keyword(keyword) {
            return self.note(keyword, UpgradeNoteKind::NewerKeyword { keyword: keyword.to_owned() });
        }
        match (keyword, value) {
            ("$schema", _) if !self.old.is_empty() => {
                if Draft::declared(&Value::Object(self.members.clone())) != Some(draft) {
                    self.note(keyword, UpgradeNoteKind::NestedDraft);
                }
            }
            ("id" | "$id", Value::String(id)) if keyword == draft.id_keyword() => self.upgrade_id(id),
            ("$anchor" | "$dynamicAnchor", _) if !self.upgrade.keeps_identifiers => {}
            ("$recursiveAnchor", _) if draft == Draft::Year2019 => self.upgrade_recursive_anchor(value),
            ("$recursiveRef", Value::String(_)) if draft == Draft::Year2019 => self.upgrade_recursive_ref(),
            ("items", Value::Array(list)) if draft < Draft::Year2020 => self.upgrade_items_array(list),
            ("additionalItems", _) if draft < Draft::Year2020 => self.upgrade_additional_items(value),
            ("dependencies", Value::Object(named)) => self.upgrade_dependencies(named),
            ("minimum", _) if draft == Draft::Four => self.upgrade_bound("minimum", "exclusiveMinimum", value),
            ("maximum", _) if draft == Draft::Four => self.upgrade_bound("maximum", "exclusiveMaximum", value),
            ("contentEncoding" | "contentMediaType", Value::String(_)) if draft == Draft::Seven => {
                self.note(keyword, UpgradeNoteKind::UncheckedContent { keyword: keyword.to_owned() });
                self.copy_keyword(keyword, value);
            }
            // draft-04 has no `$id`, and its boolean flags are upgraded with their bounds.
            ("$id", _) | ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) if draft == Draft::Four => {}
            _ => self.copy_keyword(keyword, value),
        }
    }

    /// Copies a keyword with the same meaning in 2020-12.
    fn copy_keyword(&mut self, keyword: &str, value: &Value) {
        let at = (self.old, self.new);
        let below = |at: &str| format!("{at}{}", pointer_from_names(&[keyword]));
        let value = match self.upgrade.draft.keyword_content(keyword, value) {
            DraftKeywordContent::Schema => self.upgrade.upgrade_subschema(value, &below(self.old), &below(self.new)),
            DraftKeywordContent::SchemaList => self.upgrade.upgrade_list(value, keyword, keyword, at),
            DraftKeywordContent::SchemaMap => self.upgrade.upgrade_map(value, keyword, keyword, at),
            DraftKeywordContent::NoSchema => value.clone(),
        };
        self.put(keyword, value);
    }

    fn put(&mut self, keyword: &str, value: Value) {
        match (self.upgraded.get_mut(keyword), value) {
            // `dependencies` was split into a keyword that the schema has too.
            (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
            (_, value) => {
                self.upgraded.insert(keyword.to_owned(), value);
            }
        }
    }

    fn note(&mut self, keyword: &str, kind: UpgradeNoteKind) {
        self.upgrade.add_note(self.old, keyword, kind);
    }

    fn upgrade_id(&mut self, id: &str) {
        if !self.upgrade.keeps_identifiers {
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

    fn upgrade_recursive_anchor(&mut self, value: &Value) {
        if self.upgrade.keeps_identifiers && *value == Value::Bool(true) {
            self.put("$dynamicAnchor", json!(RECURSIVE_ANCHOR));
        }
    }

    /// Upgrades `$recursiveRef: "#"`, which is dynamic only if its resource has `$recursiveAnchor`.
    fn upgrade_recursive_ref(&mut self) {
        if !self.upgrade.keeps_identifiers {
            return;
        }
        let within = self.upgrade.resource_root(self.old);
        if self.upgrade.is_recursive_anchor(within) {
            self.put("$dynamicRef", json!(format!("#{RECURSIVE_ANCHOR}")));
        } else {
            self.put("$ref", json!("#"));
        }
    }

    /// Upgrades an `items` array to `prefixItems`, which must not be empty.
    fn upgrade_items_array(&mut self, list: &[Value]) {
        if !list.is_empty() {
            let value = self.upgrade.upgrade_list(&json!(list), "items", "prefixItems", (self.old, self.new));
            self.put("prefixItems", value);
        }
    }

    /// Upgrades `additionalItems` to `items`; it has no effect without an `items` array.
    fn upgrade_additional_items(&mut self, value: &Value) {
        if self.members.get("items").is_some_and(Value::is_array) {
            let old = format!("{}/additionalItems", self.old);
            let value = self.upgrade.upgrade_subschema(value, &old, &format!("{}/items", self.new));
            self.put("items", value);
        }
    }

    fn upgrade_dependencies(&mut self, named: &'r Map<String, Value>) {
        for (name, dependency) in named {
            let keyword = dependent_keyword(dependency);
            let is_taken = !self.upgrade.draft.is_newer_keyword(keyword)
                && self.members.get(keyword).is_some_and(|named| named.get(name).is_some());
            if is_taken {
                self.duplicate_dependencies.push((name, dependency));
            } else {
                let value = self.upgrade_dependency(name, dependency, self.new);
                self.put(keyword, json!({ name: value }));
            }
        }
    }

    /// Upgrades one dependency, in the schema at the new pointer `within`.
    fn upgrade_dependency(&mut self, name: &str, dependency: &Value, within: &str) -> Value {
        let keyword = dependent_keyword(dependency);
        let old = format!("{}{}", self.old, pointer_from_names(&["dependencies", name]));
        let new = format!("{within}{}", pointer_from_names(&[keyword, name]));
        if keyword == "dependentSchemas" {
            return self.upgrade.upgrade_subschema(dependency, &old, &new);
        }
        self.upgrade.pointer_map.record_keyword(old, new);
        dependency.clone()
    }

    /// Adds the duplicate dependencies as branches of `allOf`: both apply, and a keyword has one entry for a name.
    fn add_duplicate_dependencies(&mut self) {
        for (name, dependency) in std::mem::take(&mut self.duplicate_dependencies) {
            let value = self.upgrade_dependency(name, dependency, &self.next_all_of_pointer());
            self.push_all_of(json!({ dependent_keyword(dependency): { name: value } }));
        }
    }

    /// The pointer of the next branch of `allOf`.
    fn next_all_of_pointer(&self) -> String {
        let branches = self.upgraded.get("allOf").and_then(Value::as_array).map_or(0, Vec::len);
        format!("{}/allOf/{branches}", self.new)
    }

    fn push_all_of(&mut self, branch: Value) {
        if let Value::Array(all) = self.upgraded.entry("allOf").or_insert_with(|| json!([])) {
            all.push(branch);
        }
    }

    /// Upgrades a bound of draft-04, which is exclusive if a boolean beside it is true.
    fn upgrade_bound(&mut self, inclusive: &str, exclusive: &str, value: &Value) {
        if self.members.get(exclusive) == Some(&Value::Bool(true)) {
            let at = |at: &str, keyword: &str| format!("{at}/{keyword}");
            self.upgrade.pointer_map.record_keyword(at(self.old, inclusive), at(self.new, exclusive));
            self.put(exclusive, value.clone());
        } else {
            self.put(inclusive, value.clone());
        }
    }

    /// Moves `contains` below a double `not`: same values, but no annotations, so `unevaluatedItems` sees no evaluated
    /// items.
    fn hide_contains(&mut self) {
        let mut hidden = Map::new();
        for keyword in ["contains", "minContains", "maxContains"] {
            hidden.extend(self.upgraded.shift_remove(keyword).map(|value| (keyword.to_owned(), value)));
        }
        if hidden.is_empty() {
            return;
        }
        let at = format!("{}/not/not", self.next_all_of_pointer());
        self.push_all_of(json!({ "not": { "not": hidden } }));
        // The schema in `contains` was rewritten for its previous pointer.
        self.upgrade.pointer_map.shift_new(&format!("{}/contains", self.new), &format!("{at}/contains"));
    }
}

/// The keyword for one entry of `dependencies`, which 2019-09 split into two keywords.
fn dependent_keyword(dependency: &Value) -> &'static str {
    if dependency.is_array() { "dependentRequired" } else { "dependentSchemas" }
}
