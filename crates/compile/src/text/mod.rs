//! Texts of a tool, and places in them.

pub(crate) mod escape_offsets;
pub(crate) mod js_spans;
pub(crate) mod json_spans;
pub(crate) mod location;
pub(crate) mod markdown;
pub(crate) mod sanitize;
pub(crate) mod source;
pub(crate) mod source_pointer;
pub(crate) mod text_file;
