//! A checker of Gemini's `FunctionDeclaration` and `Schema`, written from the published types and nothing else of ours.
//!
//! Fields and their JSON types are those that both of these have (discovery documents of the two services):
//! `Schema` of `generativelanguage.googleapis.com` v1beta and `GoogleCloudAiplatformV1Schema` of
//! `aiplatform.googleapis.com` v1. Vertex AI's has more (`additionalProperties`, `ref`, `defs`), the other has not.
//! What the servers refuse beyond the types is quoted where it is checked.

use serde_json::{Map, Value, json};

/// The JSON type of a field.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Texts,
    Flag,
    /// A number: `double`.
    Double,
    /// `int64` is a text in the JSON form of protocol buffers.
    Int64,
    Any,
    Schema,
    Schemas,
    Properties,
}

const FIELDS: [(&str, Kind); 22] = [
    ("anyOf", Kind::Schemas),
    ("default", Kind::Any),
    ("description", Kind::Text),
    ("enum", Kind::Texts),
    ("example", Kind::Any),
    ("format", Kind::Text),
    ("items", Kind::Schema),
    ("maxItems", Kind::Int64),
    ("maxLength", Kind::Int64),
    ("maxProperties", Kind::Int64),
    ("maximum", Kind::Double),
    ("minItems", Kind::Int64),
    ("minLength", Kind::Int64),
    ("minProperties", Kind::Int64),
    ("minimum", Kind::Double),
    ("nullable", Kind::Flag),
    ("pattern", Kind::Text),
    ("properties", Kind::Properties),
    ("propertyOrdering", Kind::Texts),
    ("required", Kind::Texts),
    ("title", Kind::Text),
    ("type", Kind::Text),
];

/// The fields that a schema of this type may have, besides those of every type ("SCHEMA FIELDS FOR TYPE ...").
fn fields_of(kind: &str) -> Option<&'static [&'static str]> {
    Some(match kind {
        "STRING" => &["format", "enum", "minLength", "maxLength", "pattern"],
        "NUMBER" | "INTEGER" => &["format", "minimum", "maximum"],
        "ARRAY" => &["items", "minItems", "maxItems"],
        "OBJECT" => &["properties", "required", "propertyOrdering", "minProperties", "maxProperties"],
        "BOOLEAN" | "NULL" => &[],
        _ => return None,
    })
}

/// The fields of a schema of any type.
const ALWAYS: [&str; 6] = ["type", "title", "description", "nullable", "default", "example"];

/// "only 'enum' and 'date-time' are supported for STRING type"; "for NUMBER type: float, double for INTEGER type: int32,
/// int64".
fn formats_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "STRING" => &["enum", "date-time"],
        "NUMBER" => &["float", "double"],
        "INTEGER" => &["int32", "int64"],
        _ => &[],
    }
}

/// Everything about a declaration that a server would refuse.
pub(crate) fn faults(declaration: &Value) -> Vec<String> {
    let mut check = Check::default();
    let Value::Object(members) = declaration else { return vec![format!("no declaration: {declaration}")] };
    for name in members.keys().filter(|name| !["name", "description", "parameters"].contains(&name.as_str())) {
        check.fault("", format!("no field `{name}`"));
    }
    for name in ["name", "description"] {
        if !members.get(name).is_some_and(Value::is_string) {
            check.fault("", format!("`{name}` is no text"));
        }
    }
    if let Some(parameters) = members.get("parameters") {
        // "parameters schema should be of type OBJECT", "parameters.properties: should be non-empty for OBJECT type"
        if parameters["type"] != "OBJECT" || parameters["properties"].as_object().is_none_or(Map::is_empty) {
            check.fault("", "the parameters are no object with properties".to_owned());
        }
        check.schema(parameters, "");
    }
    check.0
}

#[derive(Default)]
struct Check(Vec<String>);

impl Check {
    fn fault(&mut self, at: &str, what: impl std::fmt::Display) {
        self.0.push(format!("{at}: {what}"));
    }

    fn schema(&mut self, schema: &Value, at: &str) {
        let Value::Object(members) = schema else { return self.fault(at, format!("no schema: {schema}")) };
        for (name, value) in members {
            match FIELDS.iter().find(|(field, _)| field == name) {
                Some((_, kind)) => self.field(*kind, value, &format!("{at}/{name}")),
                None => self.fault(at, format!("no field `{name}`")),
            }
        }
        match (members.get("type").and_then(Value::as_str), members.get("anyOf")) {
            (Some(kind), None) => self.typed(kind, members, at),
            // "When using any_of, it must be the only field set."
            (None, Some(_)) if members.len() == 1 => {}
            _ => self.fault(at, format!("neither one type nor `anyOf` alone: {schema}")),
        }
    }

