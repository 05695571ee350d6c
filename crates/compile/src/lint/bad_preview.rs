//! `bad-preview`: a placeholder of `confirmation.preview` names an argument. A user who is asked to agree must not
//! read a gap.
//!
//! `{title}`, `{filters.type}`, `{attendees.length}`, `{attendees.0}`, each with an optional cut (`{prompt:50}`); of a
//! date-time, the form `{start:local}`.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::suggest::suggestion;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(preview) = document.at("/confirmation/preview").and_then(Value::as_str) else { return };
    let Some(parameters) = document.parameters() else { return };
    for placeholder in placeholders(preview) {
        if let Some(help) = wrong(placeholder, &parameters.schema) {
            let message = format!("unknown placeholder `{{{placeholder}}}`");
            findings.add(Code::BadPreview, document.at_value("/confirmation/preview"), message, help);
        }
    }
}

/// The form of a date-time that shows the clock of its own offset.
const LOCAL: &str = "local";

fn placeholders(preview: &str) -> Vec<&str> {
    preview.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(inside, _)| inside)).collect()
}

/// What would be right instead, where the placeholder is wrong.
fn wrong(placeholder: &str, parameters: &Value) -> Option<String> {
    let (path, form) = match placeholder.split_once(':') {
        Some((path, form)) => (path, Some(form)),
        None => (placeholder, None),
    };
    if form.is_some_and(|form| form != LOCAL && !form.parse::<u32>().is_ok_and(|cut| cut > 0)) {
        return Some("a cut is a number of characters, as in `{title:50}`".to_owned());
    }
    let mut schema = parameters;
    for name in path.split('.') {
        schema = match step(schema, name) {
            Step::To(next) => next,
            Step::Unseen => return None,
            Step::Wrong(help) => return Some(help),
        };
    }
    let is_time = schema.get("format").is_some_and(|format| format == "date-time");
    let help = "`local` shows a text of the format `date-time`";
    (form == Some(LOCAL) && !is_time).then(|| help.to_owned())
}

enum Step<'a> {
    To(&'a Value),
    /// The schema does not say what is there.
    Unseen,
    Wrong(String),
}

fn step<'a>(schema: &'a Value, name: &str) -> Step<'a> {
    let sized = ["array", "string"].iter().any(|kind| schema.get("type").is_some_and(|found| found == kind));
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        return properties.get(name).map_or_else(|| Step::Wrong(suggestion(name, &known)), Step::To);
    }
    match name {
        "length" if sized => Step::Unseen,
        _ if schema.get("type").is_some_and(|kind| kind == "array") && name.parse::<u32>().is_ok() => {
            schema.get("items").map_or(Step::Unseen, Step::To)
        }
        _ if schema.get("type").is_some_and(Value::is_string) && schema.get("type").is_some_and(|t| t != "object") => {
            Step::Wrong(format!("there is no `{name}` in a value of this type"))
        }
        _ => Step::Unseen,
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
            assert_eq!(wrong(right, &schema), None, "{right}");
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
            assert!(wrong(bad, &schema).is_some(), "{bad}");
        }
        assert_eq!(placeholders("a {b} {c:5} } { d"), ["b", "c:5"]);
    }
}
