//! `bad-regex`: a `pattern` and each name in `patternProperties` must be a regular expression that compiles.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::text::location::SourceLocation;
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_source::ToolSource;
use toolgate_ecma_regex::to_ecmascript;
use toolgate_schema::{name_pattern_refusal, pattern_refusal};

/// Where a schema has a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternPlace {
    /// The value of `pattern`.
    Value,
    /// A name in `patternProperties`.
    Name,
}

impl PatternPlace {
    /// Why a pattern is refused here; `None` if it is supported.
    pub(crate) fn refusal(self, pattern: &str) -> Option<String> {
        match self {
            Self::Value => pattern_refusal(pattern),
            Self::Name => name_pattern_refusal(pattern),
        }
    }
}

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let at = format!("{}{at}", site.pointer);
            if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
                let place = || document.at_value(&format!("{at}/pattern"));
                check_pattern(pattern, PatternPlace::Value, place, findings);
            }
            let named = schema.get("patternProperties").and_then(Value::as_object);
            for pattern in named.into_iter().flat_map(serde_json::Map::keys) {
                let below = format!("{at}{}", pointer_from_names(&["patternProperties", pattern]));
                check_pattern(pattern, PatternPlace::Name, || document.at_key(&below), findings);
            }
        });
    }
}

fn check_pattern(pattern: &str, place: PatternPlace, at: impl FnOnce() -> SourceLocation, findings: &mut Findings) {
    if let Some(inside) = literal_as_text(pattern) {
        let message = format!("`{pattern}` is a regular expression literal as a text, which no value fits");
        let help = format!(
            "write `{inside}`: a pattern has no slashes around it and no flags; for `i` write both cases, as in `[aA]`"
        );
        findings.add(Code::BadRegex, at(), message, help);
    } else if let Some(refusal) = place.refusal(pattern) {
        let (message, help) = refusal_message(pattern, &refusal, place);
        findings.add(Code::BadRegex, at(), message, help);
    }
}

/// The pattern of `/^…$/i`. An anchor behind the first slash, or before the last one, matches nothing: it was meant as a literal.
fn literal_as_text(pattern: &str) -> Option<&str> {
    let (inside, flags) = pattern.strip_prefix('/')?.rsplit_once('/')?;
    let has_flags = flags.bytes().all(|flag| b"dgimsuvy".contains(&flag));
    (has_flags && (inside.starts_with('^') || (inside.ends_with('$') && !inside.ends_with("\\$")))).then_some(inside)
}

/// The message about a refused pattern, and the help: the pattern's form in JavaScript, or why it has none.
pub(crate) fn refusal_message(pattern: &str, refusal: &str, place: PatternPlace) -> (String, String) {
    let message = format!("`{pattern}` is not a supported regular expression: {refusal}");
    let help = match to_ecmascript(pattern) {
        Ok(form) if place.refusal(&form).is_none() => {
            format!("in JavaScript it is `{form}`; in JSON each backslash is written twice")
        }
        Ok(_) => "use JavaScript syntax with the `u` flag; in JSON each backslash is written twice".to_owned(),
        Err(reason) => reason.to_owned(),
    };
    (message, help)
}
