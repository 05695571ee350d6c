//! Generates schemas, and values that nearly match them, from random numbers: proptest shrinks the numbers if
//! a test fails.

use serde_json::{Map, Value, json};

pub(super) struct SchemaGenerator<'n>(pub(super) std::slice::Iter<'n, u16>);

const NAMES: [&str; 5] = ["a", "b", "c", "d\"\u{e9}", "e"];
const KEY_TEXTS: [&str; 8] =
    ["\"a\"", "\"b\"", "\"c\"", "\"d\\\"\u{e9}\"", "\"d\\u0022\\u00e9\"", "\"e\"", "\"\\u0061\"", "\"z\""];
const PATTERNS: [&str; 4] = ["^a", "^[a-z]{1,3}$", "b|\\d", "^(a|bc)$"];
const FORMATS: [&str; 6] = ["email", "date", "date-time", "uri", "phone", "regex"];
const TEXTS: [&str; 14] = [
    "\"\"",
    "\"a\"",
    "\"\\u0061\"",
    "\"ab\"",
    "\"abc\"",
    "\"bc\"",
    "\"abcdef\"",
    "\"\u{1f600}\"",
    "\"\\ud83d\\ude00\"",
    "\"\u{fc}\u{20ac}\"",
    "\"a@b.co\"",
    "\"2026-01-02\"",
    "\"2026-01-02T03:04:05Z\"",
    "\"http://a.b/c\"",
];
const NUMBERS: [&str; 22] = [
    "0",
    "-0",
    "-0.0",
    "1",
    "1.0",
    "1e0",
    "10e-1",
    "2",
    "2.5",
    "5",
    "-1",
    "0.5",
    "1.5",
    "3",
    "1e-400",
    "123456789012345",
    "1234567890123456",
    "9007199254740992",
    "9007199254740993",
    "9007199254740993.0",
    "18446744073709551616",
    "1e300",
];
const LIMITS: [&str; 10] = ["0", "1", "2", "5", "-1", "0.5", "1.5", "2.0", "9007199254740992", "1e300"];

