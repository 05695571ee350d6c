//! Alternatives: `anyOf`, `oneOf`, lists of types, `null`, and schemas that say no type at all.

use serde_json::{Map, Value, json};

use super::super::exclusive::{exclusive, is_null};
use super::{Lowering, Type};

/// Keywords that say something about the alternatives together.
const ANNOTATIONS: [&str; 2] = ["title", "description"];

impl Lowering<'_> {
    /// Lowers a schema without references and `allOf` at its top.
    pub(super) fn flat(&mut self, flat: &Map<String, Value>, at: &str, depth: usize) -> Option<Map<String, Value>> {
        for (keyword, other) in [("anyOf", "oneOf"), ("oneOf", "anyOf")] {
            if let Some(Value::Array(branches)) = flat.get(keyword) {
                let mut base = flat.clone();
                base.shift_remove(keyword);
                if base.shift_remove(other).is_some() {
                    self.receipt.lost(format!("{at}/{other}"), "`oneOf` beside `anyOf` is left out");
                }
                if keyword == "oneOf" {
                    self.one_of(branches, at);
                }
                return self.alternatives(&base, branches, (keyword, at), depth);
            }
        }
        Some(self.by_types(flat, at, depth))
    }

    fn one_of(&mut self, branches: &[Value], at: &str) {
        let at = format!("{at}/oneOf");
        if exclusive(branches) {
            self.receipt.changed(at, "`oneOf` is told as `anyOf`; its branches exclude each other");
        } else {
            self.receipt.lost(at, "`oneOf` is told as `anyOf`: that only one branch may fit is not said");
        }
    }

    /// Each branch together with what is said beside the union.
    fn alternatives(
        &mut self,
        base: &Map<String, Value>,
        branches: &[Value],
        (keyword, at): (&str, &str),
        depth: usize,
    ) -> Option<Map<String, Value>> {
        let mut beside = base.clone();
        beside.retain(|name, _| !ANNOTATIONS.contains(&name.as_str()) && name != "default" && name != "examples");
        let mut nullable = false;
        let mut lowered = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if is_null(branch) {
                nullable = true;
                continue;
            }
            let whole = if beside.is_empty() { branch.clone() } else { json!({ "allOf": [branch, beside] }) };
            lowered.extend(self.schema(&whole, &format!("{at}/{keyword}/{index}"), depth + 1));
        }
        nullable &= allows_null(base);
        if lowered.is_empty() {
            return nullable.then(|| typed_null(base));
        }
        Some(joined(base, lowered, nullable))
    }

    fn by_types(&mut self, flat: &Map<String, Value>, at: &str, depth: usize) -> Map<String, Value> {
        let mut types = self.types(flat, at);
        let nullable = types.contains(&Type::Null) && types.len() > 1;
        if nullable {
            types.retain(|kind| *kind != Type::Null);
        }
        if let [one] = types.as_slice() {
            let mut schema = self.typed(*one, flat, at, depth);
            if nullable {
                schema.insert("nullable".to_owned(), json!(true));
            }
            return schema;
        }
        let mut bare = flat.clone();
        bare.retain(|name, _| !ANNOTATIONS.contains(&name.as_str()) && name != "default" && name != "examples");
        let lowered = types.iter().map(|kind| self.typed(*kind, &bare, at, depth + 1)).collect();
        joined(flat, lowered, nullable)
    }

    /// The types that a schema allows: as it says, or as its values or keywords show, or any.
    fn types(&mut self, flat: &Map<String, Value>, at: &str) -> Vec<Type> {
        let named = match flat.get("type") {
            Some(Value::String(name)) => Type::parse(name).into_iter().collect(),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).filter_map(Type::parse).collect(),
            _ => Vec::new(),
        };
        let values: Vec<&Value> = match (flat.get("const"), flat.get("enum")) {
            (Some(value), _) => vec![value],
            (None, Some(Value::Array(values))) => values.iter().collect(),
            _ => Vec::new(),
        };
        let mut types = if values.is_empty() {
            if named.is_empty() { by_keywords(flat) } else { named }
        } else {
            // A list of values is narrower than the types beside it.
            let of_values: Vec<Type> = values.iter().map(|value| Type::of(value)).collect();
            let fits = |kind: &Type| {
                named.is_empty() || named.contains(kind) || (*kind == Type::Integer && named.contains(&Type::Number))
            };
            let fitting: Vec<Type> = of_values.into_iter().filter(fits).collect();
            if fitting.is_empty() { named } else { fitting }
        };
        if types.is_empty() {
            self.receipt.changed(at, "a value of any type is told as text, number, boolean, object or null");
            types = vec![Type::String, Type::Number, Type::Boolean, Type::Object, Type::Null];
        }
        distinct(types)
    }
}

/// Each type once; `number` covers `integer`.
fn distinct(types: Vec<Type>) -> Vec<Type> {
    let number = types.contains(&Type::Number);
    let mut seen = Vec::new();
    for kind in types {
        let covered = number && kind == Type::Integer;
        if !covered && !seen.contains(&kind) {
            seen.push(kind);
        }
    }
    seen
}

fn by_keywords(flat: &Map<String, Value>) -> Vec<Type> {
    const SIGNS: [(Type, &[&str]); 4] = [
        (Type::Object, &["properties", "required", "patternProperties", "minProperties", "maxProperties"]),
        (Type::Array, &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]),
        (Type::String, &["minLength", "maxLength", "pattern", "format"]),
        (Type::Number, &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    ];
    let shown = SIGNS.into_iter().filter(|(_, signs)| signs.iter().any(|sign| flat.contains_key(*sign)));
    shown.map(|(kind, _)| kind).collect()
}

/// Several schemas as one, with what is said about them together.
fn joined(around: &Map<String, Value>, mut schemas: Vec<Map<String, Value>>, nullable: bool) -> Map<String, Value> {
    let mut unique: Vec<Map<String, Value>> = Vec::new();
    schemas.retain(|schema| {
        let new = !unique.contains(schema);
        if new {
            unique.push(schema.clone());
        }
        new
    });
    let mut joined = Map::new();
    for name in ANNOTATIONS {
        if let Some(Value::String(text)) = around.get(name) {
            joined.insert(name.to_owned(), json!(text));
        }
    }
    match <[_; 1]>::try_from(schemas) {
        Ok([one]) => {
            for (name, value) in one {
                joined.entry(name).or_insert(value);
            }
        }
        Err(schemas) => {
            joined.insert("anyOf".to_owned(), json!(schemas));
        }
    }
    if nullable {
        joined.insert("nullable".to_owned(), json!(true));
    }
    if let Some(default) = around.get("default") {
        joined.insert("default".to_owned(), default.clone());
    }
    joined
}

fn allows_null(base: &Map<String, Value>) -> bool {
    match base.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
        Some(name) => name == "null",
    }
}

fn typed_null(base: &Map<String, Value>) -> Map<String, Value> {
    let mut null = Map::new();
    null.insert("type".to_owned(), json!(Type::Null.name()));
    if let Some(text) = base.get("description") {
        null.insert("description".to_owned(), text.clone());
    }
    null
}
