//! `bad-default`: a `default` must be valid in its schema. The gate skips an invalid default, so the handler would
//! never get it.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let Some(default) = schema.get("default") else { return };
            if let Some(reason) = site.rejection_reason(at, default) {
                let place = document.at_value(&format!("{}{at}/default", site.pointer));
                let help = "change the default, or the schema around it";
                findings.add(Code::BadDefault, place, format!("the default is rejected: {reason}"), help);
            }
        });
    }
}
