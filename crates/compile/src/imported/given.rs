//! A definition as it comes: the fields of the forms that tools are written in.
//!
//! | form | name | parameters |
//! |---|---|---|
//! | Toolgate, `OpenAI` Responses, Gemini | `name` | `parameters` |
//! | `OpenAI` Chat Completions | `function.name` | `function.parameters` |
//! | Model Context Protocol | `name` | `inputSchema` |
//! | Anthropic | `name` | `input_schema` |
//! | Gemini with JSON Schema | `name` | `parametersJsonSchema` |

use serde_json::{Map, Value};

use super::findings::Found;
use crate::code::Code;
use crate::source::pointer;
use toolgate_did_you_mean::nearest;

/// One field, with its JSON Pointer in the definition.
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    pub(super) at: String,
    pub(super) value: &'a Value,
}

pub(super) struct Given<'a> {
    members: &'a Map<String, Value>,
    /// `/function` where the definition is wrapped.
    prefix: &'static str,
}

const PARAMETERS: [&str; 4] = ["parameters", "inputSchema", "input_schema", "parametersJsonSchema"];
const RESULTS: [&str; 2] = ["resultSchema", "outputSchema"];
const EXAMPLES: [&str; 2] = ["examples", "input_examples"];
/// Every field that is read.
const KNOWN: [&str; 7] = ["name", "title", "description", "category", "sideEffects", "idempotent", "annotations"];

impl<'a> Given<'a> {
    pub(super) fn new(definition: &'a Map<String, Value>) -> Self {
        match definition.get("function") {
            Some(Value::Object(members)) if !definition.contains_key("name") => Self { members, prefix: "/function" },
            _ => Self { members: definition, prefix: "" },
        }
    }

    /// A field that is there and not null.
    pub(super) fn field(&self, name: &str) -> Option<Field<'a>> {
        let value = self.members.get(name).filter(|value| !value.is_null())?;
        Some(Field { at: self.pointer(name), value })
    }

    pub(super) fn pointer(&self, name: &str) -> String {
        format!("{}{}", self.prefix, pointer(&[name]))
    }

    fn first(&self, names: &[&str]) -> Option<Field<'a>> {
        names.iter().find_map(|name| self.field(name))
    }

    pub(super) fn parameters(&self) -> Option<Field<'a>> {
        self.first(&PARAMETERS)
    }

    pub(super) fn result(&self) -> Option<Field<'a>> {
        self.first(&RESULTS)
    }

    pub(super) fn examples(&self) -> Option<Field<'a>> {
        self.first(&EXAMPLES)
    }

    /// A field that looks like a slip of a known one would be passed over in silence. Others mean something elsewhere.
    pub(super) fn slips(&self, found: &mut Found) {
        let known = || KNOWN.iter().chain(&PARAMETERS).chain(&RESULTS).chain(&EXAMPLES).copied();
        for name in self.members.keys().filter(|name| !known().any(|known| known == name.as_str())) {
            if let Some(meant) = nearest(name, known().filter(|known| !self.members.contains_key(*known))) {
                let message = format!("`{name}` is no field that is read");
                found.warning(Code::UnknownField, self.pointer(name), message, format!("did you mean `{meant}`?"));
            }
        }
    }
}