impl SchemaGenerator<'_> {
    /// A number below `sides`; 0 if no numbers are left.
    pub(super) fn below(&mut self, sides: usize) -> usize {
        self.0.next().map_or(0, |thrown| usize::from(*thrown) % sides)
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.below(sides) == sides - 1
    }

    pub(super) fn choose<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn choose_json(&mut self, all: &[&str]) -> Value {
        serde_json::from_str(self.choose(all)).unwrap()
    }

    /// A document, usually of an object.
    pub(super) fn document(&mut self) -> Value {
        let mut root = if self.one_in(5) { self.schema(3) } else { self.object(3) };
        if let Some(root) = root.as_object_mut() {
            root.insert("$defs".to_owned(), json!({ "s": self.schema(1), "o": self.object(2) }));
            if self.one_in(4) {
                root.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
            }
        }
        root
    }

    pub(super) fn schema(&mut self, depth: usize) -> Value {
        let leaves = 7;
        let mut schema = match self.below(if depth == 0 { leaves } else { leaves + 7 }) {
            0 => self.string(),
            1 => self.number("integer"),
            2 => self.number("number"),
            3 => json!({ "enum": [self.scalar(), self.scalar(), self.scalar()] }),
            4 => json!({ "const": self.scalar() }),
            5 => self.types(),
            6 => self.choose(&[true, true, false]).into(),
            7 | 8 => self.object(depth - 1),
            9 => self.array(depth - 1),
            10 => json!({ "anyOf": [self.schema(depth - 1), { "type": "null" }] }),
            11 => json!({ "anyOf": [self.schema(depth - 1), self.object(depth - 1)] }),
            12 => self.all_of(depth - 1),
            _ => json!({ "$ref": self.choose(&["#/$defs/s", "#/$defs/o", "#"]) }),
        };
        if let Some(keywords) = schema.as_object_mut() {
            if self.one_in(3) {
                keywords.insert("default".to_owned(), self.default());
            }
            if self.one_in(6) {
                keywords.insert("description".to_owned(), "d".into());
            }
        }
        schema
    }

    fn string(&mut self) -> Value {
        let mut schema = json!({ "type": "string" });
        match self.below(6) {
            0 => schema["minLength"] = self.below(4).into(),
            1 => schema["maxLength"] = self.below(5).into(),
            2 => schema["pattern"] = self.choose(&PATTERNS).into(),
            3 => schema["format"] = self.choose(&FORMATS).into(),
            _ => {}
        }
        schema
    }

    fn number(&mut self, name: &str) -> Value {
        let mut schema = json!({ "type": name });
        let bound = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
        for _ in 0..self.below(3) {
            schema[self.choose(&bound)] = self.choose_json(&LIMITS);
        }
        if self.one_in(4) {
            schema["multipleOf"] = self.choose_json(&["1", "2", "3", "0.5"]);
        }
        schema
    }

    fn types(&mut self) -> Value {
        let names = ["string", "null", "integer", "number", "boolean", "object", "array"];
        let (one, other) = (self.choose(&names), self.choose(&names));
        if one == other { json!({ "type": one }) } else { json!({ "type": [one, other] }) }
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut properties = Map::new();
        for name in NAMES {
            if self.one_in(2) {
                properties.insert(name.to_owned(), self.schema(depth));
            }
        }
        let required: Vec<&str> = NAMES.into_iter().filter(|_| self.one_in(4)).collect();
        let mut schema = json!({ "type": "object", "properties": properties, "required": required });
        match self.below(6) {
            0 | 1 => schema["additionalProperties"] = false.into(),
            2 => schema["additionalProperties"] = self.schema(0),
            3 => schema["maxProperties"] = (2 + self.below(3)).into(),
            4 => schema["minProperties"] = self.below(3).into(),
            _ => {}
        }
        schema
    }

    fn array(&mut self, depth: usize) -> Value {
        let mut schema = json!({ "type": "array", "items": self.schema(depth) });
        match self.below(6) {
            0 => schema["minItems"] = self.below(3).into(),
            1 => schema["maxItems"] = self.below(4).into(),
            2 => schema["uniqueItems"] = true.into(),
            3 => schema["prefixItems"] = json!([self.schema(0), self.schema(depth)]),
            _ => {}
        }
        schema
    }

    fn all_of(&mut self, depth: usize) -> Value {
        let mut joined = json!({ "allOf": [self.schema(depth)] });
        if self.one_in(2) {
            joined = json!({ "allOf": [self.object(depth), self.schema(0)] });
        }
        if self.one_in(2) {
            joined["properties"] = json!({ "a": self.schema(0) });
        }
        joined
    }

    fn scalar(&mut self) -> Value {
        match self.below(4) {
            0 => self.choose_json(&TEXTS),
            1 | 2 => self.choose_json(&NUMBERS),
            _ => self.choose(&[Value::Null, true.into()].each_ref()).clone(),
        }
    }

    fn default(&mut self) -> Value {
        match self.below(6) {
            0 => json!([]),
            1 => json!([self.scalar(), { "a": 1 }]),
            2 => json!({}),
            _ => self.scalar(),
        }
    }

    /// A value as JSON text that nearly matches a schema of `root`.
    pub(super) fn value(&mut self, schema: &Value, root: &Value, depth: usize) -> String {
        if depth == 0 || self.one_in(24) {
            return self.anything();
        }
        let target = |reference: &Value| root.pointer(reference.as_str().unwrap().trim_start_matches('#')).unwrap();
        if let Some(reference) = schema.get("$ref") {
            return self.value(target(reference), root, depth - 1);
        }
        for list in ["anyOf", "allOf"] {
            if let Some(all) = schema.get(list).and_then(Value::as_array) {
                let chosen = self.below(all.len());
                return self.value(&all[chosen], root, depth - 1);
            }
        }
        if let Some(all) = schema.get("enum").and_then(Value::as_array) {
            return all[self.below(all.len())].to_string();
        }
        if let Some(one) = schema.get("const") {
            return one.to_string();
        }
        let names = schema.get("type").map(|names| names.as_array().cloned().unwrap_or_else(|| vec![names.clone()]));
        let names = names.unwrap_or_else(|| vec!["object".into()]);
        let name = names[self.below(names.len())].clone();
        match name.as_str().unwrap() {
            "string" => self.choose(&TEXTS).to_owned(),
            "integer" | "number" => self.choose(&NUMBERS).to_owned(),
            "null" => "null".to_owned(),
            "boolean" => "true".to_owned(),
            "array" => {
                let items = schema.get("items").unwrap_or(&Value::Null);
                let elements: Vec<String> = (0..self.below(4)).map(|_| self.value(items, root, depth - 1)).collect();
                format!("[{}]", elements.join(","))
            }
            _ => self.members(schema, root, depth),
        }
    }

    fn members(&mut self, schema: &Value, root: &Value, depth: usize) -> String {
        let mut members = Vec::new();
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if self.one_in(3) {
                continue;
            }
            let value = if self.one_in(12) { "null".to_owned() } else { self.value(schema, root, depth - 1) };
            members.push(format!("{}:{value}", json!(name)));
        }
        if self.one_in(8) {
            members.push(format!("{}:{}", self.choose(&KEY_TEXTS), self.anything()));
        }
        if self.one_in(2) {
            members.reverse();
        }
        format!("{{{} }}", members.join(" ,"))
    }

    fn anything(&mut self) -> String {
        match self.below(6) {
            0 => "null".to_owned(),
            1 => self.choose(&TEXTS).to_owned(),
            2 => self.choose(&NUMBERS).to_owned(),
            3 => "[]".to_owned(),
            4 => format!("{{{}:{}}}", self.choose(&KEY_TEXTS), self.choose(&NUMBERS)),
            _ => "false".to_owned(),
        }
    }
}
