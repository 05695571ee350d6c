//! `regex-backtracks`: a pattern that may take exponential time on a backtracking engine.
//!
//! The gate runs patterns in linear time. But `parameters` and `resultSchema` are also used by MCP clients and
//! browsers, which check them with `RegExp`: a string of fifty characters could block them for hours.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::text::location::SourceLocation;
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};
use toolgate_ecma_regex::find_ambiguous_repetition;

/// The schema that only the gate uses.
const GATE_ONLY_SCHEMA: &str = "/confirmation/when";

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in document.schemas.iter().filter(|site| site.pointer != GATE_ONLY_SCHEMA) {
        site.walk(&mut |at, schema| {
            let at = format!("{}{at}", site.pointer);
            if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
                check_pattern(document, pattern, || document.at_value(&format!("{at}/pattern")), findings);
            }
            let named = schema.get("patternProperties").and_then(Value::as_object);
            for pattern in named.into_iter().flat_map(serde_json::Map::keys) {
                let below = format!("{at}{}", pointer_from_names(&["patternProperties", pattern]));
                check_pattern(document, pattern, || document.at_key(&below), findings);
            }
        });
    }
}

fn check_pattern(document: &ToolDocument, pattern: &str, at: impl FnOnce() -> SourceLocation, findings: &mut Findings) {
    let Some(repetition) = find_ambiguous_repetition(pattern) else { return };
    let part = pattern.get(repetition.clone()).unwrap_or(pattern);
    let message =
        format!("`{part}` can match one string in many ways, so a backtracking engine may take exponential time");
    let help = "let each string match in only one way: keep one repetition of `(a+)+`, or alternatives of `(a|ab|b)*` \
                that begin differently; or add `regex-backtracks` to `lintAccepted`";
    findings.add(Code::RegexBacktracks, document.at_string_part(at(), &repetition), message, help);
}
