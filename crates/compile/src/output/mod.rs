//! The build's files, and what they record.

pub(crate) mod build_metadata;
pub(crate) mod handlers_module;
pub(crate) mod output_files;
pub(crate) mod typescript;
pub(crate) mod version;
