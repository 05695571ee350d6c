//! `bad-default`: a `default` fits the schema it stands in. At run time one that does not would be skipped, so the
//! author would wait for it in vain.

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let Some(default) = schema.get("default") else { return };
            if let Some(reason) = site.rejects(at, default) {
                let place = document.at_value(&format!("{}{at}/default", site.pointer));
                let help = "change the default, or the schema around it";
                findings.add(Code::BadDefault, place, format!("the default is rejected: {reason}"), help);
            }
        });
    }
}
