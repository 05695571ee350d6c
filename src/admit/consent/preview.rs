//! The preview that a user reads before confirming: a template over the final arguments, with sensitive values masked
//! (`CompiledTool::shown_args`); without a template, a table of all arguments. Values have their hidden characters escaped, and are isolated where a
//! script is written from right to left.
//!
//! `{title}` is a value, `{attendees}` a list with up to five items, `{attendees.length}` the length of an array or
//! string, `{prompt:50}` a text cut to 50 characters, `{start:local}` a date-time in the
//! user's time zone, or at its own UTC offset, `{a.b}` a nested
//! member, `{a.0}` an element. An absent value is an empty string. A brace that begins no placeholder is shown.

mod list_text;
mod local_time;

use jiff::tz::TimeZone;
use serde_json::Value;

use list_text::list_text;
use local_time::local_time;

use crate::definition::MAX_PREVIEW_CHARS;
use crate::error::{ErrorType, ToolError};
use crate::json::{Tape, has_right_to_left, isolated_text, visible_text};
use crate::registry::CompiledTool;
use crate::schema::is_never_cut_name;

/// The preview of a call: the tool's template with the arguments, as people may see them; without a template the tool's
/// title and every argument.
///
/// # Errors
/// VALIDATION if a tool without a template gets more than a preview may hold, which its user would not read.
pub(in crate::admit) fn preview(
    tool: &CompiledTool,
    tape: &Tape,
    shown: &Value,
    zone: Option<&TimeZone>,
) -> Result<String, ToolError> {
    if let Some(template) = &tool.definition.confirmation.preview {
        return Ok(fill(template, shown, zone));
    }
    let heading = tool.definition.source.as_ref().map_or_else(
        || tool.definition.title.clone(),
        |origin| format!("{} ({})", visible_text(&tool.definition.title), origin.name),
    );
    let preview = format!("{heading}{}", argument_table(tool, tape));
    match preview.chars().count() {
        0..=MAX_PREVIEW_CHARS => Ok(preview),
        // Whoever wrote the tool knows no preview, and can't be asked for one.
        _ if tool.definition.source.is_some() => Ok(cut_at_line(&preview)),
        chars => {
            let message = format!(
                "the arguments of `{}` take {chars} characters to show to the user, who must confirm them; at most \
                 {MAX_PREVIEW_CHARS} are shown: send less at once, or give the tool a `confirmation.preview`",
                tool.id
            );
            Err(ToolError::new(ErrorType::Validation, message))
        }
    }
}

/// The lines that a preview may hold, and how many there are besides.
fn cut_at_line(preview: &str) -> String {
    const MARK_CHARS: usize = 60;
    let mut kept = 0;
    let mut chars = 0;
    for line in preview.split_inclusive('\n') {
        chars += line.chars().count();
        if chars > MAX_PREVIEW_CHARS - MARK_CHARS {
            break;
        }
        kept += line.len();
    }
    let (shown, rest) = preview.split_at(kept);
    format!("{shown}… and {} more lines of arguments", rest.lines().count())
}

/// Every argument on a line of its own, in the schema's order, after a line break each.
#[must_use]
pub fn argument_table(tool: &CompiledTool, args: &Tape) -> String {
    let mut table = String::new();
    for row in tool.args_schema.rows(args) {
        let value = row.short.unwrap_or(row.value);
        let turns = has_right_to_left(&row.name) || has_right_to_left(&value);
        let (name, value) = if turns { (isolated_text(&row.name), isolated_text(&value)) } else { (row.name, value) };
        table.extend(["\n", &name, ": ", &value]);
    }
    table
}

fn fill(template: &str, args: &Value, zone: Option<&TimeZone>) -> String {
    let template_turns = has_right_to_left(template);
    let mut text = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((placeholder, behind)) = after.split_once('}').filter(|(inside, _)| !inside.contains('{')) else {
            text.push('{');
            rest = after;
            continue;
        };
        let value = value_of(placeholder, args, zone);
        let value = visible_text(&value);
        if template_turns || has_right_to_left(&value) {
            text.push_str(&isolated_text(&value));
        } else {
            text.push_str(&value);
        }
        rest = behind;
    }
    text.push_str(rest);
    text
}

fn value_of(placeholder: &str, args: &Value, zone: Option<&TimeZone>) -> String {
    let (path, form) = placeholder.split_once(':').unwrap_or((placeholder, ""));
    let shown = match path.trim().strip_suffix(".length") {
        Some(of) => lookup(of, args).and_then(length).map(|length| length.to_string()),
        None => lookup(path.trim(), args).map(|value| value_text(path, value)),
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

fn value_text(path: &str, value: &Value) -> String {
    let is_never_cut = path.split('.').any(|name| is_never_cut_name(name.trim()));
    value.as_array().map_or_else(|| plain_text(value), |items| list_text(items, is_never_cut))
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
            ("{{title}} { {title.length}}", "{Review} { 6}"),
            ("{__proto__}{title.constructor}", ""),
        ];
        for (template, expected) in table {
            assert_eq!(fill(template, &args, None), expected, "{template}");
        }
    }

    #[test]
    fn values_in_a_template_are_visible_and_isolated() {
        let args = json!({ "a": "x\u{202e}y\nDone: z", "b": "שלום", "n": 5 });
        assert_eq!(fill("{a} {n}|{b}|{a:2}", &args, None), "x\\u202ey\\nDone: z 5|\u{2068}שלום\u{2069}|x\\u202e…");
        assert_eq!(fill("שלח {n}", &args, None), "שלח \u{2068}5\u{2069}");
    }
}
