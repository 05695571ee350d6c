//! Arguments made up for a schema: each draw of the dice gives others. Not all of them are valid.

use serde_json::{Map, Value, json};

/// A sequence of numbers that is the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `count`.
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

const MAX_DEPTH: usize = 12;

/// A value that fits a schema as far as is easily seen.
pub(crate) fn invented(root: &Value, schema: &Value, dice: &mut Dice, depth: usize) -> Option<Value> {
    let Value::Object(schema) = schema else { return (*schema == Value::Bool(true)).then(|| json!("anything")) };
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(Value::String(reference)) = schema.get("$ref") {
        return invented(root, root.pointer(reference.strip_prefix('#')?)?, dice, depth + 1);
    }
    if let Some(only) = schema.get("const") {
        return Some(only.clone());
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return dice.pick(values).cloned();
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = schema.get(keyword) {
            let mut value = invented(root, dice.pick(branches)?, dice, depth + 1)?;
            if let (Value::Object(value), true) = (&mut value, schema.contains_key("properties")) {
                value.extend(object(root, schema, dice, depth)?);
            }
            return Some(value);
        }
    }
    if let Some(Value::Array(parts)) = schema.get("allOf") {
        let mut all = object(root, schema, dice, depth)?;
        for part in parts {
            all.extend(invented(root, part, dice, depth + 1)?.as_object()?.clone());
        }
        return Some(Value::Object(all));
    }
    let kind = match schema.get("type") {
        Some(Value::Array(names)) => dice.pick(names)?.as_str()?,
        Some(name) => name.as_str()?,
        None if schema.contains_key("properties") => "object",
        None => "string",
    };
    typed(root, schema, kind, dice, depth)
}

fn typed(root: &Value, schema: &Map<String, Value>, kind: &str, dice: &mut Dice, depth: usize) -> Option<Value> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_i64);
    let between = |least: i64, most: i64, dice: &mut Dice| {
        let choices = most.saturating_sub(least).clamp(0, 9) + 1;
        least + i64::try_from(dice.below(usize::try_from(choices).unwrap())).unwrap()
    };
    Some(match kind {
        "null" => Value::Null,
        "boolean" => json!(dice.below(2) == 0),
        "integer" | "number" => {
            let least = bound("minimum").or(bound("exclusiveMinimum").map(|bound| bound + 1)).unwrap_or(0);
            json!(between(least, bound("maximum").unwrap_or(i64::MAX), dice))
        }
        "array" => {
            let least = bound("minItems").unwrap_or(0);
            let most = bound("maxItems").unwrap_or(i64::MAX).min(least + 2);
            let items = schema.get("items").cloned().unwrap_or(Value::Bool(true));
            let count = between(least, most, dice);
            (0..count).map(|_| invented(root, &items, dice, depth + 1)).collect::<Option<_>>()?
        }
        "object" => Value::Object(object(root, schema, dice, depth)?),
        _ => json!(text(schema, dice)),
    })
}

fn text(schema: &Map<String, Value>, dice: &mut Dice) -> String {
    match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => "6f1c1a52-7c55-4b0e-9d6d-0a8f0c1d2e3f".to_owned(),
        Some("date-time") => "2026-01-02T03:04:05Z".to_owned(),
        Some("date") => "2026-01-02".to_owned(),
        Some("email") => "a@example.com".to_owned(),
        Some("uri") => "https://example.com/a".to_owned(),
        _ => {
            let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0);
            let least = usize::try_from(least).unwrap();
            "abcdefgh".chars().cycle().take(least + dice.below(5)).collect()
        }
    }
}

/// Required members, and about half of the others.
fn object(root: &Value, schema: &Map<String, Value>, dice: &mut Dice, depth: usize) -> Option<Map<String, Value>> {
    let mut members = Map::new();
    let required = schema.get("required").and_then(Value::as_array);
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let is_required = required.is_some_and(|required| required.iter().any(|required| required == name.as_str()));
        if is_required {
            members.insert(name.clone(), invented(root, property, dice, depth + 1)?);
        } else if dice.below(2) == 0
            && let Some(value) = invented(root, property, dice, depth + 1)
        {
            members.insert(name.clone(), value);
        }
    }
    Some(members)
}
