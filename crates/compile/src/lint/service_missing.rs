//! `service-missing`: a service that a tool requires should be one that the project's configuration names. Without it
//! the tool is hidden from models.
//!
//! Checked only if the configuration lists services; a host may register others.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, settings: &LintSettings, findings: &mut Findings) {
    let (Some(document), Some(known)) = (&tool.schema, &settings.services) else { return };
    let Some(required) = document.members.get("requires").and_then(Value::as_array) else { return };
    for (index, service) in required.iter().enumerate().filter_map(|(index, name)| Some((index, name.as_str()?))) {
        if !known.iter().any(|name| name == service) {
            let message = format!("the configuration names no service `{service}`");
            let names: Vec<&str> = known.iter().map(String::as_str).collect();
            let help = format!(
                "{} (services are named in `toolgate.services` in package.json)",
                suggest::suggestion(service, &names)
            );
            findings.add(Code::ServiceMissing, document.at_value(&format!("/requires/{index}")), message, help);
        }
    }
}
