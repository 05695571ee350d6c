//! Whether alternatives exclude each other, so that `oneOf` accepts the same values as `anyOf`.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// Whether a branch accepts only `null`.
pub(super) fn is_null_branch(branch: &Value) -> bool {
    branch.get("type").is_some_and(|kind| kind == "null") || branch.get("const").is_some_and(Value::is_null)
}

/// Whether no value can match two branches: they differ in type, in their constant, or in the constant of a required
/// property.
pub(super) fn are_exclusive<'a>(branches: impl Iterator<Item = &'a Value>) -> bool {
    let branches: Vec<&Value> = branches.filter(|branch| !is_null_branch(branch)).collect();
    let of_type = |branch: &Value, name: &str| branch.get("type").is_some_and(|kind| kind == name);
    let overlap = branches.iter().any(|branch| of_type(branch, "number"))
        && branches.iter().any(|branch| of_type(branch, "integer"));
    if all_differ(branches.iter().map(|branch| branch.get("type").filter(|kind| kind.is_string()))) {
        return !overlap;
    }
    all_differ(branches.iter().map(|branch| branch.get("const")))
        || (branches.iter().all(|branch| of_type(branch, "object")) && has_discriminator(&branches))
}

fn all_differ<'a>(mut marks: impl Iterator<Item = Option<&'a Value>>) -> bool {
    let mut seen = HashSet::new();
    marks.all(|mark| mark.is_some_and(|mark| seen.insert(mark)))
}

/// Whether every branch requires a property that is a constant, another one in each.
fn has_discriminator(branches: &[&Value]) -> bool {
    let Some((first, others)) = branches.split_first() else { return false };
    let constants = required_constants(first);
    let mut seen: HashMap<&str, HashSet<&Value>> =
        constants.into_iter().map(|(name, only)| (name, HashSet::from([only]))).collect();
    for branch in others {
        let constants = required_constants(branch);
        seen.retain(|name, seen| constants.get(name).is_some_and(|only| seen.insert(only)));
    }
    !seen.is_empty()
}

/// The required properties that are constants.
fn required_constants(branch: &Value) -> HashMap<&str, &Value> {
    let required = branch.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let properties = branch.get("properties").and_then(Value::as_object);
    required.filter_map(|name| Some((name, constant(properties?.get(name)?)?))).collect()
}

fn constant(property: &Value) -> Option<&Value> {
    property.get("const").or_else(|| match property.get("enum")?.as_array()?.as_slice() {
        [one] => Some(one),
        _ => None,
    })
}
