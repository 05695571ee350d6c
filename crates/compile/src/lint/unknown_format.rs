//! `unknown-format`: formats are asserted here, so one that nobody checks would promise what does not hold.

use super::Settings;
use crate::code::Code;
use crate::dialect::FORMATS;
use crate::report::Findings;
use crate::suggest::suggestion;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
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
