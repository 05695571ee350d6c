//! The rules of OpenAI's strict schemas, written from the documentation and not from the code.
//!
//! "Structured model outputs", "Supported schemas": supported types and properties; root objects must not be `anyOf` and
//! must be an object; all fields must be required; `additionalProperties: false` must always be set in objects; limits on
//! nesting, size, text and enums; unsupported composition; definitions and recursion. What the guide leaves open is taken
//! as OpenAI's Java SDK checks it: one of `type`, `anyOf` and `$ref` in each schema, `[type, "null"]` as the only list of
//! types, and which keywords may stand beside which.

use serde_json::{Map, Value};

const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

#[derive(Default)]
struct Size {
    properties: usize,
    enums: usize,
    text: usize,
}

struct Rules<'a> {
    definitions: Vec<&'a str>,
    size: Size,
    faults: Vec<String>,
}

/// Everything that OpenAI would refuse about strict parameters.
pub(crate) fn faults(parameters: &Value) -> Vec<String> {
    let definitions = parameters.get("$defs").and_then(Value::as_object);
    let names = definitions.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let mut rules = Rules { definitions: names, size: Size::default(), faults: Vec::new() };
    if parameters.get("type") != Some(&Value::from("object")) {
        rules.fault("", "the root is no object");
    }
    let mut root = parameters.clone();
    root.as_object_mut().unwrap().shift_remove("$defs");
    rules.schema(&root, "", 0);
    for (name, definition) in definitions.into_iter().flatten() {
        rules.size.text += name.chars().count();
        rules.schema(definition, &format!("/$defs/{name}"), 1);
    }
    let Size { properties, enums, text } = rules.size;
    for (count, most, what) in
        [(properties, 5_000, "properties"), (enums, 1_000, "enum values"), (text, 120_000, "text")]
    {
        if count > most {
            rules.fault("", &format!("{count} {what}"));
        }
    }
    rules.faults
}

impl Rules<'_> {
    fn fault(&mut self, at: &str, what: &str) {
        self.faults.push(format!("{at}: {what}"));
    }

    fn only(&mut self, schema: &Map<String, Value>, allowed: &[&str], at: &str) {
        for keyword in schema.keys() {
            if !allowed.contains(&keyword.as_str()) && !["title", "description"].contains(&keyword.as_str()) {
                self.fault(at, &format!("`{keyword}` is not permitted here"));
            }
        }
    }

    fn schema(&mut self, schema: &Value, at: &str, depth: usize) {
        let Value::Object(schema) = schema else { return self.fault(at, "no object schema") };
        if depth > 10 {
            self.fault(at, "more than 10 levels of nesting");
        }
        for name in ["title", "description"] {
            if schema.get(name).is_some_and(|text| !text.is_string()) {
                self.fault(at, &format!("`{name}` is no text"));
            }
        }
        match (schema.get("type"), schema.get("anyOf"), schema.get("$ref")) {
            (Some(kind), None, None) => self.typed(schema, kind, at, depth),
            (None, Some(Value::Array(branches)), None) if !branches.is_empty() => {
                self.only(schema, &["anyOf"], at);
                for (index, branch) in branches.iter().enumerate() {
                    self.schema(branch, &format!("{at}/anyOf/{index}"), depth + 1);
                }
            }
            (None, None, Some(Value::String(target))) => {
                if schema.len() > 1 {
                    self.fault(at, "$ref cannot have keywords");
                }
                let is_known = target == "#"
                    || target.strip_prefix("#/$defs/").is_some_and(|name| self.definitions.contains(&name));
                if !is_known {
                    self.fault(at, &format!("reference to {target}"));
                }
            }
            _ => self.fault(at, "not exactly one of type, anyOf, $ref"),
        }
    }

    fn typed(&mut self, schema: &Map<String, Value>, kind: &Value, at: &str, depth: usize) {
        let name = match kind {
            Value::String(name) => name.as_str(),
            Value::Array(names) => match names.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>()[..] {
                [name, "null"] if name != "null" => name,
                _ => return self.fault(at, &format!("type {kind}")),
            },
            _ => return self.fault(at, &format!("type {kind}")),
        };
        let numbers =
            ["type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
        match name {
            "null" => self.only(schema, &["type"], at),
            "boolean" => self.only(schema, &["type", "enum", "const"], at),
            "string" => self.only(schema, &["type", "enum", "const", "pattern", "format"], at),
            "number" | "integer" => self.only(schema, &numbers, at),
            "array" => {
                self.only(schema, &["type", "items", "minItems", "maxItems"], at);
                match schema.get("items") {
                    Some(items) => self.schema(items, &format!("{at}/items"), depth + 1),
                    None => self.fault(at, "array schema missing items"),
                }
            }
            "object" => self.object(schema, at, depth),
            other => self.fault(at, &format!("type {other}")),
        }
        self.values(schema, name, kind.is_array(), at);
        if schema.get("format").is_some_and(|format| !FORMATS.contains(&format.as_str().unwrap())) {
            self.fault(at, &format!("{} is not a valid format", schema["format"]));
        }
        if schema.get("pattern").is_some_and(|pattern| pattern.as_str().unwrap().contains("(?=")) {
            self.fault(at, "look-around");
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, at: &str, depth: usize) {
        self.only(schema, &["type", "properties", "required", "additionalProperties"], at);
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            self.fault(at, "additionalProperties is required to be supplied and to be false");
        }
        let Some(Value::Object(properties)) = schema.get("properties") else { return self.fault(at, "no properties") };
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let required: Vec<&str> = required.iter().map(|name| name.as_str().unwrap()).collect();
        if required != properties.keys().map(String::as_str).collect::<Vec<_>>() {
            self.fault(at, "required is not every key in properties, in their order");
        }
        for (name, property) in properties {
            self.size.properties += 1;
            self.size.text += name.chars().count();
            self.schema(property, &format!("{at}/properties/{name}"), depth + 1);
        }
    }

    fn values(&mut self, schema: &Map<String, Value>, name: &str, nullable: bool, at: &str) {
        let length = |value: &Value| value.as_str().map_or(value.to_string().len(), |text| text.chars().count());
        let is_right = |value: &Value| match name {
            "string" => value.is_string(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            _ => false,
        };
        if let Some(only) = schema.get("const") {
            self.size.text += length(only);
            if nullable || !is_right(only) {
                self.fault(at, "const does not fit the type");
            }
        }
        let Some(values) = schema.get("enum") else { return };
        let values = values.as_array().unwrap();
        let text: usize = values.iter().map(length).sum();
        self.size.enums += values.len();
        self.size.text += text;
        if values.len() > 250 && text > 15_000 {
            self.fault(at, "one enum is too long");
        }
        let fits = values.iter().all(|value| is_right(value) || (nullable && value.is_null()));
        if values.is_empty() || !fits || nullable != values.contains(&Value::Null) {
            self.fault(at, &format!("enum does not fit the type: {values:?}"));
        }
    }
}
