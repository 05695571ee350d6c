//! `unknown-format`: a `format` must be one that the gate asserts; any other would be an unchecked promise.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::suggestion;
use crate::schema::dialect::FORMATS;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let Some(format) = schema.get("format").and_then(serde_json::Value::as_str) else { return };
            if !FORMATS.contains(&format) {
                let place = document.at_value(&format!("{}{at}/format", site.pointer));
                findings.add(
                    Code::UnknownFormat,
                    place,
                    format!("unknown format `{format}`"),
                    suggestion(format, FORMATS),
                );
            }
        });
    }
}
