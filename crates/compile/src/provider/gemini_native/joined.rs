//! Several schemas as one `anyOf`.
//!
//! Vertex AI refuses any other field beside `anyOf` ("When using `any_of`, it must be the only field set"), so what is
//! said about the alternatives together stands in them: the description in the first, `nullable` in each.

use serde_json::{Map, Value, json};

use super::super::Receipt;
use super::{Flat, Lowered, Type};

/// Keywords that say something about the alternatives together.
pub(super) const ABOUT: [&str; 4] = ["title", "description", "default", "examples"];

/// One schema that takes what any of `schemas` takes, and `null` where `null` says so. `schemas` is not empty.
pub(super) fn joined(around: &Flat, schemas: Vec<Lowered>, null: bool, receipt: &mut Receipt) -> Lowered {
    let mut branches: Vec<Lowered> = Vec::new();
    for schema in schemas.into_iter().flat_map(apart) {
        if !branches.contains(&schema) {
            branches.push(schema);
        }
    }
    let alone = branches.len() == 1;
    if let Some(first) = branches.first_mut() {
        about(around, first, alone, receipt);
    }
    for (keyword, field) in [("default", "default"), ("examples", "example")] {
        let value = around.get(keyword).map(|value| if keyword == "examples" { value.get(0) } else { Some(value) });
        let Some(Some(value)) = value else { continue };
        match branches.iter_mut().find(|branch| alone || takes(branch, value)) {
            Some(branch) => {
                branch.entry(field).or_insert_with(|| value.clone());
            }
            None => receipt.changed(around.pointer(keyword), format!("`{keyword}` fits none of the alternatives")),
        }
    }
    if null {
        for branch in &mut branches {
            branch.insert("nullable".to_owned(), json!(true));
        }
    }
    match <[Lowered; 1]>::try_from(branches) {
        Ok([one]) => one,
        Err(branches) => Map::from_iter([("anyOf".to_owned(), json!(branches))]),
    }
}

/// Alternatives among alternatives are alternatives.
fn apart(mut schema: Lowered) -> Vec<Lowered> {
    let Some(Value::Array(branches)) = schema.shift_remove("anyOf") else { return vec![schema] };
    let members = branches.into_iter().filter_map(|branch| match branch {
        Value::Object(members) => Some(members),
        _ => None,
    });
    members.collect()
}

/// What people wrote about the whole: for one schema it comes first, for several it goes to the first.
fn about(around: &Flat, first: &mut Lowered, alone: bool, receipt: &mut Receipt) {
    let mut told = Map::new();
    for keyword in ["title", "description"] {
        let Some(text) = around.text(keyword) else { continue };
        let own = first.get(keyword).and_then(Value::as_str).filter(|own| *own != text);
        let both = match own {
            Some(own) if keyword == "description" => format!("{text}\n{own}"),
            Some(own) if !alone => own.to_owned(),
            _ => text.to_owned(),
        };
        if !alone {
            let change = format!("`{keyword}` is told in the first alternative: `anyOf` stands alone");
            receipt.changed(around.pointer(keyword), change);
        }
        told.insert(keyword.to_owned(), json!(both));
    }
    for (keyword, text) in told {
        first.insert(keyword, text);
    }
}

fn takes(branch: &Lowered, value: &Value) -> bool {
    let kind = branch.get("type").and_then(Value::as_str);
    kind == Some(Type::of(value).name()) || (value.is_number() && kind == Some(Type::Number.name()))
}
