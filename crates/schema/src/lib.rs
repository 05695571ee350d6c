//! JSON Schema over the tape: validation, error messages for models, and completion of arguments.
//!
//! The `jsonschema` crate validates. This crate sets it up, turns its errors into messages for a model, and completes
//! arguments (strict nulls, defaults, clamps). It does not depend on tools or the gate.

mod args;
mod error_budget;
mod name_index;
mod compiled;
mod complete;
mod document;
mod member_edits;
mod email;
mod error;
mod explain;
mod format;
mod issue;
pub mod meta_schema;
mod pattern;
mod subschema_validators;
mod annotation_plan;
mod proven;
mod fast_path;
mod tape_json;
mod stack;
mod sensitive;
mod non_recursive;

pub use args::ArgsSchema;
pub use compiled::CompiledSchema;
pub use complete::{Clamp, Clamped, Completed};
pub use document::CompileOptions;
pub use error::SchemaError;
pub use format::{Formats, SUPPORTED_FORMATS, UnknownFormat};
pub use issue::{Issue, MAX_ISSUES};
pub use subschema_validators::SubschemaValidators;
