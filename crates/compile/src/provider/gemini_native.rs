//! Gemini's function declaration with its own `Schema`, a subset of OpenAPI 3.0.
//!
//! Sources: `google.ai.generativelanguage.v1beta.Schema` of the Gemini API and `google.cloud.aiplatform.v1.Schema` of
//! Vertex AI, from their discovery documents. Only fields of both are written. Their int64 fields are strings in JSON.
//! Further refusals of the servers are documented at the code that avoids them. A refusal rejects the whole request,
//! so one bad schema would disable all tools.

mod alternatives;
mod any_of;
mod array;
mod fixed_values;
mod flat_schema;
mod flatten;
mod number;
mod object;
mod single_type;
mod string;
mod type_alternatives;

use serde_json::{Map, Value, json};

use super::extensions::without_extensions;
use super::origin::mark_origins;
use super::root_object::plain_object;
use super::{DeclareFn, Provider, Receipt};
use flat_schema::FlatSchema;
use toolgate_definition::ToolDefinition;

/// Source: the API's error "At most 512 function declarations can be specified".
pub(super) const MAX_TOOLS: usize = 512;

pub(super) const PROVIDER: Provider =
    Provider { name: "geminiNative", max_tools: Some(MAX_TOOLS), declare: DeclareFn::Infallible(declare) };

/// Limits of depth and of subschemas after inlining; the rest of the schema is cut. The servers have an unpublished
/// depth limit of their own ("exceeds the maximum allowed nesting depth").
const MAX_DEPTH: usize = 32;
const MAX_SCHEMAS: usize = 5_000;

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    let schema = mark_origins(&without_extensions(&tool.json_schema));
    let object = plain_object(&schema, receipt);
    let is_open = object.get("additionalProperties") != Some(&Value::Bool(false));
    let mut declaration = Map::new();
    declaration.insert("name".to_owned(), json!(tool.tool_id));
    declaration.insert("description".to_owned(), json!(tool.description));
    let mut lowering = GeminiLowering { root: &schema, receipt, open_refs: Vec::new(), schema_count: 0 };
    let parameters = lowering.lower_type(GeminiType::Object, &FlatSchema::from_members(object), 0);
    // Gemini refuses an object without properties at the root.
    if parameters.contains_key("properties") {
        declaration.insert("parameters".to_owned(), Value::Object(parameters));
    } else if is_open {
        receipt.changed("", "no argument is declared: Gemini refuses an object without properties");
    }
    Value::Object(declaration)
}

/// `Type` of Gemini's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GeminiType {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
    Null,
}

impl GeminiType {
    /// Parses a `type` of JSON Schema.
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

    /// The narrowest type of a value; 1.0 is an integer.
    fn from_value(value: &Value) -> Self {
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

    /// Whether every value of type `other` is of this type.
    fn covers(self, other: Self) -> bool {
        self == other || (self == Self::Number && other == Self::Integer)
    }
}

/// A schema in Gemini's form.
type GeminiSchema = Map<String, Value>;

/// The state of lowering one schema.
struct GeminiLowering<'a> {
    /// The schema that references are relative to.
    root: &'a Value,
    receipt: &'a mut Receipt,
    /// Targets of the references around the current schema, to cut recursion.
    open_refs: Vec<String>,
    /// The number of schemas lowered so far.
    schema_count: usize,
}

impl GeminiLowering<'_> {
    /// Lowers a schema; `None` if no value matches it. `at` is its pointer, unless [`ORIGIN`](super::origin::ORIGIN)
    /// is set in it.
    fn lower_schema(&mut self, schema: &Value, at: &str, depth: usize) -> Option<GeminiSchema> {
        self.lower_schema_with(schema, None, at, depth)
    }

    /// Lowers a schema together with the constraints beside it.
    fn lower_schema_with(
        &mut self,
        schema: &Value,
        beside: Option<&FlatSchema>,
        at: &str,
        depth: usize,
    ) -> Option<GeminiSchema> {
        self.schema_count += 1;
        if depth > MAX_DEPTH || self.schema_count > MAX_SCHEMAS {
            self.receipt.lost(at, "the schema is too deep or too large and is cut here");
            return (*schema != Value::Bool(false)).then(|| outline(schema));
        }
        let opened = self.open_refs.len();
        let lowered = self.flatten(schema, beside, at).and_then(|flat| self.lower_flat(&flat, depth));
        self.open_refs.truncate(opened);
        lowered
    }
}

/// The outline of a schema that is cut: its type, title and description.
fn outline(schema: &Value) -> GeminiSchema {
    let kind = schema.get("type").and_then(Value::as_str).and_then(GeminiType::parse).unwrap_or(GeminiType::Object);
    let mut outline = Map::new();
    outline.insert("type".to_owned(), json!(kind.name()));
    for name in ["title", "description"] {
        if let Some(text @ Value::String(_)) = schema.get(name) {
            outline.insert(name.to_owned(), text.clone());
        }
    }
    if kind == GeminiType::Array {
        outline.insert("items".to_owned(), json!({ "type": GeminiType::String.name() }));
    }
    outline
}
