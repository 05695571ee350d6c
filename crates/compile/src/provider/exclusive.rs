//! Whether alternatives exclude each other, so that "exactly one of" says no more than "one of".

use serde_json::{Map, Value};

/// A branch that takes `null` and nothing else.
pub(super) fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|kind| kind == "null") || branch.get("const").is_some_and(Value::is_null)
}

/// Whether no value can fit two branches: they differ in type, in their one value, or in the one value of a required
/// property.
pub(super) fn exclusive(branches: &[Value]) -> bool {
    let branches: Vec<&Value> = branches.iter().filter(|branch| !is_null(branch)).collect();
    let all_differ = |marks: Vec<Option<&Value>>| {
        marks
            .iter()
            .enumerate()
            .all(|(index, mark)| mark.is_some() && !marks.iter().take(index).any(|other| other == mark))
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
    objects && names.any(|name| all_differ(branches.iter().map(|branch| mark(branch, name)).collect()))
}

/// The one value of a required property.
fn mark<'a>(branch: &'a Value, name: &str) -> Option<&'a Value> {
    let required = branch.get("required")?.as_array()?.iter().any(|required| required == name);
    let property = branch.get("properties")?.get(name)?;
    let only = property.get("const").or_else(|| match property.get("enum")?.as_array()?.as_slice() {
        [one] => Some(one),
        _ => None,
    });
    only.filter(|_| required)
}
