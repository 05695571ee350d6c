//! `bad-tool-id`: the id must be the folder's name, and a function name that every provider accepts.
//!
//! The pattern satisfies all providers' rules: OpenAI and Anthropic accept up to 64 letters, digits, `_` and `-`;
//! Gemini requires a letter or `_` first. The id equals the folder's name, so that a reader of a log finds the tool.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(id) = document.string_field("toolId") else { return };
    let at = || document.at_value("/toolId");
    let expected = tool.expected_id();
    if !is_tool_id(&expected) {
        let message = format!("the folder name `{}` is not a valid tool id", tool.folder);
        findings.add(Code::BadToolId, at(), message, format!("rename the folder: {}", rule()));
    } else if id != expected {
        let message = format!("`toolId` is `{id}`, but the folder is `{}`", tool.folder);
        let rename = if is_tool_id(id) { format!(", or rename the folder to `{id}`") } else { String::new() };
        findings.add(Code::BadToolId, at(), message, format!("write `{expected}`{rename}"));
    }
}

fn rule() -> &'static str {
    "a lowercase letter, then at most 63 lowercase letters, digits or `_` (`-` in a folder stands for `_`)"
}

/// `^[a-z][a-z0-9_]{0,63}$`
pub(crate) fn is_tool_id(id: &str) -> bool {
    let word = id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    word && id.len() <= 64 && id.starts_with(|first: char| first.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::is_tool_id;

    #[test]
    fn ids_are_portable_over_providers() {
        let longest = "a".repeat(64);
        for id in ["a", "kb_search", "a1_", longest.as_str()] {
            assert!(is_tool_id(id), "{id}");
        }
        let too_long = "a".repeat(65);
        for id in ["", "_a", "1a", "A", "a-b", "a.b", "é", "a b", too_long.as_str()] {
            assert!(!is_tool_id(id), "{id}");
        }
    }
}
