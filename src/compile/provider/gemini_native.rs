//! Gemini's function declaration with its own `Schema`, a subset of OpenAPI 3.0.
//!
//! Source: `Schema` of the Gemini API and of Vertex AI, taken where both agree. Its int64 fields are strings in JSON.
//! For strings the Gemini API refuses every `format` but `date-time` and `enum`, and an empty text in `enum`.

mod flatten;
mod typed;
mod union;

use serde_json::{Map, Value, json};

use super::clean::without_extensions;
use super::root::plain_object;
use super::{Declare, Provider, Receipt};
use crate::definition::ToolDefinition;

pub(super) const PROVIDER: Provider = Provider { name: "geminiNative", declare: Declare::Always(declare) };

/// A schema that is deeper, or has more schemas in it once references are inlined, is cut there.
const MAX_DEPTH: usize = 32;
const MAX_SCHEMAS: usize = 5_000;

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    let schema = without_extensions(&tool.json_schema);
    let object = plain_object(&schema, receipt);
    let mut declaration = Map::new();
    declaration.insert("name".to_owned(), json!(tool.tool_id));
    declaration.insert("description".to_owned(), json!(tool.description));
    let mut lowering = Lowering { root: &schema, receipt, open_refs: Vec::new(), schemas: 0 };
    let parameters = lowering.typed(Type::Object, &object, "", 0);
    // Gemini refuses an object without properties at the top.
    if parameters.contains_key("properties") {
        declaration.insert("parameters".to_owned(), Value::Object(parameters));
    }
    Value::Object(declaration)
}

/// `Type` of Gemini's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
    Null,
}

impl Type {
    /// The `type` of JSON Schema.
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "number" => Self::Number,
            "integer" => Self::Integer,
            "boolean" => Self::Boolean,
            "array" => Self::Array,
            "object" => Self::Object,
            "null" => Self::Null,
            _ => return None,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Self::String => "STRING",
            Self::Number => "NUMBER",
            Self::Integer => "INTEGER",
            Self::Boolean => "BOOLEAN",
            Self::Array => "ARRAY",
            Self::Object => "OBJECT",
            Self::Null => "NULL",
        }
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

/// One lowering on its way down.
struct Lowering<'a> {
    /// What references count from.
    root: &'a Value,
    receipt: &'a mut Receipt,
    /// Targets of the references that the current schema stands in, to cut recursion.
    open_refs: Vec<String>,
    /// How many schemas were made so far.
    schemas: usize,
}

impl Lowering<'_> {
    /// Lowers the schema that stands at `at`; `None` for one that no value fits.
    fn schema(&mut self, schema: &Value, at: &str, depth: usize) -> Option<Map<String, Value>> {
        self.schemas += 1;
        let members = match schema {
            Value::Bool(false) => return None,
            Value::Object(members) => members.clone(),
            _ => Map::new(),
        };
        if depth > MAX_DEPTH || self.schemas > MAX_SCHEMAS {
            self.receipt.lost(at, "the schema is too deep or too large and is cut here");
            return Some(cut(&members));
        }
        let opened = self.open_refs.len();
        let flat = self.flatten(members, at);
        let lowered = self.flat(&flat, at, depth);
        self.open_refs.truncate(opened);
        lowered
    }
}

/// What is still said where a schema is cut: its type.
fn cut(members: &Map<String, Value>) -> Map<String, Value> {
    let kind = members.get("type").and_then(Value::as_str).and_then(Type::parse).unwrap_or(Type::Object);
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!(kind.name()));
    if kind == Type::Array {
        schema.insert("items".to_owned(), json!({ "type": Type::String.name() }));
    }
    schema
}
