//! `bad-regex`: a `pattern`, and a name in `patternProperties`, is a regular expression that compiles.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::dialect;
use crate::place::Place;
use crate::report::Findings;
use crate::source::pointer;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let at = format!("{}{at}", site.pointer);
            if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
                refuse(pattern, || document.at_value(&format!("{at}/pattern")), findings);
            }
            let named = schema.get("patternProperties").and_then(Value::as_object);
            for pattern in named.into_iter().flat_map(serde_json::Map::keys) {
                let below = format!("{at}{}", pointer(&["patternProperties", pattern]));
                refuse(pattern, || document.at_key(&below), findings);
            }
        });
    }
}

fn refuse(pattern: &str, at: impl FnOnce() -> Place, findings: &mut Findings) {
    if !dialect::is_pattern(pattern) {
        let message = format!("`{pattern}` is no regular expression that can run");
        let help = "write it as in JavaScript with the `u` flag, without look-around and back-references (patterns run in \
                    linear time); in JSON each backslash is written twice";
        findings.add(Code::BadRegex, at(), message, help);
    }
}
