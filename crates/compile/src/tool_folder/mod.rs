//! One tool as its folder has it: files, guide, modules, and the definition that they make.

pub(crate) mod authored;
pub(crate) mod guide;
pub(crate) mod installed_package;
pub(crate) mod module_graph;
pub(crate) mod schema_module;
pub(crate) mod tool_definition;
pub(crate) mod tool_reader;
pub(crate) mod tool_source;
