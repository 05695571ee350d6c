//! Gemini's function declaration with its own `Schema`, a subset of OpenAPI 3.0.
//!
//! Sources: `google.ai.generativelanguage.v1beta.Schema` of the Gemini API and `google.cloud.aiplatform.v1.Schema` of
//! Vertex AI, from their discovery documents. Only fields that both have are written. Their int64 fields are strings
//! in JSON. What the servers refuse although the type has it stands where it is avoided; a refusal is of the whole
//! request, so one schema would take all tools with it.

mod alternatives;
mod array;
mod flat;
mod flatten;
mod joined;
mod number;
mod object;
mod text;
mod typed;
mod types;
mod values;

use serde_json::{Map, Value, json};

use super::clean::without_extensions;
use super::origin::marked;
use super::root::plain_object;
use super::{Declare, Provider, Receipt};
use flat::Flat;
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider = Provider { name: "geminiNative", declare: Declare::Always(declare) };

/// A schema that is deeper, or has more schemas in it once references are inlined, is cut there. The servers have a
/// limit of their own on depth ("exceeds the maximum allowed nesting depth"), which is published nowhere.
const MAX_DEPTH: usize = 32;
const MAX_SCHEMAS: usize = 5_000;

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    let schema = marked(&without_extensions(&tool.json_schema));
    let object = plain_object(&schema, receipt);
    let mut declaration = Map::new();
    declaration.insert("name".to_owned(), json!(tool.tool_id));
    declaration.insert("description".to_owned(), json!(tool.description));
    let mut lowering = Lowering { root: &schema, receipt, open_refs: Vec::new(), schemas: 0 };
    let parameters = lowering.typed(Type::Object, &Flat::of(object), 0);
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

    /// The narrowest type that has the value; 1.0 is an integer.
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() != 0.0) => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Whether a value of type `other` is one of this.
    fn covers(self, other: Self) -> bool {
        self == other || (self == Self::Number && other == Self::Integer)
    }
}

/// A schema of Gemini's.
type Lowered = Map<String, Value>;

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
    /// Lowers a schema; `None` for one that no value fits. `at` is where it stands, unless it is marked with that.
    fn schema(&mut self, schema: &Value, at: &str, depth: usize) -> Option<Lowered> {
        self.schema_with(schema, None, at, depth)
    }

    /// Lowers a schema together with what is said beside it.
    fn schema_with(&mut self, schema: &Value, beside: Option<&Flat>, at: &str, depth: usize) -> Option<Lowered> {
        self.schemas += 1;
        if depth > MAX_DEPTH || self.schemas > MAX_SCHEMAS {
            self.receipt.lost(at, "the schema is too deep or too large and is cut here");
            return (*schema != Value::Bool(false)).then(|| cut(schema));
        }
        let opened = self.open_refs.len();
        let lowered = self.flatten(schema, beside, at).and_then(|flat| self.flat(&flat, depth));
        self.open_refs.truncate(opened);
        lowered
    }
}

/// What is still said where a schema is cut: its type, and what it is for.
fn cut(schema: &Value) -> Lowered {
    let kind = schema.get("type").and_then(Value::as_str).and_then(Type::parse).unwrap_or(Type::Object);
    let mut outline = Map::new();
    outline.insert("type".to_owned(), json!(kind.name()));
    for name in ["title", "description"] {
        if let Some(text @ Value::String(_)) = schema.get(name) {
            outline.insert(name.to_owned(), text.clone());
        }
    }
    if kind == Type::Array {
        outline.insert("items".to_owned(), json!({ "type": Type::String.name() }));
    }
    outline
}
