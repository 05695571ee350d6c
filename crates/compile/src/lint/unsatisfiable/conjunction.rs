//! The schemas that a value has to satisfy at once: a schema, the target of its reference, and the parts of `allOf`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::schema::refs;

/// More parts are not read: a conjunction of fewer parts accepts no less.
const MAX_PARTS: usize = 16;

/// One schema of a conjunction.
pub(super) struct ConjunctPart<'a> {
    /// Its JSON Pointer.
    pub(super) at: String,
    pub(super) members: &'a Map<String, Value>,
    /// The keyword of the whole through which it is applied; absent for the whole itself.
    pub(super) through: Option<&'static str>,
}

pub(super) struct Conjunction<'a> {
    pub(super) parts: Vec<ConjunctPart<'a>>,
    /// The keyword through which `false` is applied.
    pub(super) refuses_through: Option<&'static str>,
}

impl<'a> Conjunction<'a> {
    pub(super) fn collect(root: &'a Value, at: &str, schema: &'a Value) -> Self {
        let mut whole = Self { parts: Vec::new(), refuses_through: None };
        let mut seen = BTreeSet::new();
        let mut open = vec![(at.to_owned(), schema, None)];
        while let Some((at, schema, through)) = open.pop() {
            if whole.parts.len() == MAX_PARTS || !seen.insert(at.clone()) {
                continue;
            }
            let Value::Object(members) = schema else {
                whole.refuses_through = whole.refuses_through.or(through.filter(|_| *schema == Value::Bool(false)));
                continue;
            };
            let parts =
                members.get("allOf").and_then(Value::as_array).into_iter().flatten().take(MAX_PARTS).enumerate();
            open.extend(parts.map(|(index, part)| (format!("{at}/allOf/{index}"), part, through.or(Some("allOf")))));
            // A dynamic reference may lead elsewhere when another schema contains this one.
            let target = members.get("$ref").and_then(Value::as_str).and_then(|target| refs::resolve(root, target));
            open.extend(target.map(|(at, target)| (at, target, through.or(Some("$ref")))));
            whole.parts.push(ConjunctPart { at, members, through });
        }
        whole
    }

    /// The limits of all parts as one schema: the narrowest bounds, and every required name.
    pub(super) fn limits(&self) -> Map<String, Value> {
        let mut limits = Map::new();
        for ConjunctPart { members, .. } in &self.parts {
            for (least, most) in BOUNDS {
                keep(&mut limits, members, least, f64::max);
                keep(&mut limits, members, most, f64::min);
            }
            limits.extend(members.get("not").map(|not| ("not".to_owned(), not.clone())));
        }
        let required = self.required();
        if !required.is_empty() {
            limits.insert("required".to_owned(), json!(required));
        }
        limits
    }

    pub(super) fn required(&self) -> BTreeSet<&'a str> {
        let lists = self.parts.iter().filter_map(|part| part.members.get("required")?.as_array());
        lists.flatten().filter_map(Value::as_str).collect()
    }
}

const BOUNDS: [(&str, &str); 5] = [
    ("minimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
];

fn keep(limits: &mut Map<String, Value>, members: &Map<String, Value>, keyword: &str, narrower: fn(f64, f64) -> f64) {
    let Some(bound) = members.get(keyword).and_then(Value::as_f64) else { return };
    let known = limits.get(keyword).and_then(Value::as_f64).unwrap_or(bound);
    limits.insert(keyword.to_owned(), json!(narrower(known, bound)));
}
