//! JSON Schema as tools write it: keywords, references, the schema of a parameter.

mod closed_root;
pub(crate) mod dialect;
pub(crate) mod normal_schemas;
pub(crate) mod object_root;
pub(crate) mod parameter_lookup;
pub(crate) mod reference_encoding;
pub(crate) mod refs;

pub(crate) use closed_root::is_closed;
