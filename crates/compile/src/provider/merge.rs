//! The conjunction of two schemas as one schema, for providers without `allOf`.

use std::collections::HashSet;

use indexmap::IndexSet;
use serde_json::{Map, Number, Value, json};

use super::Receipt;
use super::origin::ORIGIN;

/// Adds `other`'s constraints to `schema`. If one object can't express both, `schema` wins and the receipt records the
/// loss.
pub(super) fn merge(schema: &mut Map<String, Value>, other: Map<String, Value>, at: &str, receipt: &mut Receipt) {
    for (keyword, theirs) in other {
        match schema.get_mut(&keyword) {
            None => {
                schema.insert(keyword, theirs);
            }
            Some(ours) if *ours == theirs => {}
            Some(ours) => {
                if !combine(&keyword, ours, theirs) {
                    let change = format!("`{keyword}` is declared for one branch of `allOf` only");
                    receipt.lost(format!("{at}/{keyword}"), change);
                }
            }
        }
    }
}

/// Narrows `ours` to both constraints; false if one keyword can't express that.
fn combine(keyword: &str, ours: &mut Value, theirs: Value) -> bool {
    match keyword {
        "title" | "description" | "default" | "examples" | "$comment" | "$schema" | "$id" | "$defs" | "definitions"
        | ORIGIN => true,
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" | "minContains" => {
            keep_tighter(ours, theirs, |ours, theirs| theirs > ours)
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" | "maxContains" => {
            keep_tighter(ours, theirs, |ours, theirs| theirs < ours)
        }
        "required" | "allOf" => union_arrays(ours, theirs),
        "type" => narrow_types(ours, &theirs),
        "enum" => intersect_arrays(ours, &theirs),
        "properties" => merge_properties(ours, theirs),
        "items" | "additionalProperties" => conjoin(ours, theirs),
        "uniqueItems" | "readOnly" | "writeOnly" | "deprecated" => {
            *ours = Value::Bool(ours == true || theirs == true);
            true
        }
        _ => false,
    }
}

fn keep_tighter(ours: &mut Value, theirs: Value, tighter: fn(f64, f64) -> bool) -> bool {
    let number = |value: &Value| value.as_number().and_then(Number::as_f64);
    let (Some(ours_number), Some(theirs_number)) = (number(ours), number(&theirs)) else { return false };
    if tighter(ours_number, theirs_number) {
        *ours = theirs;
    }
    true
}

fn union_arrays(ours: &mut Value, theirs: Value) -> bool {
    let (Value::Array(ours), Value::Array(theirs)) = (ours, theirs) else { return false };
    let known: HashSet<&Value> = ours.iter().collect();
    let mut added: Vec<Value> = Vec::new();
    let mut seen: HashSet<&Value> = HashSet::new();
    for item in &theirs {
        if !known.contains(item) && seen.insert(item) {
            added.push(item.clone());
        }
    }
    ours.extend(added);
    true
}

fn intersect_arrays(ours: &mut Value, theirs: &Value) -> bool {
    let (Some(mine), Some(theirs)) = (ours.as_array(), theirs.as_array()) else { return false };
    let theirs: HashSet<&Value> = theirs.iter().collect();
    let common: Vec<Value> = mine.iter().filter(|item| theirs.contains(item)).cloned().collect();
    if common.is_empty() {
        return false;
    }
    *ours = Value::Array(common);
    true
}

fn narrow_types(ours: &mut Value, theirs: &Value) -> bool {
    let (mine, theirs) = (type_names(ours), type_names(theirs));
    // Every integer is a number.
    let fits = |name: &String, among: &[String]| {
        among.contains(name) || (name == "integer" && among.iter().any(|other| other == "number"))
    };
    let mut common: Vec<String> = mine.iter().filter(|name| fits(name, &theirs)).cloned().collect();
    common.extend(theirs.iter().filter(|name| fits(name, &mine) && !mine.contains(name)).cloned());
    match common.as_slice() {
        [] => return false,
        [one] => *ours = json!(one),
        _ => *ours = json!(common),
    }
    true
}

fn type_names(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn merge_properties(ours: &mut Value, theirs: Value) -> bool {
    let (Value::Object(ours), Value::Object(theirs)) = (ours, theirs) else { return false };
    for (name, theirs) in theirs {
        match ours.get_mut(&name) {
            Some(ours) if *ours != theirs => {
                conjoin(ours, theirs);
            }
            Some(_) => {}
            None => {
                ours.insert(name, theirs);
            }
        }
    }
    true
}

/// The conjunction of two schemas, as an `allOf` that is merged when the lowering reaches it. Each part is in it once, so
/// that conjunctions of conjunctions do not grow without end.
fn conjoin(ours: &mut Value, theirs: Value) -> bool {
    *ours = match (ours.take(), theirs) {
        (Value::Bool(true), other) | (other, Value::Bool(true)) => other,
        (Value::Bool(false), _) | (_, Value::Bool(false)) => Value::Bool(false),
        (ours, theirs) => {
            let parts: IndexSet<Value> = conjunction_parts(ours).into_iter().chain(conjunction_parts(theirs)).collect();
            json!({ "allOf": parts.into_iter().collect::<Vec<_>>() })
        }
    };
    true
}

/// The parts of a schema that is an `allOf` only, or the schema itself.
fn conjunction_parts(schema: Value) -> Vec<Value> {
    match schema {
        Value::Object(mut members) if members.len() == 1 => match members.shift_remove("allOf") {
            Some(Value::Array(parts)) => parts,
            Some(other) => vec![json!({ "allOf": other })],
            None => vec![Value::Object(members)],
        },
        other => vec![other],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(ours: Value, theirs: Value) -> (Value, usize) {
        let (Value::Object(mut ours), Value::Object(theirs)) = (ours, theirs) else { panic!("objects") };
        let mut receipt = Receipt::default();
        merge(&mut ours, theirs, "", &mut receipt);
        (Value::Object(ours), receipt.len())
    }

    #[test]
    fn the_tighter_constraint_holds() {
        let ours = json!({ "type": ["number", "string"], "minimum": 1, "maxLength": 9, "enum": [1, 2, "a"], "required": ["a"] });
        let theirs = json!({ "type": ["integer", "string"], "minimum": 2.5, "maxLength": 4, "enum": ["a", 2], "required": ["b", "a"] });
        let expected = json!({ "type": ["string", "integer"], "minimum": 2.5, "maxLength": 4, "enum": [2, "a"], "required": ["a", "b"] });
        assert_eq!(merged(ours, theirs), (expected, 0));
    }

    #[test]
    fn properties_are_merged_and_conflicts_reported() {
        let ours = json!({ "properties": { "a": { "minLength": 1 } }, "pattern": "^a", "type": "string" });
        let theirs = json!({ "properties": { "a": { "maxLength": 2 }, "b": {} }, "pattern": "b$", "type": "object" });
        let expected = json!({ "properties": { "a": { "allOf": [{ "minLength": 1 }, { "maxLength": 2 }] }, "b": {} }, "pattern": "^a", "type": "string" });
        assert_eq!(merged(ours, theirs), (expected, 2));
    }
}
