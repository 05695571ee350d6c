//! `regex-backtracks`: a pattern on which an engine that backtracks takes exponential time.
//!
//! Here patterns run in linear time. But `parameters` and `resultSchema` are handed to MCP clients and browsers, which
//! check them with `RegExp`: a text of fifty characters could hold them for hours.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::place::Place;
use crate::report::Findings;
use crate::source::pointer;
use crate::tool::{Document, Tool};
use toolgate_regex_backtracking::{Attack, attack};

/// The schema that nobody but the gate reads.
const OWN: &str = "/confirmation/when";

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in document.schemas.iter().filter(|site| site.pointer != OWN) {
        site.walk(&mut |at, schema| {
            let at = format!("{}{at}", site.pointer);
            if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
                refuse(document, pattern, || document.at_value(&format!("{at}/pattern")), findings);
            }
            let named = schema.get("patternProperties").and_then(Value::as_object);
            for pattern in named.into_iter().flat_map(serde_json::Map::keys) {
                let below = format!("{at}{}", pointer(&["patternProperties", pattern]));
                refuse(document, pattern, || document.at_key(&below), findings);
            }
        });
    }
}

fn refuse(document: &Document, pattern: &str, at: impl FnOnce() -> Place, findings: &mut Findings) {
    let Some(attack) = attack(pattern) else { return };
    let part = pattern.get(attack.part.clone()).unwrap_or(pattern);
    let message = format!("`{part}` can match one text in many ways, and engines that backtrack try them all");
    let help = format!(
        "let each text fit in one way only: of `(a+)+` keep one repetition, of `(a|ab|b)*` alternatives that begin \
         differently; `{}` shows it, with each further `{}` the time multiplies",
        shown(&attack),
        attack.pump.escape_debug()
    );
    findings.add(Code::RegexBacktracks, document.at_part(at(), &attack.part), message, help);
}

/// A text long enough to see what is repeated, and no longer.
fn shown(attack: &Attack) -> String {
    let times = (12 / attack.pump.len().max(1)).max(2);
    let text = format!("{}{}{}", attack.prefix, attack.pump.repeat(times), attack.suffix);
    text.escape_debug().to_string()
}
