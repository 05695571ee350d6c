//! `tool-set-large`: more tools in a mode than a provider in use takes in one request, which it would refuse as a whole.
//!
//! A tool that has the code in its `lintAccepted` is not counted.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::provider::tool_limits;
use crate::text::location::SourceLocation;
use crate::tool_folder::tool_source::ToolSource;

/// `root` is the name of the tools folder.
pub(crate) fn check(tools: &[&ToolSource], root: &str, settings: &LintSettings, findings: &mut Findings) {
    let is_accepted = |tool: &ToolSource| tool.accepted_codes().iter().any(|code| code == Code::ToolSetLarge.as_str());
    let counted: Vec<&ToolSource> = tools.iter().copied().filter(|tool| !is_accepted(tool)).collect();
    for mode in &settings.modes {
        let exceeded: Vec<String> = tool_limits()
            .filter(|(target, _)| settings.in_use.contains(target))
            .filter_map(|(target, limit)| {
                let count = counted.iter().filter(|tool| tool.allows_mode(mode) && is_declared(tool, target)).count();
                (count > limit).then(|| format!("`{target}` takes at most {limit} in one request, not {count}"))
            })
            .collect();
        if !exceeded.is_empty() {
            let message = format!("`{mode}` has too many tools: {}", exceeded.join("; "));
            let help = "create its sessions with `toolSearch: 'gate'`, which declares a search for tools instead of all of them, \
                        and add `tool-set-large` to `lintAccepted` of a tool; or remove the mode from `allowedModes` of tools";
            findings.add(Code::ToolSetLarge, SourceLocation::whole_file(root), message, help);
        }
    }
}

fn is_declared(tool: &ToolSource, target: &str) -> bool {
    tool.declared.as_ref().is_some_and(|declared| declared.provider_schemas.contains_key(target))
}
