//! Finds the schema of a named parameter, through references, compositions and array items.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::refs;

/// The result of looking up a property by name.
#[derive(Debug, PartialEq)]
pub(crate) enum PropertyLookup<'a> {
    /// The schemas that describe the property.
    Found(Vec<&'a Value>),
    /// The property is not allowed; contains the names of the declared properties.
    Absent(BTreeSet<&'a str>),
    /// The schema neither declares nor excludes the property.
    Undetermined,
}

/// Looks up the property `name` of values of these schemas, or of their items if the values are arrays.
pub(crate) fn find_property<'a>(root: &'a Value, schemas: &[&'a Value], name: &str) -> PropertyLookup<'a> {
    let all = applied_schemas(root, schemas);
    let named = |schema: &&'a Value| schema.get("properties").and_then(Value::as_object);
    let found: Vec<&Value> = all.iter().filter_map(named).filter_map(|properties| properties.get(name)).collect();
    if !found.is_empty() {
        return PropertyLookup::Found(found);
    }
    let takes_others = |schema: &&Value| {
        schema.get("patternProperties").is_some()
            || schema.get("additionalProperties").is_some_and(|rest| rest != false)
    };
    let known: BTreeSet<&str> =
        all.iter().filter_map(named).flat_map(|properties| properties.keys()).map(String::as_str).collect();
    if known.is_empty() || all.iter().any(takes_others) {
        return PropertyLookup::Undetermined;
    }
    PropertyLookup::Absent(known)
}

/// These schemas and every schema that they apply to the same value or to its items, each once.
fn applied_schemas<'a>(root: &'a Value, schemas: &[&'a Value]) -> Vec<&'a Value> {
    let mut open = schemas.to_vec();
    let mut applied: Vec<&Value> = Vec::new();
    let mut seen: HashSet<*const Value> = HashSet::new();
    while let Some(schema) = open.pop() {
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        applied.push(schema);
        open.extend(
            refs::reference(schema).and_then(|(_, target)| refs::resolve(root, target)).map(|(_, target)| target),
        );
        for keyword in ["allOf", "anyOf", "oneOf", "prefixItems"] {
            open.extend(schema.get(keyword).and_then(Value::as_array).into_iter().flatten());
        }
        open.extend(["then", "else", "items"].iter().filter_map(|keyword| schema.get(keyword)));
    }
    applied
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_followed_through_references_branches_and_items() {
        let root = json!({
            "properties": { "list": { "items": { "$ref": "#/$defs/node" } }, "open": { "patternProperties": {} } },
            "$defs": { "node": { "anyOf": [{ "properties": { "next": { "$ref": "#/$defs/node" } } }] } }
        });
        let PropertyLookup::Found(list) = find_property(&root, &[&root], "list") else { panic!("found") };
        let PropertyLookup::Found(next) = find_property(&root, &list, "next") else { panic!("found") };
        assert_eq!(find_property(&root, &next, "nxt"), PropertyLookup::Absent(["next"].into()));
        let PropertyLookup::Found(open) = find_property(&root, &[&root], "open") else { panic!("found") };
        assert_eq!(find_property(&root, &open, "any"), PropertyLookup::Undetermined);
    }
}
