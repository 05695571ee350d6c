//! Schemas at work: is a value valid, what is wrong with it, and what do the arguments look like when they are complete.
//!
//! Validation itself is the `jsonschema` crate's, over the tape. What lives here is how it is set up, how its errors are
//! told to a model, and the completion of arguments (strict nulls, defaults, clamps). Nothing here knows tools or the gate.

mod args;
mod budget;
mod by_name;
mod compiled;
mod complete;
mod document;
mod edit;
mod email;
mod error;
mod explain;
mod format;
mod issue;
pub mod meta;
mod pattern;
mod places;
mod plan;
mod proven;
mod quick;
mod representation;
mod room;
mod sensitive;
mod shallow;

pub use args::ArgsSchema;
pub use compiled::CompiledSchema;
pub use complete::{Clamp, Clamped, Completed};
pub use document::CompileOptions;
pub use error::SchemaError;
pub use format::{Formats, SUPPORTED_FORMATS, UnknownFormat};
pub use issue::{Issue, MAX_ISSUES};
pub use places::Places;
