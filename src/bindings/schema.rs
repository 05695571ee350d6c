//! A schema on its own, for `js/schema-validator.js`: the gate's validation and completion without a gate.

use std::collections::BTreeMap;
use std::sync::Arc;

use napi_derive::napi;
use serde::Deserialize;
use serde_json::{Value, json};

use super::misuse;
use super::options::read;
use crate::json::{Limits, LoneSurrogates, Tape};
use crate::schema::{CompileOptions, CompiledSchema, Formats};

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
    Way(Way),
    Named(Vec<String>),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    All,
    Declared,
}

impl JsFormats {
    fn resolve(&self) -> napi::Result<Formats> {
        match self {
            Self::Way(Way::All) => Ok(Formats::Assert),
            Self::Way(Way::Declared) => Ok(Formats::AsDeclared),
            Self::Named(names) => {
                Formats::named(names.iter().map(String::as_str)).map_err(|error| misuse(format!("`formats`: {error}")))
            }
        }
    }
}

/// How deep a schema may be nested: as deep as it is read into a tree.
const SCHEMA_LIMITS: Limits = Limits { max_depth: 127, lone_surrogates: LoneSurrogates::Refuse, ..Limits::widest() };

/// Why a text that is JSON can't be read as a schema, and where.
fn unreadable(schema: String, error: &serde_json::Error) -> napi::Error {
    let reason = Tape::parse(schema, &SCHEMA_LIMITS).err().map_or_else(|| error.to_string(), |error| error.reason());
    misuse(format!("the schema can't be read: {reason}"))
}

#[napi]
impl NativeSchemaValidator {
    /// Compiles a schema given as JSON text.
    #[napi(constructor, catch_unwind)]
    pub fn new(schema: String, options: String) -> napi::Result<Self> {
        let options: ValidatorOptions = read(&options, "validator options")?;
        let schema: Value = serde_json::from_str(&schema).map_err(|error| unreadable(schema, &error))?;
        let options = CompileOptions {
            formats: options.formats.map_or_else(|| Ok(Formats::supported()), |formats| formats.resolve())?,
            resources: Arc::new(options.remotes),
        };
        let schema =
            CompiledSchema::compile_shared(Arc::new(schema), &options).map_err(|error| misuse(error.to_string()))?;
        Ok(Self { schema })
    }

    /// Checks a value given as JSON text. Returns `{ errors, value }` as JSON text; `value`, with its defaults, only where
    /// it differs from what came. A text that can't be read has `problem` and `at` instead.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn validate(&self, value: String) -> String {
        let tape = match Tape::parse(value, &Limits::widest()) {
            Ok(tape) => tape,
            Err(error) => return json!({ "problem": error.reason(), "at": error.pointer }).to_string(),
        };
        let filled = self.schema.fill(tape);
        let errors = self.schema.validate(filled.tape.root()).err().unwrap_or_default();
        let errors = serde_json::to_string(&errors).unwrap_or_else(|_| "[]".to_owned());
        if filled.changed {
            return format!("{{\"errors\":{errors},\"value\":{}}}", filled.tape.text());
        }
        format!("{{\"errors\":{errors}}}")
    }
}
