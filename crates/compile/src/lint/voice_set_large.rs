//! `voice-set-large`: more tools in a voice mode than a model handles well.
//!
//! A tool that has the code in its `lintAccepted` is not counted.

use super::LintSettings;
use super::voice_heavy::{VOICE_MODES, declaration_bytes, voice_declarations};
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::text::location::SourceLocation;
use crate::tool_folder::tool_source::ToolSource;

/// OpenAI's guide to function calling asks for fewer than 20 functions at a time, Google's for 10 to 20.
const MAX_TOOLS: usize = 20;
/// Bytes of all declarations as JSON, about 8,000 tokens: half of the limit for a session's instructions and tools
/// together (see `voice-heavy`).
const MAX_BYTES: usize = 32 * 1024;

/// `root` is the name of the tools folder.
pub(crate) fn check(tools: &[&ToolSource], root: &str, settings: &LintSettings, findings: &mut Findings) {
    for mode in VOICE_MODES {
        let accepts = |tool: &ToolSource| tool.accepted_codes().iter().any(|code| code == Code::VoiceSetLarge.as_str());
        let counted: Vec<usize> = tools
            .iter()
            .filter(|tool| tool.allows_mode(mode) && !accepts(tool))
            .filter_map(|tool| voice_declarations(tool, settings).map(declaration_bytes).max())
            .collect();
        let total = counted.iter().sum::<usize>();
        let what = if counted.len() > MAX_TOOLS {
            format!("`{mode}` has {} tools (recommended: at most {MAX_TOOLS})", counted.len())
        } else if total > MAX_BYTES {
            format!("the declarations of `{mode}` have {total} bytes (recommended: at most {MAX_BYTES})")
        } else {
            continue;
        };
        let help = "remove the mode from `allowedModes` of tools that are rarely used by voice, or add `voice-set-large` \
                    to `lintAccepted` of tools that must stay";
        findings.add(Code::VoiceSetLarge, SourceLocation::whole_file(root), what, help);
    }
}
