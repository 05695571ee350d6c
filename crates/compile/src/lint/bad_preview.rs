//! `bad-preview`: a placeholder of `confirmation.preview` must name an argument, and each brace must belong to one. A user who is
//! asked to confirm must not read a gap.
//!
//! Placeholders: `{title}`, `{filters.type}`, `{attendees.length}`, `{attendees.0}`, each with an optional maximum
//! length (`{prompt:50}`); for a date-time, the form `{start:local}`.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::suggestion;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(preview) = document.value_at("/confirmation/preview").and_then(Value::as_str) else { return };
    let Some(parameters) = document.parameters() else { return };
    for part in parts(preview) {
        let (message, help) = match part {
            PreviewPart::Placeholder(placeholder) => match placeholder_fault(placeholder, &parameters.schema) {
                Some(help) => (format!("unknown placeholder `{{{placeholder}}}`"), help),
                None => continue,
            },
            PreviewPart::StrayBrace(after) => {
                let text: String = after.chars().take(20).take_while(|c| !c.is_whitespace()).collect();
                let help = "write a placeholder in one pair of braces, as in `{title}`";
                (format!("the brace of `{{{text}` begins no placeholder"), help.to_owned())
            }
        };
        findings.add(Code::BadPreview, document.at_value("/confirmation/preview"), message, help);
    }
}

/// The form of a date-time that shows the local time of its own UTC offset.
const LOCAL_FORM: &str = "local";

#[derive(Debug, PartialEq, Eq)]
enum PreviewPart<'a> {
    Placeholder(&'a str),
    /// An opening brace without a closing one, or before another opening one; with the text behind it.
    StrayBrace(&'a str),
}

/// What begins with a brace, as the gate reads it.
fn parts(preview: &str) -> Vec<PreviewPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = preview;
    while let Some((_, after)) = rest.split_once('{') {
        parts.push(match after.split_once('}') {
            Some((inside, _)) if !inside.contains('{') => PreviewPart::Placeholder(inside),
            _ => PreviewPart::StrayBrace(after),
        });
        rest = after;
    }
    parts
}

/// The help text for an invalid placeholder; `None` if it is valid or can't be checked.
fn placeholder_fault(placeholder: &str, parameters: &Value) -> Option<String> {
    let (path, form) = match placeholder.split_once(':') {
        Some((path, form)) => (path, Some(form)),
        None => (placeholder, None),
    };
    if form.is_some_and(|form| form != LOCAL_FORM && !form.parse::<u32>().is_ok_and(|cut| cut > 0)) {
        return Some("write the maximum length as a number of characters, as in `{title:50}`".to_owned());
    }
    let mut schema = parameters;
    for name in path.split('.') {
        schema = match follow_name(schema, name) {
            PathStep::Found(next) => next,
            PathStep::Undetermined => return None,
            PathStep::Invalid(help) => return Some(help),
        };
    }
    let is_time = schema.get("format").is_some_and(|format| format == "date-time");
    let help = "`local` needs an argument of the format `date-time`";
    (form == Some(LOCAL_FORM) && !is_time).then(|| help.to_owned())
}

enum PathStep<'a> {
    Found(&'a Value),
    /// The schema does not describe the value.
    Undetermined,
    Invalid(String),
}

fn follow_name<'a>(schema: &'a Value, name: &str) -> PathStep<'a> {
    let sized = ["array", "string"].iter().any(|kind| schema.get("type").is_some_and(|found| found == kind));
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        return properties.get(name).map_or_else(|| PathStep::Invalid(suggestion(name, &known)), PathStep::Found);
    }
    match name {
        "length" if sized => PathStep::Undetermined,
        _ if schema.get("type").is_some_and(|kind| kind == "array") && name.parse::<u32>().is_ok() => {
            schema.get("items").map_or(PathStep::Undetermined, PathStep::Found)
        }
        _ if schema.get("type").is_some_and(Value::is_string) && schema.get("type").is_some_and(|t| t != "object") => {
            PathStep::Invalid(format!("there is no `{name}` in a value of this type"))
        }
        _ => PathStep::Undetermined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn placeholders_follow_the_schema() {
        let schema = json!({ "type": "object", "properties": {
            "title": { "type": "string" },
            "start": { "type": "string", "format": "date-time" },
            "attendees": { "type": "array", "items": { "type": "string" } },
            "filters": { "type": "object", "properties": { "type": { "type": "string" } } },
            "any": { "$ref": "#/$defs/x" },
        }});
        for right in [
            "title",
            "title:50",
            "title.length",
            "attendees.length",
            "attendees.0",
            "filters.type",
            "any.x.y",
            "start:local",
        ] {
            assert_eq!(placeholder_fault(right, &schema), None, "{right}");
        }
        for bad in [
            "",
            "titel",
            "title:",
            "title:x",
            "title:local",
            "titel:local",
            "start:Local",
            "title:0",
            "filters.kind",
            "title.first",
            "attendees.first",
        ] {
            assert!(placeholder_fault(bad, &schema).is_some(), "{bad}");
        }
        assert_eq!(
            parts("a {b} {c:5} } { d {{e}}"),
            [
                PreviewPart::Placeholder("b"),
                PreviewPart::Placeholder("c:5"),
                PreviewPart::StrayBrace(" d {{e}}"),
                PreviewPart::StrayBrace("{e}}"),
                PreviewPart::Placeholder("e")
            ]
        );
    }
}
