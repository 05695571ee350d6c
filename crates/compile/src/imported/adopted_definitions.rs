//! Schemas that references reach in places without schemas (`#/components/schemas/a`, `#/x-stuff/a`) move to `$defs`.
//!
//! Validators resolve such a reference, but readers of declarations that know only the draft's keywords do not, and a
//! declaration leaves out unknown keywords.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::draft_upgrade::PointerMap;
use crate::schema::dialect;
use crate::schema::refs;
use crate::text::source::pointer_from_names;
use toolgate_json::pointer;

const DEFINITIONS: &str = "$defs";

/// Copies each such schema to `$defs` once, and updates the references to it. A schema with `$id` stays as it is: its
/// references are not relative to the root.
pub(super) fn adopt_reference_targets(schema: &mut Value, pointer_map: &mut PointerMap) {
    let mut adopted: BTreeMap<String, String> = BTreeMap::new();
    // A copy can refer to further schemas. Each round adopts at least one, and no schema twice.
    loop {
        let misplaced = misplaced_references(schema);
        if misplaced.is_empty() {
            return;
        }
        for (holder, target) in misplaced {
            let Some(at) = adopted.get(&target).cloned().or_else(|| copy_to_definitions(schema, &target)) else {
                return;
            };
            if let Some(Value::Object(members)) = schema.pointer_mut(&holder) {
                members.insert("$ref".to_owned(), json!(format!("#{}", pointer::to_fragment(&at))));
            }
            pointer_map.record_adopted(&target, &at);
            adopted.insert(target, at);
        }
    }
}

/// The pointers of references, each with the pointer of its target, which is no place of a schema.
fn misplaced_references(schema: &Value) -> Vec<(String, String)> {
    let (mut places, mut references, mut has_ids) = (BTreeSet::new(), Vec::new(), false);
    dialect::walk(schema, "", &mut |at, inner| {
        places.insert(at.to_owned());
        has_ids |= inner.get("$id").is_some_and(Value::is_string);
        references.extend(inner.get("$ref").and_then(Value::as_str).map(|reference| (at.to_owned(), reference)));
    });
    if has_ids {
        return Vec::new();
    }
    let misplaced = references.into_iter().filter_map(|(holder, reference)| {
        let (target, found) = refs::resolve(schema, reference)?;
        let is_misplaced = (found.is_object() || found.is_boolean()) && !places.contains(&target);
        is_misplaced.then_some((holder, target))
    });
    misplaced.collect()
}

/// Copies the schema at a pointer to `$defs` and returns its pointer there. `None` if `$defs` is not an object.
fn copy_to_definitions(schema: &mut Value, target: &str) -> Option<String> {
    let copy = schema.pointer(target)?.clone();
    let definitions = schema.as_object_mut()?.entry(DEFINITIONS).or_insert_with(|| json!({})).as_object_mut()?;
    let wanted = pointer::tokens(target).last()?.into_owned();
    let name = free_name(definitions, &wanted);
    definitions.insert(name.clone(), copy);
    Some(pointer_from_names(&[DEFINITIONS, &name]))
}

/// The name, with a number if it is taken.
fn free_name(definitions: &Map<String, Value>, wanted: &str) -> String {
    let numbered = (2_u32..).map(|number| format!("{wanted}_{number}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| !definitions.contains_key(name))
        .unwrap_or_else(|| wanted.to_owned())
}
