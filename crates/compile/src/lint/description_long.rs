//! `description-long`: a description or title that OpenAI refuses.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::provider::selection::family;
use crate::tool_folder::tool_source::{PARAMETERS_POINTER, ToolSource};

/// Characters. Source: the API's error "string too long. Expected a string with maximum length 1024" for descriptions of tools.
const MAX_CHARACTERS: usize = 1024;
const FAMILY: &str = "openai";

pub(super) fn check(tool: &ToolSource, settings: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if !crate::provider::provider_names().any(|target| family(target) == FAMILY && settings.in_use.contains(target)) {
        return;
    }
    let mut report = |pointer: &str, text: Option<&str>| {
        let length = text.map_or(0, |text| text.chars().count());
        if length > MAX_CHARACTERS {
            let name = pointer.rsplit('/').next().unwrap_or_default();
            let message = format!("OpenAI takes a `{name}` of at most {MAX_CHARACTERS} characters, not {length}");
            let help = "move the details into the guide, which the model reads on demand, or add `description-long` to `lintAccepted`";
            findings.add(Code::DescriptionLong, document.at_value(pointer), message, help);
        }
    };
    report("/description", document.string_field("description"));
    let Some(site) = document.parameters() else { return };
    site.walk(&mut |at, schema| {
        for keyword in ["description", "title"] {
            report(
                &format!("{PARAMETERS_POINTER}{at}/{keyword}"),
                schema.get(keyword).and_then(serde_json::Value::as_str),
            );
        }
    });
}
