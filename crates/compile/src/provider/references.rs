//! References for providers that follow them to the top of a schema only: to the root (`#`) and to `#/$defs/<name>`.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::Receipt;
use crate::{dialect, refs};

/// Keywords that say something to readers and constrain no value.
const ANNOTATIONS: [&str; 8] =
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];

/// A schema whose references lead to its root or into its own `$defs`, which hold what is referred to and nothing else.
pub(super) struct Localized {
    pub(super) schema: Value,
    /// Where each definition stands in the schema as its author wrote it.
    pub(super) origins: BTreeMap<String, String>,
    /// The first reference that leads nowhere, with its place; such a one is left out.
    pub(super) dangling: Option<(String, String)>,
}

/// Whether a keyword says nothing about which values are right.
pub(super) fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

/// The definition that a localized reference names; `None` for the root.
pub(super) fn definition_of(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/$defs/")
}

/// Moves what references lead to into `$defs` at the top. A schema outside of it that holds no other is written out in
/// place of its reference.
pub(super) fn localized(root: &Value, receipt: &mut Receipt) -> Localized {
    let mut localizer = Localizer {
        root,
        receipt,
        names: HashMap::new(),
        taken: HashSet::new(),
        pending: Vec::new(),
        origins: BTreeMap::new(),
        dangling: None,
    };
    let mut schema = localizer.rewritten(root, "");
    let mut definitions = Map::new();
    while let Some((name, pointer)) = localizer.pending.pop() {
        if let Some(target) = root.pointer(&pointer) {
            let target = localizer.rewritten(target, &pointer);
            definitions.insert(name, target);
        }
    }
    definitions.sort_keys();
    if let (Value::Object(members), false) = (&mut schema, definitions.is_empty()) {
        members.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Localized { schema, origins: localizer.origins, dangling: localizer.dangling }
}

struct Localizer<'a> {
    root: &'a Value,
    receipt: &'a mut Receipt,
    /// Names of definitions by the pointer of what they define.
    names: HashMap<String, String>,
    taken: HashSet<String>,
    /// Definitions that are yet to be written, with their pointers.
    pending: Vec<(String, String)>,
    origins: BTreeMap<String, String>,
    dangling: Option<(String, String)>,
}

/// What stands in place of a reference.
enum Target {
    Reference(String),
    Written(Value),
    Nothing,
}

impl Localizer<'_> {
    fn rewritten(&mut self, schema: &Value, at: &str) -> Value {
        let Value::Object(members) = schema else { return schema.clone() };
        let mut copy = schema.clone();
        for (below, child) in dialect::children(schema) {
            let child = self.rewritten_child(&below, child, at);
            if let (Some(slot), Some(child)) = (copy.pointer_mut(&below), child) {
                *slot = child;
            }
        }
        let Value::Object(mut copy) = copy else { return copy };
        for keyword in ["$defs", "definitions", "$anchor", "$dynamicAnchor", "$ref", "$dynamicRef"] {
            copy.shift_remove(keyword);
        }
        let Some((keyword, reference)) = refs::reference(schema) else { return Value::Object(copy) };
        match self.target(reference, &format!("{at}/{keyword}")) {
            Target::Nothing => Value::Object(copy),
            Target::Reference(reference) => in_front(members, copy, &reference),
            Target::Written(target) => beside(target, copy),
        }
    }

    /// Definitions are written when something refers to them.
    fn rewritten_child(&mut self, below: &str, child: &Value, at: &str) -> Option<Value> {
        let is_definition = ["/$defs/", "/definitions/"].iter().any(|holder| below.starts_with(holder));
        (!is_definition).then(|| self.rewritten(child, &format!("{at}{below}")))
    }

    fn target(&mut self, reference: &str, at: &str) -> Target {
        let Some((pointer, schema)) = end(self.root, reference) else {
            self.receipt.lost(at, format!("`{reference}` leads nowhere and is left out"));
            self.dangling.get_or_insert_with(|| (at.to_owned(), reference.to_owned()));
            return Target::Nothing;
        };
        if pointer.is_empty() {
            return Target::Reference("#".to_owned());
        }
        let stands_alone = dialect::children(schema).is_empty() && refs::reference(schema).is_none();
        if schema.is_boolean() || (stands_alone && defined_name(&pointer).is_none()) {
            self.receipt.changed(at, format!("`{reference}` is written out"));
            return Target::Written(schema.clone());
        }
        let local = format!("#/$defs/{}", self.name(&pointer));
        if local != reference {
            self.receipt.changed(at, format!("`{reference}` is told as `{local}`"));
        }
        Target::Reference(local)
    }

    fn name(&mut self, pointer: &str) -> String {
        if let Some(name) = self.names.get(pointer) {
            return name.clone();
        }
        let wanted = defined_name(pointer).unwrap_or_else(|| pointer.rsplit('/').next().unwrap_or_default());
        let wanted: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' }).collect();
        let mut name = wanted.clone();
        let mut count = 1_u32;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        self.names.insert(pointer.to_owned(), name.clone());
        self.origins.insert(name.clone(), pointer.to_owned());
        self.pending.push((name.clone(), pointer.to_owned()));
        name
    }
}