    fn field(&mut self, kind: Kind, value: &Value, at: &str) {
        let fits = match kind {
            Kind::Text => value.is_string(),
            Kind::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            Kind::Flag => value.is_boolean(),
            Kind::Double => value.as_f64().is_some_and(f64::is_finite),
            Kind::Int64 => value.as_str().is_some_and(|text| text.parse::<i64>().is_ok_and(|bound| bound >= 0)),
            Kind::Any => true,
            Kind::Schema => {
                self.schema(value, at);
                true
            }
            Kind::Schemas => {
                for (index, branch) in value.as_array().into_iter().flatten().enumerate() {
                    self.schema(branch, &format!("{at}/{index}"));
                }
                value.as_array().is_some_and(|branches| !branches.is_empty())
            }
            Kind::Properties => {
                for (name, property) in value.as_object().into_iter().flatten() {
                    self.schema(property, &format!("{at}/{name}"));
                }
                value.is_object()
            }
        };
        if !fits {
            self.fault(at, format!("of another type: {value}"));
        }
    }

    fn typed(&mut self, kind: &str, members: &Map<String, Value>, at: &str) {
        let Some(own) = fields_of(kind) else { return self.fault(at, format!("no type `{kind}`")) };
        for name in members.keys().filter(|name| !ALWAYS.contains(&name.as_str()) && !own.contains(&name.as_str())) {
            // "enum: only allowed for STRING type" is one of these.
            self.fault(at, format!("`{name}` is no field of {kind}"));
        }
        if let Some(format) = members.get("format").and_then(Value::as_str)
            && !formats_of(kind).contains(&format)
        {
            self.fault(at, format!("no format `{format}` for {kind}"));
        }
        if let Some(values) = members.get("enum").and_then(Value::as_array)
            // "enum[0]: cannot be empty"
            && (values.is_empty() || values.iter().any(|value| value == ""))
        {
            self.fault(at, "an empty value in `enum`, or none at all".to_owned());
        }
        // "items: missing field"
        if kind == "ARRAY" && !members.contains_key("items") {
            self.fault(at, "an array without items".to_owned());
        }
        let names: Vec<&String> =
            members.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).collect();
        for name in members.get("required").and_then(Value::as_array).into_iter().flatten() {
            // "required[0]: property is not defined"
            if !names.iter().any(|known| *name == known.as_str()) {
                self.fault(at, format!("{name} is required and no property"));
            }
        }
        if members.get("properties").is_some() && members.get("propertyOrdering") != Some(&json!(names)) {
            self.fault(at, "`propertyOrdering` does not name the properties".to_owned());
        }
    }
}

/// A checker that finds nothing proves nothing: each of these is refused.
#[test]
fn what_a_server_refuses_is_seen() {
    let declaration = |schema: Value| {
        json!({ "name": "tool", "description": "", "parameters": {
            "type": "OBJECT", "properties": { "value": schema }, "propertyOrdering": ["value"],
        } })
    };
    let good = [
        json!({ "type": "STRING", "enum": ["a"], "nullable": true, "minLength": "1" }),
        json!({ "anyOf": [{ "type": "NUMBER", "minimum": 0.5 }, { "type": "NULL" }] }),
        json!({ "type": "ARRAY", "items": { "type": "INTEGER", "format": "int64" } }),
    ];
    for schema in good {
        assert_eq!(faults(&declaration(schema)), [""; 0]);
    }
    let bad = [
        json!({}),
        json!(true),
        json!({ "type": "string" }),
        json!({ "type": ["STRING", "NULL"] }),
        json!({ "type": "STRING", "const": "a" }),
        json!({ "type": "STRING", "minLength": 1 }),
        json!({ "type": "STRING", "minLength": "-1" }),
        json!({ "type": "STRING", "enum": [""] }),
        json!({ "type": "STRING", "enum": [] }),
        json!({ "type": "STRING", "format": "email" }),
        json!({ "type": "INTEGER", "enum": ["1"] }),
        json!({ "type": "INTEGER", "minimum": "1" }),
        json!({ "type": "ARRAY" }),
        json!({ "type": "ARRAY", "items": {} }),
        json!({ "type": "OBJECT", "additionalProperties": false }),
        json!({ "type": "OBJECT", "required": ["a"] }),
        json!({ "type": "OBJECT", "properties": { "a": { "type": "NULL" } } }),
        json!({ "anyOf": [{ "type": "STRING" }], "nullable": true }),
        json!({ "anyOf": [{ "type": "STRING" }], "type": "STRING" }),
        json!({ "anyOf": [] }),
        json!({ "type": "STRING", "title": 1 }),
    ];
    for schema in bad {
        assert_ne!(faults(&declaration(schema.clone())), [""; 0], "{schema}");
    }
    assert_ne!(faults(&json!({ "name": "a", "description": "", "parameters": { "type": "OBJECT" } })), [""; 0]);
    assert_ne!(faults(&json!({ "name": "a", "parametersJsonSchema": {} })), [""; 0]);
}
