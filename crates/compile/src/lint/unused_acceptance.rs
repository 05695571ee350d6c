//! `lint-unused`: an entry of `lintAccepted` that acknowledges nothing: a slip, or left over from a finding that is
//! gone and would hide the next one.

use serde_json::Value;

use crate::code::{Code, Severity};
use crate::report::Findings;
use crate::suggest::listed;
use crate::tool::Tool;
use toolgate_did_you_mean::nearest;

/// Needs everything that was found in the tool.
pub(crate) fn check(tool: &Tool, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let entries = document.members.get("lintAccepted").and_then(Value::as_array);
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        let Some(name) = entry.as_str() else { continue };
        let (message, help) = match Code::parse(name) {
            None => (format!("no finding has the name `{name}`"), instead_of(name)),
            Some(code) if code.severity() == Severity::Error => {
                (format!("`{name}` is an error and can't be acknowledged"), "correct what it is about".to_owned())
            }
            Some(code) if findings.has(code) || !is_judged(code, tool) => continue,
            Some(_) => (format!("nothing here gives `{name}`"), "remove it".to_owned()),
        };
        findings.add(Code::LintUnused, document.at_value(&format!("/lintAccepted/{index}")), message, help);
    }
}

/// Whether the absence of a finding says something: the set's are not found here, and some need a tool without errors.
fn is_judged(code: Code, tool: &Tool) -> bool {
    match code {
        Code::VoiceSetLarge | Code::LintUnused => false,
        Code::LoweringLost | Code::LoweringUnused | Code::VoiceHeavy => tool.declared.is_some(),
        _ => true,
    }
}

fn instead_of(name: &str) -> String {
    let warnings = Code::ALL.iter().filter(|code| code.severity() == Severity::Warning).map(|code| code.as_str());
    let warnings: Vec<&str> = warnings.collect();
    nearest(name, warnings.iter().copied())
        .map_or_else(|| format!("warnings are {}", listed(&warnings)), |code| format!("did you mean `{code}`?"))
}
