//! What a model that is held to a strict schema sends: every property, and `null` for what it would rather leave out.

use serde_json::{Map, Value};
use toolgate::json::{Limits, Tape};
use toolgate::schema::ArgsSchema;

/// The arguments as the model has to write them, or `None` if it can't say them.
pub(crate) fn sent(parameters: &Value, args: &Value) -> Option<Value> {
    Model { root: parameters }.say(parameters, args)
}

/// What the gate makes of arguments, and whether they are valid then.
pub(crate) fn completed(schema: &ArgsSchema, args: &Value) -> (Value, bool) {
    let tape = Tape::parse(args.to_string(), &Limits::widest()).unwrap();
    let done = schema.complete(tape, &[]);
    (done.tape.root().to_value(), schema.validate(&done.tape).is_ok())
}

/// The value without members that are `null`, at any depth.
pub(crate) fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, member)| !member.is_null());
            Value::Object(kept.map(|(name, member)| (name.clone(), without_nulls(member))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        scalar => scalar.clone(),
    }
}

struct Model<'a> {
    root: &'a Value,
}

impl Model<'_> {
    fn say(&self, schema: &Value, value: &Value) -> Option<Value> {
        if let Some(Value::String(reference)) = schema.get("$ref") {
            return self.say(self.root.pointer(reference.strip_prefix('#')?)?, value);
        }
        if let Some(Value::Array(branches)) = schema.get("anyOf") {
            return branches.iter().find_map(|branch| self.say(branch, value));
        }
        let kinds = match &schema["type"] {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            name => vec![name.as_str()?],
        };
        let is_listed = schema.get("enum").is_none_or(|values| values.as_array().unwrap().contains(value));
        let is_only = schema.get("const").is_none_or(|only| only == value);
        if !kinds.iter().any(|kind| is_of(kind, value)) || !is_listed || !is_only {
            return None;
        }
        match value {
            Value::Object(members) => self.object(schema, members),
            Value::Array(items) => {
                let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
                let items: Vec<Value> =
                    items.iter().map(|item| self.say(&schema["items"], item)).collect::<Option<_>>()?;
                (items.len() as u64 <= most).then_some(Value::Array(items))
            }
            scalar => Some(scalar.clone()),
        }
    }

    fn object(&self, schema: &Value, members: &Map<String, Value>) -> Option<Value> {
        let properties = schema["properties"].as_object().unwrap();
        if members.keys().any(|name| !properties.contains_key(name)) {
            return None;
        }
        let said = properties.iter().map(|(name, property)| {
            let value = members.get(name).unwrap_or(&Value::Null);
            Some((name.clone(), self.say(property, value)?))
        });
        said.collect::<Option<Map<_, _>>>().map(Value::Object)
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    }
}
