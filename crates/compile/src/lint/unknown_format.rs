//! `unknown-format`: a `format` must be one that the gate asserts; any other would be an unchecked promise. OpenAPI's
//! formats of a number promise nothing: they say how it is encoded.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::suggestion;
use crate::schema::dialect::FORMATS;
use crate::tool_folder::tool_source::ToolSource;

/// How `OpenAPI` encodes a number.
const ENCODINGS: [&str; 4] = ["int32", "int64", "float", "double"];

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let Some(format) = schema.get("format").and_then(Value::as_str) else { return };
            if !FORMATS.contains(&format) && !is_encoding(schema, format) {
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

/// Whether a `format` says only how a number is encoded, which no value breaks.
fn is_encoding(schema: &Value, format: &str) -> bool {
    let is_text = schema.get("type").is_some_and(|kind| kind == "string");
    ENCODINGS.contains(&format) && !is_text
}
