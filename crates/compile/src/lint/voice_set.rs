//! `voice-set-large`: more tools in a spoken mode than a model handles well.
//!
//! A tool that has the code in its `lintAccepted` is meant to be there and is not counted.

use super::Settings;
use super::voice_heavy::{MODES, bytes, declarations};
use crate::code::Code;
use crate::place::Place;
use crate::report::Findings;
use crate::tool::Tool;

/// OpenAI's guide to function calling asks for fewer than 20 functions at a time, Google's for 10 to 20.
const MAX_TOOLS: usize = 20;
/// Bytes of all declarations as JSON, some 8,000 tokens: half of what a session's instructions and tools may have
/// together (see `voice-heavy`).
const MAX_BYTES: usize = 32 * 1024;

/// `root` is the name of the tools folder.
pub(crate) fn check(tools: &[Tool], root: &str, settings: &Settings, findings: &mut Findings) {
    for mode in MODES {
        let accepts = |tool: &Tool| tool.accepted().iter().any(|code| code == Code::VoiceSetLarge.as_str());
        let counted: Vec<usize> = tools
            .iter()
            .filter(|tool| tool.allows(mode) && !accepts(tool))
            .filter_map(|tool| declarations(tool, settings).map(bytes).max())
            .collect();
        let total = counted.iter().sum::<usize>();
        let what = if counted.len() > MAX_TOOLS {
            format!("`{mode}` has {} tools, {MAX_TOOLS} are fine", counted.len())
        } else if total > MAX_BYTES {
            format!("the declarations of `{mode}` have {total} bytes, {MAX_BYTES} are fine")
        } else {
            continue;
        };
        let help = "take the mode out of `allowedModes` of tools that are rarely spoken to, or put `voice-set-large` into \
                    `lintAccepted` of those that must be there";
        findings.add(Code::VoiceSetLarge, Place::whole(root), what, help);
    }
}
