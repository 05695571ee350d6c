//! `duplicate-tool-id`: two folders with the same id, such as `kb-search` and `kb_search`. One would hide the other.

use std::collections::HashMap;

use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

/// Reports every tool whose id a previous tool has.
pub(crate) fn check<'a>(tools: impl Iterator<Item = &'a ToolSource>, findings: &mut Findings) {
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for tool in tools {
        let Some(document) = &tool.schema else { continue };
        let Some(id) = document.string_field("toolId") else { continue };
        if let Some(first) = seen.insert(id, &tool.label) {
            let message = format!("`{id}` is also the id of `{first}`");
            findings.add(Code::DuplicateToolId, document.at_value("/toolId"), message, "rename one of the folders");
        }
    }
}
