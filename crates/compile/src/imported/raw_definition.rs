//! An imported definition before conversion: its fields in each supported form.
//!
//! | form | name | parameters |
//! |---|---|---|
//! | Toolgate, `OpenAI` Responses, Gemini (its own `Schema` too) | `name` | `parameters` |
//! | `OpenAI` Chat Completions | `function.name` | `function.parameters` |
//! | Model Context Protocol | `name` | `inputSchema` |
//! | Anthropic | `name` | `input_schema` |
//! | Gemini with JSON Schema | `name` | `parametersJsonSchema` |

use serde_json::{Map, Value};

use super::findings::ToolFindings;
use crate::findings::code::Code;
use crate::text::source::pointer_from_names;
use toolgate_json::suggest;

/// One field, with its JSON Pointer in the definition.
#[derive(Debug, Clone)]
pub(super) struct DefinitionField<'a> {
    pub(super) at: String,
    pub(super) value: &'a Value,
}

pub(super) struct RawDefinition<'a> {
    members: &'a Map<String, Value>,
    /// `/function` if the definition is wrapped.
    prefix: &'static str,
}

const PARAMETER_FIELDS: [&str; 4] = ["parameters", "inputSchema", "input_schema", "parametersJsonSchema"];
const RESULT_FIELDS: [&str; 4] = ["resultSchema", "outputSchema", "response", "responseJsonSchema"];
const EXAMPLE_FIELDS: [&str; 2] = ["examples", "input_examples"];
/// The other fields that are read.
const OTHER_FIELDS: [&str; 7] =
    ["name", "title", "description", "category", "sideEffects", "idempotent", "annotations"];

impl<'a> RawDefinition<'a> {
    pub(super) fn new(definition: &'a Map<String, Value>) -> Self {
        match definition.get("function") {
            Some(Value::Object(members)) if !definition.contains_key("name") => Self { members, prefix: "/function" },
            _ => Self { members: definition, prefix: "" },
        }
    }

    /// A field that is present and not null.
    pub(super) fn field(&self, name: &str) -> Option<DefinitionField<'a>> {
        let value = self.members.get(name).filter(|value| !value.is_null())?;
        Some(DefinitionField { at: self.pointer(name), value })
    }

    pub(super) fn pointer(&self, name: &str) -> String {
        format!("{}{}", self.prefix, pointer_from_names(&[name]))
    }

    fn first_field(&self, names: &[&str]) -> Option<DefinitionField<'a>> {
        names.iter().find_map(|name| self.field(name))
    }

    pub(super) fn parameters(&self) -> Option<DefinitionField<'a>> {
        self.first_field(&PARAMETER_FIELDS)
    }

    pub(super) fn result_schema(&self) -> Option<DefinitionField<'a>> {
        self.first_field(&RESULT_FIELDS)
    }

    pub(super) fn examples(&self) -> Option<DefinitionField<'a>> {
        self.first_field(&EXAMPLE_FIELDS)
    }

    /// Warns of likely misspellings of known fields. Other unknown fields may belong to a provider's form.
    pub(super) fn report_misspelled_fields(&self, found: &mut ToolFindings) {
        let known =
            || OTHER_FIELDS.iter().chain(&PARAMETER_FIELDS).chain(&RESULT_FIELDS).chain(&EXAMPLE_FIELDS).copied();
        for name in self.members.keys().filter(|name| !known().any(|known| known == name.as_str())) {
            if let Some(meant) = suggest(name, known().filter(|known| !self.members.contains_key(*known))) {
                let message = format!("unknown field `{name}`");
                found.warning(Code::UnknownField, self.pointer(name), message, format!("did you mean `{meant}`?"));
            }
        }
    }
}
