//! `bad-mode`, `unknown-mode`: `allowedModes` and `clamp` must name existing modes, each once. In an undefined mode a
//! tool is never offered.
//!
//! A host may define its own modes at run time. Therefore only a name that resembles a known mode is an error; any
//! other unknown name is the warning `unknown-mode`.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::quoted_list;
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};
use toolgate_json::suggest;

pub(super) fn check(tool: &ToolSource, settings: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if let Some(Value::Array(modes)) = document.members.get("allowedModes") {
        if modes.is_empty() {
            let at = document.at_value("/allowedModes");
            let help = format!("name at least one mode: {}", known_modes(settings));
            findings.add(Code::BadMode, at, "`allowedModes` is empty, so the tool could never be called", help);
        }
        for (index, mode) in modes.iter().enumerate() {
            let Some(name) = mode.as_str() else { continue };
            let at = format!("/allowedModes/{index}");
            if modes.iter().take(index).any(|before| before == mode) {
                let message = format!("`{name}` is listed twice in `allowedModes`");
                findings.add(Code::BadMode, document.at_value(&at), message, "remove one of them");
            } else {
                check_mode(document, &at, name, settings, findings);
            }
        }
    }
    if let Some(Value::Object(clamp)) = document.members.get("clamp") {
        for mode in clamp.keys() {
            check_mode(document, &format!("/clamp{}", pointer_from_names(&[mode])), mode, settings, findings);
        }
    }
}

fn check_mode(document: &ToolDocument, at: &str, name: &str, settings: &LintSettings, findings: &mut Findings) {
    if settings.modes.iter().any(|mode| mode == name) || name.trim().is_empty() {
        return;
    }
    let at = document.at_key(at);
    let candidate = suggest(name, settings.modes.iter().map(String::as_str));
    if let Some(candidate) = candidate {
        findings.add(Code::BadMode, at, format!("unknown mode `{name}`"), format!("did you mean `{candidate}`?"));
    } else {
        let message = format!("unknown mode `{name}`");
        let help = format!("use one of {}, or declare the host's mode with `--modes`", known_modes(settings));
        findings.add(Code::UnknownMode, at, message, help);
    }
}

fn known_modes(settings: &LintSettings) -> String {
    quoted_list(&settings.modes.iter().map(String::as_str).collect::<Vec<_>>())
}
