//! A standalone schema validator, for `js/tool-sets/schema-validator.js`: the gate's validation and completion.

use std::collections::BTreeMap;
use std::sync::Arc;

use napi_derive::napi;
use serde::Deserialize;
use serde_json::{Value, json};

use super::misuse;
use super::options::parse_json;
use crate::json::{Limits, LoneSurrogates, Tape};
use crate::schema::{CompileOptions, CompiledSchema, Formats, InvalidValue};

/// A compiled schema.
#[napi]
pub struct NativeSchemaValidator {
    schema: CompiledSchema,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct ValidatorOptions {
    formats: Option<JsFormats>,
    #[serde(default)]
    remotes: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum JsFormats {
    Preset(FormatPreset),
    Named(Vec<String>),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum FormatPreset {
    All,
    Declared,
}

impl JsFormats {
    fn resolve(&self) -> napi::Result<Formats> {
        match self {
            Self::Preset(FormatPreset::All) => Ok(Formats::Assert),
            Self::Preset(FormatPreset::Declared) => Ok(Formats::AsDeclared),
            Self::Named(names) => Formats::from_names(names.iter().map(String::as_str))
                .map_err(|error| misuse(format!("`formats`: {error}"))),
        }
    }
}

/// The limits of a schema's text: nested at most as deep as `serde_json` parses.
const SCHEMA_LIMITS: Limits = Limits { max_depth: 127, lone_surrogates: LoneSurrogates::Refuse, ..Limits::widest() };

/// The exception for a schema that can't be parsed, with the reason.
fn unreadable_schema(schema: String, error: &serde_json::Error) -> napi::Error {
    let reason = Tape::parse(schema, &SCHEMA_LIMITS).err().map_or_else(|| error.to_string(), |error| error.reason());
    misuse(format!("the schema can't be read: {reason}"))
}

#[napi]
impl NativeSchemaValidator {
    /// Compiles a schema given as JSON text.
    #[napi(constructor, catch_unwind)]
    pub fn new(schema: String, options: String) -> napi::Result<Self> {
        let options: ValidatorOptions = parse_json(&options, "validator options")?;
        let schema: Value = serde_json::from_str(&schema).map_err(|error| unreadable_schema(schema, &error))?;
        let options = CompileOptions {
            formats: options.formats.map_or_else(|| Ok(Formats::supported()), |formats| formats.resolve())?,
            resources: Arc::new(options.remotes),
        };
        let schema =
            CompiledSchema::compile_shared(Arc::new(schema), &options).map_err(|error| misuse(error.to_string()))?;
        Ok(Self { schema })
    }

    /// Validates a value given as JSON text. Returns `{ errors, value }` as JSON text; `value`, with its defaults, only
    /// if it differs from the input. For text that can't be parsed, returns `{ problem, at }` instead.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn validate(&self, value: String) -> String {
        let tape = match Tape::parse(value, &Limits::widest()) {
            Ok(tape) => tape,
            Err(error) => return json!({ "problem": error.reason(), "at": error.pointer }).to_string(),
        };
        let (issues, completed) = match self.schema.fill_and_validate(tape) {
            Ok(completed) => (Vec::new(), completed),
            Err(InvalidValue { issues, completed }) => (issues, completed),
        };
        let errors = serde_json::to_string(&issues).unwrap_or_else(|_| "[]".to_owned());
        if completed.changed {
            return format!("{{\"errors\":{errors},\"value\":{}}}", completed.tape.text());
        }
        format!("{{\"errors\":{errors}}}")
    }
}
