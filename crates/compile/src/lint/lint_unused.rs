//! `lint-unused`: an entry of `lintAccepted` without a matching finding: a misspelling, or obsolete, so that it would
//! hide the next finding.

use serde_json::Value;

use crate::findings::code::{Code, Severity};
use crate::findings::report::Findings;
use crate::findings::suggest::quoted_list;
use crate::tool_folder::tool_source::ToolSource;
use toolgate_json::suggest;

/// Runs last: needs all findings of the tool.
pub(crate) fn check(tool: &ToolSource, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let entries = document.members.get("lintAccepted").and_then(Value::as_array);
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        let Some(name) = entry.as_str() else { continue };
        let (message, help) = match Code::parse(name) {
            None => (format!("unknown finding `{name}`"), suggest_code(name)),
            Some(code) if code.severity() == Severity::Error => {
                (format!("`{name}` is an error and can't be acknowledged"), "correct the error".to_owned())
            }
            Some(code) if findings.has_code(code) || !is_decidable(code, tool) => continue,
            Some(_) => (format!("the tool has no finding `{name}`"), "remove it".to_owned()),
        };
        findings.add(Code::LintUnused, document.at_value(&format!("/lintAccepted/{index}")), message, help);
    }
}

/// Whether the absence of a finding is conclusive. Findings about the tool set are not available here, and findings
/// about declarations only if the tool has no errors.
fn is_decidable(code: Code, tool: &ToolSource) -> bool {
    match code {
        Code::ToolSetLarge | Code::VoiceSetLarge | Code::LintUnused => false,
        Code::LoweringLost | Code::LoweringUnused | Code::VoiceHeavy => tool.declared.is_some(),
        _ => true,
    }
}

fn suggest_code(name: &str) -> String {
    let warnings = Code::ALL.iter().filter(|code| code.severity() == Severity::Warning).map(|code| code.as_str());
    let warnings: Vec<&str> = warnings.collect();
    suggest(name, warnings.iter().copied())
        .map_or_else(|| format!("use one of {}", quoted_list(&warnings)), |code| format!("did you mean `{code}`?"))
}
