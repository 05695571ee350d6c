//! Whether alternatives exclude each other, so that `oneOf` accepts the same values as `anyOf`.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// Whether a branch accepts only `null`.
pub(super) fn is_null_branch(branch: &Value) -> bool {
    branch.get("type").is_some_and(|kind| kind == "null") || branch.get("const").is_some_and(Value::is_null)
}

/// Whether no value can match two branches: they differ in type, in their constant, or in the constant of a required
/// property.
pub(super) fn are_exclusive(branches: &[Value]) -> bool {
    let branches: Vec<&Value> = branches.iter().filter(|branch| !is_null_branch(branch)).collect();
    let all_differ = |marks: Vec<Option<&Value>>| {
        let mut seen = HashSet::new();
        marks.into_iter().all(|mark| mark.is_some_and(|mark| seen.insert(mark)))
    };
    let of_type = |branch: &Value, name: &str| branch.get("type").is_some_and(|kind| kind == name);
    let overlap = branches.iter().any(|branch| of_type(branch, "number"))
        && branches.iter().any(|branch| of_type(branch, "integer"));
    let types = branches.iter().map(|branch| branch.get("type").filter(|kind| kind.is_string())).collect();
    if all_differ(types) {
        return !overlap;
    }
    if all_differ(branches.iter().map(|branch| branch.get("const")).collect()) {
        return true;
    }
    let objects = branches.iter().all(|branch| of_type(branch, "object"));
    let first = branches.first().and_then(|branch| branch.get("properties")).and_then(Value::as_object);
    let mut names = first.into_iter().flat_map(Map::keys);
    objects && names.any(|name| all_differ(branches.iter().map(|branch| discriminator(branch, name)).collect()))
}

/// The constant of a required property.
fn discriminator<'a>(branch: &'a Value, name: &str) -> Option<&'a Value> {
    let required = branch.get("required")?.as_array()?.iter().any(|required| required == name);
    let property = branch.get("properties")?.get(name)?;
    let only = property.get("const").or_else(|| match property.get("enum")?.as_array()?.as_slice() {
        [one] => Some(one),
        _ => None,
    });
    only.filter(|_| required)
}
