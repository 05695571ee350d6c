//! Joining of several schemas into one `anyOf`.
//!
//! Vertex AI refuses any other field beside `anyOf` ("When using `any_of`, it must be the only field set"), so shared
//! annotations move into the alternatives: the description into the first, `nullable` into each.

use indexmap::IndexSet;
use serde_json::{Map, Value, json};

use super::super::Receipt;
use super::{FlatSchema, GeminiSchema, GeminiType};

/// Annotations of the alternatives as a whole.
pub(super) const SHARED_ANNOTATIONS: [&str; 4] = ["title", "description", "default", "examples"];

/// One schema that accepts the values of all `schemas`, and `null` if `null` is set. `schemas` is not empty.
pub(super) fn join_alternatives(
    around: &FlatSchema,
    schemas: Vec<GeminiSchema>,
    null: bool,
    receipt: &mut Receipt,
) -> GeminiSchema {
    let distinct: IndexSet<GeminiSchema> = schemas.into_iter().flat_map(flatten_any_of).collect();
    let mut branches: Vec<GeminiSchema> = distinct.into_iter().collect();
    let alone = branches.len() == 1;
    if let Some(first) = branches.first_mut() {
        annotate_first(around, first, alone, receipt);
    }
    for (keyword, field) in [("default", "default"), ("examples", "example")] {
        let value = around.get(keyword).map(|value| if keyword == "examples" { value.get(0) } else { Some(value) });
        let Some(Some(value)) = value else { continue };
        match branches.iter_mut().find(|branch| alone || may_accept(branch, value)) {
            Some(branch) => {
                branch.entry(field).or_insert_with(|| value.clone());
            }
            None => receipt.changed(around.pointer(keyword), format!("`{keyword}` matches none of the alternatives")),
        }
    }
    if null {
        for branch in &mut branches {
            branch.insert("nullable".to_owned(), json!(true));
        }
    }
    match <[GeminiSchema; 1]>::try_from(branches) {
        Ok([one]) => one,
        Err(branches) => Map::from_iter([("anyOf".to_owned(), json!(branches))]),
    }
}

/// The branches of a nested `anyOf`, or the schema itself.
fn flatten_any_of(mut schema: GeminiSchema) -> Vec<GeminiSchema> {
    let Some(Value::Array(branches)) = schema.shift_remove("anyOf") else { return vec![schema] };
    let members = branches.into_iter().filter_map(|branch| match branch {
        Value::Object(members) => Some(members),
        _ => None,
    });
    members.collect()
}

/// Adds the shared title and description to the first alternative, before its own description if it is the only one.
fn annotate_first(around: &FlatSchema, first: &mut GeminiSchema, alone: bool, receipt: &mut Receipt) {
    let mut annotations = Map::new();
    for keyword in ["title", "description"] {
        let Some(text) = around.string(keyword) else { continue };
        let own = first.get(keyword).and_then(Value::as_str).filter(|own| *own != text);
        let both = match own {
            Some(own) if keyword == "description" => format!("{text}\n{own}"),
            Some(own) if !alone => own.to_owned(),
            _ => text.to_owned(),
        };
        if !alone {
            let change = format!("`{keyword}` is stated in the first alternative: `anyOf` stands alone");
            receipt.changed(around.pointer(keyword), change);
        }
        annotations.insert(keyword.to_owned(), json!(both));
    }
    for (keyword, text) in annotations {
        first.insert(keyword, text);
    }
}

/// Whether a branch has the type of a value, and the value itself if it lists its values.
fn may_accept(branch: &GeminiSchema, value: &Value) -> bool {
    let kind = branch.get("type").and_then(Value::as_str);
    let is_listed = branch.get("enum").and_then(Value::as_array).is_none_or(|values| values.contains(value));
    is_listed && has_type_of(kind, value)
}

fn has_type_of(kind: Option<&str>, value: &Value) -> bool {
    kind == Some(GeminiType::from_value(value).name()) || (value.is_number() && kind == Some(GeminiType::Number.name()))
}
