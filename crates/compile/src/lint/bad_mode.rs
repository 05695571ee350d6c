//! `bad-mode`: `allowedModes` and `clamp` name modes that exist, each once. In a mode that nobody defines a tool would
//! never be seen.
//!
//! A host may define modes of its own, and only at run time. A name that looks like a slip of a known one is
//! therefore an error, any other unknown one the warning `unknown-mode`.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::source::pointer;
use crate::suggest::listed;
use crate::tool::{Document, Tool};
use toolgate_did_you_mean::nearest;

pub(super) fn check(tool: &Tool, settings: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if let Some(Value::Array(modes)) = document.members.get("allowedModes") {
        if modes.is_empty() {
            let at = document.at_value("/allowedModes");
            let help = format!("name at least one mode: {}", known(settings));
            findings.add(Code::BadMode, at, "`allowedModes` is empty, so the tool could never be called", help);
        }
        for (index, mode) in modes.iter().enumerate() {
            let Some(name) = mode.as_str() else { continue };
            let at = format!("/allowedModes/{index}");
            if modes.iter().take(index).any(|before| before == mode) {
                let message = format!("`{name}` stands twice in `allowedModes`");
                findings.add(Code::BadMode, document.at_value(&at), message, "remove one of them");
            } else {
                mode_exists(document, &at, name, settings, findings);
            }
        }
    }
    if let Some(Value::Object(clamp)) = document.members.get("clamp") {
        for mode in clamp.keys() {
            mode_exists(document, &format!("/clamp{}", pointer(&[mode])), mode, settings, findings);
        }
    }
}

fn mode_exists(document: &Document, at: &str, name: &str, settings: &Settings, findings: &mut Findings) {
    if settings.modes.iter().any(|mode| mode == name) || name.trim().is_empty() {
        return;
    }
    let at = document.at_key(at);
    let candidate = nearest(name, settings.modes.iter().map(String::as_str));
    if let Some(candidate) = candidate {
        findings.add(Code::BadMode, at, format!("unknown mode `{name}`"), format!("did you mean `{candidate}`?"));
    } else {
        let message = format!("`{name}` is no mode that the build knows");
        let help = format!("the host must define it; known are {}", known(settings));
        findings.add(Code::UnknownMode, at, message, help);
    }
}

fn known(settings: &Settings) -> String {
    listed(&settings.modes.iter().map(String::as_str).collect::<Vec<_>>())
}
