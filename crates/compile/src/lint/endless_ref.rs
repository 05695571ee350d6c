//! `endless-ref`: a schema that asks for itself on the same value can never answer. Recursion through `properties` or
//! `items` is fine: there the value gets smaller.

use super::Settings;
use crate::code::Code;
use crate::refs;
use crate::report::Findings;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        let Some(at) = refs::endless(&site.schema) else { continue };
        let place = document.at_value(&format!("{}{at}", site.pointer));
        let help = "let the reference stand under `properties` or `items`, or remove it";
        findings.add(Code::EndlessRef, place, "checking a value against this schema would never end", help);
    }
}
