//! `bad-regex`: a `pattern` and each name in `patternProperties` must be a regular expression that compiles.

use serde_json::Value;

use super::LintSettings;
use crate::code::Code;
use crate::location::SourceLocation;
use crate::report::Findings;
use crate::source::pointer_from_names;
use crate::tool_source::ToolSource;
use toolgate_schema::{name_pattern_refusal, pattern_refusal};

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let at = format!("{}{at}", site.pointer);
            if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
                check_pattern(
                    pattern,
                    pattern_refusal(pattern),
                    || document.at_value(&format!("{at}/pattern")),
                    findings,
                );
            }
            let named = schema.get("patternProperties").and_then(Value::as_object);
            for pattern in named.into_iter().flat_map(serde_json::Map::keys) {
                let below = format!("{at}{}", pointer_from_names(&["patternProperties", pattern]));
                check_pattern(pattern, name_pattern_refusal(pattern), || document.at_key(&below), findings);
            }
        });
    }
}

fn check_pattern(pattern: &str, refusal: Option<String>, at: impl FnOnce() -> SourceLocation, findings: &mut Findings) {
    let Some(reason) = refusal else { return };
    let message = format!("`{pattern}` is not a supported regular expression: {reason}");
    let help = "use JavaScript syntax with the `u` flag; in JSON each backslash is written twice";
    findings.add(Code::BadRegex, at(), message, help);
}
