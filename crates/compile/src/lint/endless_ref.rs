//! `endless-ref`: validation by a schema that applies itself to the same value never ends. Recursion through
//! `properties` or `items` is fine: the value gets smaller with each step.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::schema::refs;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        let Some(at) = refs::find_cycle(&site.schema) else { continue };
        let place = document.at_value(&format!("{}{at}", site.pointer));
        let help = "move the reference below `properties` or `items`, or remove it";
        findings.add(
            Code::EndlessRef,
            place,
            "the schema refers to itself on the same value, so validation would never end",
            help,
        );
    }
}
