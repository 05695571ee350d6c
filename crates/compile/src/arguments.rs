//! Which argument a name stands for: the way from a schema to the schema of a part of its values.

use std::collections::BTreeSet;

use serde_json::Value;

use super::refs;

/// What a name leads to.
#[derive(Debug, PartialEq)]
pub(super) enum Lookup<'a> {
    /// These schemas speak of it.
    Found(Vec<&'a Value>),
    /// Values have no such property; these are the ones that they have.
    Absent(BTreeSet<&'a str>),
    /// The schema does not say.
    Unseen,
}

/// The property `name` of values of these schemas, or of their items where they are lists.
pub(super) fn property<'a>(root: &'a Value, schemas: &[&'a Value], name: &str) -> Lookup<'a> {
    let all = views(root, schemas);
    let named = |schema: &&'a Value| schema.get("properties").and_then(Value::as_object);
    let found: Vec<&Value> = all.iter().filter_map(named).filter_map(|properties| properties.get(name)).collect();
    if !found.is_empty() {
        return Lookup::Found(found);
    }
    let takes_others = |schema: &&Value| {
        schema.get("patternProperties").is_some()
            || schema.get("additionalProperties").is_some_and(|rest| rest != false)
    };
    let known: BTreeSet<&str> =
        all.iter().filter_map(named).flat_map(|properties| properties.keys()).map(String::as_str).collect();
    if known.is_empty() || all.iter().any(takes_others) {
        return Lookup::Unseen;
    }
    Lookup::Absent(known)
}

/// These schemas and every schema that they apply to the same value or to the items of it, each once.
fn views<'a>(root: &'a Value, schemas: &[&'a Value]) -> Vec<&'a Value> {
    let mut open = schemas.to_vec();
    let mut seen: Vec<&Value> = Vec::new();
    while let Some(schema) = open.pop() {
        if seen.iter().any(|known| std::ptr::eq(*known, schema)) {
            continue;
        }
        seen.push(schema);
        open.extend(
            refs::reference(schema).and_then(|(_, target)| refs::resolve(root, target)).map(|(_, target)| target),
        );
        for keyword in ["allOf", "anyOf", "oneOf", "prefixItems"] {
            open.extend(schema.get(keyword).and_then(Value::as_array).into_iter().flatten());
        }
        open.extend(["then", "else", "items"].iter().filter_map(|keyword| schema.get(keyword)));
    }
    seen
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
        let Lookup::Found(list) = property(&root, &[&root], "list") else { panic!("found") };
        let Lookup::Found(next) = property(&root, &list, "next") else { panic!("found") };
        assert_eq!(property(&root, &next, "nxt"), Lookup::Absent(["next"].into()));
        let Lookup::Found(open) = property(&root, &[&root], "open") else { panic!("found") };
        assert_eq!(property(&root, &open, "any"), Lookup::Unseen);
    }
}
