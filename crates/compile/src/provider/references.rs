//! References for providers that resolve only the root (`#`) and `#/$defs/<name>`.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::Receipt;
use crate::schema::dialect;
use crate::schema::refs;

/// Annotations: keywords that constrain no value.
const ANNOTATIONS: [&str; 8] =
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];

/// A schema whose references target its root or its own `$defs`, which contain only referenced definitions.
pub(super) struct Localized {
    pub(super) schema: Value,
    /// The JSON Pointer of each definition in the authored schema.
    pub(super) origins: BTreeMap<String, String>,
    /// The pointer and text of the first unresolvable reference; unresolvable references are left out.
    pub(super) dangling: Option<(String, String)>,
}

/// Whether a keyword constrains no value.
pub(super) fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

/// The name of the definition that a localized reference targets; `None` for the root.
pub(super) fn definition_name(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/$defs/")
}

/// Moves the targets of references into `$defs` at the root. A target outside `$defs` without subschemas replaces its
/// reference.
pub(super) fn localize_references(root: &Value, receipt: &mut Receipt) -> Localized {
    let mut localizer = Localizer {
        root,
        receipt,
        names: HashMap::new(),
        used_names: HashSet::new(),
        pending: Vec::new(),
        origins: BTreeMap::new(),
        dangling: None,
    };
    let mut schema = localizer.rewrite_schema(root, "");
    let mut definitions = Map::new();
    while let Some((name, pointer)) = localizer.pending.pop() {
        if let Some(target) = root.pointer(&pointer) {
            let target = localizer.rewrite_schema(target, &pointer);
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
    /// Names of definitions by the JSON Pointer of the schema.
    names: HashMap<String, String>,
    used_names: HashSet<String>,
    /// Names and pointers of definitions not yet written.
    pending: Vec<(String, String)>,
    origins: BTreeMap<String, String>,
    dangling: Option<(String, String)>,
}

/// The replacement of a reference.
enum ReferenceTarget {
    Reference(String),
    Inlined(Value),
    Unresolved,
}

impl Localizer<'_> {
    fn rewrite_schema(&mut self, schema: &Value, at: &str) -> Value {
        let Value::Object(members) = schema else { return schema.clone() };
        let mut copy = schema.clone();
        for (below, child) in dialect::subschemas(schema) {
            let child = self.rewrite_child(&below, child, at);
            if let (Some(slot), Some(child)) = (copy.pointer_mut(&below), child) {
                *slot = child;
            }
        }
        let Value::Object(mut copy) = copy else { return copy };
        for keyword in ["$defs", "definitions", "$anchor", "$dynamicAnchor", "$ref", "$dynamicRef"] {
            copy.shift_remove(keyword);
        }
        let Some((keyword, reference)) = refs::reference(schema) else { return Value::Object(copy) };
        match self.resolve_target(reference, &format!("{at}/{keyword}")) {
            ReferenceTarget::Unresolved => Value::Object(copy),
            ReferenceTarget::Reference(reference) => with_reference(members, copy, &reference),
            ReferenceTarget::Inlined(target) => with_siblings(target, copy),
        }
    }

    /// Returns `None` for a child of `$defs`: definitions are written when a reference targets them.
    fn rewrite_child(&mut self, below: &str, child: &Value, at: &str) -> Option<Value> {
        let is_definition = ["/$defs/", "/definitions/"].iter().any(|holder| below.starts_with(holder));
        (!is_definition).then(|| self.rewrite_schema(child, &format!("{at}{below}")))
    }

    fn resolve_target(&mut self, reference: &str, at: &str) -> ReferenceTarget {
        let Some((pointer, schema)) = resolve_chain(self.root, reference) else {
            self.receipt.lost(at, format!("`{reference}` does not resolve to a schema and is left out"));
            self.dangling.get_or_insert_with(|| (at.to_owned(), reference.to_owned()));
            return ReferenceTarget::Unresolved;
        };
        if pointer.is_empty() {
            return ReferenceTarget::Reference("#".to_owned());
        }
        let stands_alone = dialect::subschemas(schema).is_empty() && refs::reference(schema).is_none();
        if schema.is_boolean() || (stands_alone && root_definition_name(&pointer).is_none()) {
            self.receipt.changed(at, format!("`{reference}` is written out"));
            return ReferenceTarget::Inlined(schema.clone());
        }
        let local = format!("#/$defs/{}", self.name_definition(&pointer));
        if local != reference {
            self.receipt.changed(at, format!("`{reference}` is declared as `{local}`"));
        }
        ReferenceTarget::Reference(local)
    }

    fn name_definition(&mut self, pointer: &str) -> String {
        if let Some(name) = self.names.get(pointer) {
            return name.clone();
        }
        let wanted = root_definition_name(pointer).unwrap_or_else(|| pointer.rsplit('/').next().unwrap_or_default());
        let wanted: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' }).collect();
        let mut name = wanted.clone();
        let mut count = 1_u32;
        while !self.used_names.insert(name.clone()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        self.names.insert(pointer.to_owned(), name.clone());
        self.origins.insert(name.clone(), pointer.to_owned());
        self.pending.push((name.clone(), pointer.to_owned()));
        name
    }
}

/// The final target of a reference: a target that is only another reference is followed. `None` for a cycle.
fn resolve_chain<'a>(root: &'a Value, reference: &str) -> Option<(String, &'a Value)> {
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

/// The name of a definition at the root, with the escapes of its pointer.
fn root_definition_name(pointer: &str) -> Option<&str> {
    let name = pointer.strip_prefix("/$defs/").or_else(|| pointer.strip_prefix("/definitions/"))?;
    (!name.contains('/')).then_some(name)
}

fn is_bare_reference(schema: &Value) -> bool {
    let Value::Object(members) = schema else { return false };
    members.keys().all(|keyword| matches!(keyword.as_str(), "$ref" | "$dynamicRef") || is_annotation(keyword))
}

/// The schema with its reference in the authored position among its other keywords.
fn with_reference(before: &Map<String, Value>, mut copy: Map<String, Value>, reference: &str) -> Value {
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

/// A target written in place of its reference, with the keywords beside that reference.
fn with_siblings(target: Value, copy: Map<String, Value>) -> Value {
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
        let local = localize_references(&schema, &mut receipt);
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
        let lost: Vec<&str> = receipt.iter().filter(|entry| entry.lost).map(|entry| entry.pointer.as_str()).collect();
        assert_eq!(lost, ["/properties/gone/$ref", "/properties/round/$ref"]);
    }
}
