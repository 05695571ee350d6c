//! A schema as one object: the targets of `$ref` and the branches of `allOf` merged into it, at its top level only.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::Receipt;
use super::merge::merge;
use crate::schema::refs;
use crate::text::source::pointer_from_names;

/// The maximum number of schemas merged into one; authored chains of references and `allOf` are shorter.
const MAX_PARTS: usize = 64;

/// The schema with its `$ref` and `allOf` merged into it. References are relative to `root`.
pub(super) fn flatten_schema(root: &Value, schema: &Value, at: &str, receipt: &mut Receipt) -> Map<String, Value> {
    let mut merged = Map::new();
    let mut closed = Vec::new();
    let mut open = vec![schema];
    let mut is_nothing = false;
    let mut inlined = HashSet::new();
    let mut seen = 0;
    while let Some(part) = open.pop() {
        seen += 1;
        let Value::Object(members) = part else {
            is_nothing |= *part == Value::Bool(false);
            continue;
        };
        if seen > MAX_PARTS {
            receipt.lost(at, "references or `allOf` go too deep and are cut");
            break;
        }
        let own = own_keywords(members, seen == 1, receipt);
        if receipt.is_spent() {
            break;
        }
        closed.extend(closed_names(&own));
        is_nothing |= !have_common_type(&merged, &own);
        merge(&mut merged, own, at, receipt);
        if let Some(Value::Array(all)) = members.get("allOf") {
            receipt.changed(format!("{at}/allOf"), "`allOf` is merged");
            open.extend(all.iter().rev());
        }
        if let Some((keyword, reference)) = refs::reference(part) {
            let at = format!("{at}/{keyword}");
            match refs::resolve(root, reference) {
                Some((pointer, _)) if inlined.contains(&pointer) => {}
                Some((pointer, target)) => {
                    inlined.insert(pointer);
                    receipt.changed(at, format!("`{reference}` is inlined"));
                    open.push(target);
                }
                None => receipt.lost(at, format!("`{reference}` does not resolve to a schema and is left out")),
            }
        }
    }
    remove_excluded_properties(&mut merged, &closed, at, receipt);
    if is_nothing {
        receipt.changed(at, "no value matches all branches of `allOf`");
        merged.insert("not".to_owned(), json!({}));
    }
    merged
}

/// The keywords of one part, without references and `allOf`. Only the first part keeps its definitions: references into
/// the others target the root.
fn own_keywords(part: &Map<String, Value>, is_first: bool, receipt: &mut Receipt) -> Map<String, Value> {
    let is_own = |keyword: &str| match keyword {
        "$ref" | "$dynamicRef" | "allOf" => false,
        "$defs" | "definitions" => is_first,
        _ => true,
    };
    let mut own = Map::new();
    for (keyword, value) in part.iter().filter(|(keyword, _)| is_own(keyword)) {
        receipt.spend_on(value);
        if receipt.is_spent() {
            break;
        }
        own.insert(keyword.clone(), value.clone());
    }
    own
}

/// Whether a value can have a type that both schemas name.
fn have_common_type(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let names = |schema: &Map<String, Value>| match schema.get("type") {
        Some(Value::String(name)) => Some(vec![name.clone()]),
        Some(Value::Array(names)) => Some(names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => None,
    };
    let (Some(one), Some(other)) = (names(one), names(other)) else { return true };
    let meets = |one: &[String], other: &[String]| {
        one.iter().any(|name| other.contains(name) || (name == "integer" && other.iter().any(|name| name == "number")))
    };
    meets(&one, &other) || meets(&other, &one)
}

/// The properties that a part allows, if it allows no others.
fn closed_names(part: &Map<String, Value>) -> Option<HashSet<String>> {
    let is_closed = part.get("additionalProperties") == Some(&Value::Bool(false));
    if !is_closed || part.contains_key("patternProperties") {
        return None;
    }
    let properties = part.get("properties").and_then(Value::as_object);
    Some(properties.into_iter().flat_map(Map::keys).cloned().collect())
}

/// Removes the properties that one part declares and another, closed part does not allow.
fn remove_excluded_properties(
    merged: &mut Map<String, Value>,
    closed: &[HashSet<String>],
    at: &str,
    receipt: &mut Receipt,
) {
    let Some(Value::Object(properties)) = merged.get_mut("properties") else { return };
    properties.retain(|name, _| {
        let is_allowed = closed.iter().all(|names| names.contains(name));
        if !is_allowed {
            let at = format!("{at}{}", pointer_from_names(&["properties", name]));
            receipt.changed(at, "a closed branch of `allOf` does not allow it, so it is left out");
        }
        is_allowed
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_part_allows_only_its_own() {
        let schema = json!({ "allOf": [
            { "properties": { "x": {} }, "additionalProperties": false },
            { "properties": { "x": {}, "y": {} }, "additionalProperties": false }
        ] });
        let mut receipt = Receipt::default();
        let merged = flatten_schema(&schema, &schema, "", &mut receipt);
        assert_eq!(Value::Object(merged), json!({ "properties": { "x": {} }, "additionalProperties": false }));
        assert_eq!(receipt.iter().last().unwrap().pointer, "/properties/y");
    }
}