/// Where a reference leads in the end: a schema that is nothing but another reference is passed through.
fn end<'a>(root: &'a Value, reference: &str) -> Option<(String, &'a Value)> {
    let mut seen = HashSet::new();
    let mut found = refs::resolve(root, reference)?;
    while let Some((_, next)) = refs::reference(found.1).filter(|_| is_bare_reference(found.1)) {
        if !seen.insert(found.0.clone()) {
            return None;
        }
        found = refs::resolve(root, next)?;
    }
    Some(found)
}

/// The name of a definition at the top, as its pointer spells it.
fn defined_name(pointer: &str) -> Option<&str> {
    let name = pointer.strip_prefix("/$defs/").or_else(|| pointer.strip_prefix("/definitions/"))?;
    (!name.contains('/')).then_some(name)
}

fn is_bare_reference(schema: &Value) -> bool {
    let Value::Object(members) = schema else { return false };
    members.keys().all(|keyword| matches!(keyword.as_str(), "$ref" | "$dynamicRef") || is_annotation(keyword))
}

/// The reference where its author had it, among what stands beside it.
fn in_front(before: &Map<String, Value>, mut copy: Map<String, Value>, reference: &str) -> Value {
    let mut members = Map::new();
    for keyword in before.keys() {
        if matches!(keyword.as_str(), "$ref" | "$dynamicRef") {
            members.insert("$ref".to_owned(), json!(reference));
        } else if let Some(value) = copy.shift_remove(keyword) {
            members.insert(keyword.clone(), value);
        }
    }
    Value::Object(members)
}

/// A schema that is written out, with what stood beside its reference.
fn beside(target: Value, copy: Map<String, Value>) -> Value {
    match target {
        Value::Object(mut members) if copy.keys().all(|keyword| is_annotation(keyword)) => {
            members.extend(copy);
            Value::Object(members)
        }
        target if copy.is_empty() => target,
        target => {
            let mut members = Map::from_iter([("allOf".to_owned(), json!([target]))]);
            members.extend(copy);
            Value::Object(members)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_to_the_top() {
        let schema = json!({
            "properties": {
                "flag": { "type": "boolean", "description": "On." },
                "again": { "$ref": "#/properties/flag", "description": "On again." },
                "old": { "$ref": "#/definitions/a~1b" },
                "alias": { "$ref": "#/$defs/alias", "title": "Alias" },
                "self": { "items": { "$ref": "#" } },
                "deep": { "properties": { "inner": { "items": { "$ref": "#/properties/deep" } } } },
                "gone": { "$ref": "#/$defs/gone", "type": "string" },
                "never": { "$ref": "#/$defs/never" },
                "round": { "$ref": "#/$defs/round" }
            },
            "definitions": { "a/b": { "type": "string", "minLength": 1 }, "unused": { "type": "null" } },
            "$defs": {
                "alias": { "$ref": "#/$defs/real" },
                "real": { "properties": { "x": { "$ref": "#/definitions/a~1b" } } },
                "never": false,
                "round": { "$ref": "#/$defs/around" },
                "around": { "$ref": "#/$defs/round" }
            }
        });
        let mut receipt = Receipt::default();
        let local = localized(&schema, &mut receipt);
        let expected = json!({
            "properties": {
                "flag": { "type": "boolean", "description": "On." },
                "again": { "type": "boolean", "description": "On again." },
                "old": { "$ref": "#/$defs/a_1b" },
                "alias": { "$ref": "#/$defs/real", "title": "Alias" },
                "self": { "items": { "$ref": "#" } },
                "deep": { "properties": { "inner": { "items": { "$ref": "#/$defs/deep" } } } },
                "gone": { "type": "string" },
                "never": false,
                "round": {}
            },
            "$defs": {
                "a_1b": { "type": "string", "minLength": 1 },
                "deep": { "properties": { "inner": { "items": { "$ref": "#/$defs/deep" } } } },
                "real": { "properties": { "x": { "$ref": "#/$defs/a_1b" } } }
            }
        });
        assert_eq!(local.schema, expected);
        assert_eq!(local.origins["deep"], "/properties/deep");
        let lost: Vec<&str> = receipt.0.iter().filter(|entry| entry.lost).map(|entry| entry.pointer.as_str()).collect();
        assert_eq!(lost, ["/properties/gone/$ref", "/properties/round/$ref"]);
    }
}
