//! The preview that a user reads before confirming: a template over the final arguments, with sensitive values masked.
//!
//! `{title}` is a value, `{attendees}` a list with up to five items, `{attendees.length}` the length of an array or
//! string, `{prompt:50}` a text cut to 50 characters, `{start:local}` a date-time in the
//! user's time zone, or at its own UTC offset, `{a.b}` a nested
//! member, `{a.0}` an element. An absent value is an empty string.

mod list_text;
mod local_time;

use jiff::tz::TimeZone;
use serde_json::Value;

use list_text::list_text;
use local_time::local_time;

/// Longest value of an argument in a preview without a template.
const MAX_VALUE_CHARS: usize = 200;

/// Fills the template; without one, names the tool and its arguments.
pub(super) fn render(template: Option<&str>, tool: &str, args: &Value, zone: Option<&TimeZone>) -> String {
    match template {
        Some(template) => fill(template, args, zone),
        None => format!("Execute {tool} with {}", truncate(&args.to_string(), MAX_VALUE_CHARS)),
    }
}

fn fill(template: &str, args: &Value, zone: Option<&TimeZone>) -> String {
    let mut text = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((placeholder, behind)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        text.push_str(&value_of(placeholder, args, zone));
        rest = behind;
    }
    text.push_str(rest);
    text
}

fn value_of(placeholder: &str, args: &Value, zone: Option<&TimeZone>) -> String {
    let (path, form) = placeholder.split_once(':').unwrap_or((placeholder, ""));
    let shown = match path.trim().strip_suffix(".length") {
        Some(of) => lookup(of, args).and_then(length).map(|length| length.to_string()),
        None => lookup(path.trim(), args).map(value_text),
    };
    let shown = shown.unwrap_or_default();
    match form.trim() {
        "local" => local_time(&shown, zone).unwrap_or(shown),
        width => truncate(&shown, width.parse().unwrap_or(usize::MAX)),
    }
}

fn lookup<'a>(path: &str, args: &'a Value) -> Option<&'a Value> {
    path.split('.').try_fold(args, |value, name| match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        other => other.get(name),
    })
}

/// The number of items or characters; only arrays and strings have a length.
fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::String(text) => Some(text.chars().count()),
        _ => None,
    }
}

fn value_text(value: &Value) -> String {
    value.as_array().map_or_else(|| plain_text(value), |items| list_text(items))
}

fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn truncate(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn placeholders_show_values_lengths_and_cuts() {
        let args = json!({ "title": "Review", "attendees": ["a@x.org", "b@x.org"], "prompt": "élan vital", "a": { "b": 1 }, "at": "2026-11-23T10:00:00+01:00" });
        let table = [
            ("{title} for {attendees.length}", "Review for 2"),
            ("{title} for {attendees}, {attendees.1}{attendees.2}", "Review for a@x.org, b@x.org, b@x.org"),
            ("{title.length}|{a.length}|{a.b.length}|{nothing.length}|", "6||||"),
            ("\"{prompt:4}\"", "\"élan…\""),
            ("{prompt:50}", "élan vital"),
            ("{a.b} {a.c}{nothing.length}|", "1 |"),
            ("{at:local}{title:local}{nothing:local}", "Mon 23 Nov 2026, 10:00 (UTC+01:00)Review"),
            ("{ open", "{ open"),
            ("{__proto__}{title.constructor}", ""),
        ];
        for (template, expected) in table {
            assert_eq!(render(Some(template), "t", &args, None), expected, "{template}");
        }
        assert_eq!(render(None, "t", &json!({ "n": 1 }), None), "Execute t with {\"n\":1}");
    }
}
