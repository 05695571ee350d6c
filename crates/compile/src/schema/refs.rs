//! Resolves references within one schema and detects reference cycles on the same value.

use std::collections::HashMap;

use serde_json::Value;

use super::dialect;
use toolgate_json::pointer;

/// Returns the schema that a reference within `root` resolves to, with its JSON Pointer. `None` if the target does not
/// exist or is outside of the document.
pub(crate) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<(String, &'a Value)> {
    let fragment = pointer::from_fragment(reference.strip_prefix('#')?)?;
    if fragment.is_empty() || fragment.starts_with('/') {
        return Some((fragment.to_string(), root.pointer(&fragment)?));
    }
    let mut found = None;
    dialect::walk(root, "", &mut |pointer, schema| {
        let named =
            ["$anchor", "$dynamicAnchor"].iter().any(|key| schema.get(key).is_some_and(|name| *name == *fragment));
        if named && found.is_none() {
            found = Some((pointer.to_owned(), schema));
        }
    });
    found
}

/// Returns the reference keyword of a schema and its value.
pub(crate) fn reference(schema: &Value) -> Option<(&'static str, &str)> {
    ["$ref", "$dynamicRef"].into_iter().find_map(|keyword| Some((keyword, schema.get(keyword)?.as_str()?)))
}

/// Returns the pointer of a schema that applies itself again to the same value, so that validation would never end.
pub(crate) fn find_cycle(root: &Value) -> Option<String> {
    let mut state: HashMap<String, VisitState> = HashMap::new();
    let mut starts = Vec::new();
    dialect::walk(root, "", &mut |pointer, schema| starts.push((pointer.to_owned(), schema)));
    for (pointer, schema) in starts {
        if let Some(cycle) = find_cycle_from(root, &pointer, schema, &mut state) {
            return Some(cycle);
        }
    }
    None
}

#[derive(PartialEq)]
enum VisitState {
    Open,
    Done,
}

/// Depth-first search with an explicit stack: a chain of references can be as long as the document.
fn find_cycle_from<'a>(
    root: &'a Value,
    pointer: &str,
    schema: &'a Value,
    state: &mut HashMap<String, VisitState>,
) -> Option<String> {
    if state.contains_key(pointer) {
        return None;
    }
    state.insert(pointer.to_owned(), VisitState::Open);
    let mut stack = vec![(pointer.to_owned(), in_place_subschemas(root, pointer, schema))];
    while let Some((current, open)) = stack.last_mut() {
        let Some((next, schema)) = open.pop() else {
            state.insert(current.clone(), VisitState::Done);
            stack.pop();
            continue;
        };
        match state.get(&next) {
            Some(VisitState::Open) => return Some(current.clone()),
            Some(VisitState::Done) => {}
            None => {
                state.insert(next.clone(), VisitState::Open);
                let edges = in_place_subschemas(root, &next, schema);
                stack.push((next, edges));
            }
        }
    }
    None
}

/// The subschemas that a schema applies to the same value (in-place applicators and the reference target).
fn in_place_subschemas<'a>(root: &'a Value, pointer: &str, schema: &'a Value) -> Vec<(String, &'a Value)> {
    const IN_PLACE: [&str; 8] = ["allOf/", "anyOf/", "oneOf/", "dependentSchemas/", "not", "if", "then", "else"];
    let inner = dialect::subschemas(schema).into_iter().filter(|(below, _)| {
        let below = below.trim_start_matches('/');
        IN_PLACE.iter().any(|keyword| match keyword.strip_suffix('/') {
            Some(_) => below.starts_with(keyword),
            None => below == *keyword,
        })
    });
    let mut found: Vec<_> = inner.map(|(below, child)| (format!("{pointer}{below}"), child)).collect();
    found.extend(reference(schema).and_then(|(_, target)| resolve(root, target)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_anchors_and_escapes_resolve() {
        let root = json!({ "$defs": { "a b/~": { "$anchor": "here", "type": "string" } } });
        let at = Some("/$defs/a b~1~0".to_owned());
        assert_eq!(resolve(&root, "#/$defs/a%20b~1~0").map(|(at, _)| at), at);
        assert_eq!(resolve(&root, "#here").map(|(at, _)| at), at);
        assert_eq!(resolve(&root, "#").map(|(at, _)| at), Some(String::new()));
        for nowhere in ["#/$defs/b", "#gone", "other.json", "https://example.com/a#/b", "#%zz"] {
            assert_eq!(resolve(&root, nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn only_a_loop_on_the_same_value_is_endless() {
        let tree = json!({ "properties": { "child": { "$ref": "#" } }, "items": { "$ref": "#" } });
        assert_eq!(find_cycle(&tree), None);
        let loops = [
            json!({ "$ref": "#" }),
            json!({ "allOf": [{ "$ref": "#" }] }),
            json!({ "properties": { "a": { "$ref": "#/$defs/x" } },
                    "$defs": { "x": { "anyOf": [{ "$ref": "#/$defs/y" }] }, "y": { "not": { "$ref": "#/$defs/x" } } } }),
        ];
        for schema in loops {
            assert!(find_cycle(&schema).is_some(), "{schema}");
        }
    }
}
