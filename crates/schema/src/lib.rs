//! JSON Schema over the tape: validation, error messages for models, and completion of arguments.
//!
//! The `jsonschema` crate validates. This crate sets it up, turns its errors into messages for a model, and completes
//! arguments (strict nulls, defaults, clamps). It does not depend on tools or the gate.

mod annotation_plan;
mod args;
mod argument_table;
mod compiled;
mod complete;
mod document;
mod email;
mod error;
mod error_budget;
mod explain;
mod format;
mod invalid_args;
mod issue;
mod member_edits;
pub mod meta_schema;
mod name_index;
mod non_recursive;
mod pattern;
mod pattern_steps;
mod repair;
mod sensitive;
mod sensitive_terms;
mod stack;
mod subschema_validators;
mod tape_json;

pub use args::ArgsSchema;
pub use argument_table::{ArgumentRow, MAX_VALUE_CHARS, is_never_cut_format, is_never_cut_name};
pub use compiled::CompiledSchema;
pub use complete::{Clamp, Clamped, Completed, InvalidValue, NullReading};
pub use document::CompileOptions;
pub use error::SchemaError;
pub use format::{Formats, SUPPORTED_FORMATS, UnknownFormat};
pub use invalid_args::InvalidArgs;
pub use issue::{Issue, MAX_ISSUES};
pub use pattern::{is_linear_pattern, name_pattern_refusal, pattern_refusal};
pub use repair::{RepairRule, RepairRules, RepairSettings, Repaired, RepairedArgs};
pub use sensitive::MASK as SENSITIVE_MASK;
pub use sensitive_terms::SensitiveTerms;
pub use subschema_validators::SubschemaValidators;
