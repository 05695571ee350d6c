//! Duplicates: a call that does what another call has done shortly before, or does now. The store finds them, in its claim
//! and where a question is asked; here is what makes two calls equal, and what becomes of the later one.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::admit::call::CompleteCall;
use crate::admit::context::AdmissionContext;
use crate::clock::{EpochMs, to_iso8601};
use crate::definition::{DuplicateRule, DuplicateScope, OnDuplicate};
use crate::error::{ErrorType, ToolError};
use crate::json::{CanonicalJson, KeyedHash, has_right_to_left, isolated_text, visible_text, write_string};
use crate::registry::CompiledTool;
use crate::store::{Act, ActName, ActOutcome, DoneBefore};

/// The longest value of a key that a question shows, in characters.
const MAX_KEY_VALUE: usize = 80;

/// What the call does, wherever equal acts are looked for.
pub(in crate::admit) fn act_of(context: &AdmissionContext<'_>, call: &CompleteCall, known: u64) -> Option<Act> {
    let rule = call.tool.duplicates.as_ref()?;
    let text = act_text(&call.tool.id, rule, call);
    let known_in_parent = context.parent.is_some_and(|parent| parent.does_again);
    Some(Act {
        name: ActName::from(KeyedHash::from_text(context.attachment.session.fingerprint_key, &text)),
        window_ms: rule.window_ms,
        turn: (rule.scope == DuplicateScope::Turn).then(|| context.turn()),
        within: context.parent.map(|parent| parent.root.clone()),
        known: if known_in_parent { u64::MAX } else { known },
        owner: None,
    })
}

/// The tool and the values of the key, as canonical JSON.
fn act_text(tool: &str, rule: &DuplicateRule, call: &CompleteCall) -> String {
    let mut text = "[".to_owned();
    write_string(&mut text, tool);
    let own = call.without_added();
    let args = own.as_ref().unwrap_or(&call.tape).root();
    if rule.key.is_empty() {
        text.push(',');
        text.push_str(CanonicalJson::from_node(args).as_str());
    }
    for place in &rule.key {
        text.push_str(",[");
        write_string(&mut text, place);
        if let Some(value) = args.at(place) {
            text.push(',');
            text.push_str(CanonicalJson::from_node(value).as_str());
        }
        text.push(']');
    }
    text.push(']');
    text
}

/// What becomes of a duplicate of the tool here.
pub(in crate::admit) fn fate(context: &AdmissionContext<'_>, tool: &CompiledTool) -> OnDuplicate {
    match tool.duplicates.as_ref().map_or(OnDuplicate::Refuse, |rule| rule.on) {
        OnDuplicate::Ask if !context.attachment.can_ask => OnDuplicate::Refuse,
        on => on,
    }
}

/// The refusal of a duplicate.
pub(in crate::admit) fn refused(tool: &CompiledTool, done: DoneBefore) -> ToolError {
    let (tool, at) = (&tool.id, to_iso8601(done.at));
    let message = match done.outcome {
        ActOutcome::Committed => format!("`{tool}` was done at {at} by an equal call; it is not done again"),
        ActOutcome::Running => format!("`{tool}` has been running since {at} by an equal call; it is not begun again"),
        ActOutcome::Failed => {
            format!("an equal call of `{tool}` failed at {at} and may have had effects; it is not made again")
        }
        ActOutcome::Unknown => {
            format!("an equal call of `{tool}` was begun at {at} and its outcome is not known; it is not made again")
        }
    };
    ToolError::new(ErrorType::Conflict, message)
        .with_details(json!({ "reason": "duplicate", "outcome": done.outcome.as_str(), "at": at }))
        .with_suggestion(suggestion(done.outcome))
}

/// What the model does about a duplicate. Only of an act that was done can it say so to the user.
const fn suggestion(outcome: ActOutcome) -> &'static str {
    match outcome {
        ActOutcome::Committed => "tell the user what was done and when; do not call it again for the same wish",
        ActOutcome::Running => "tell the user that it is being done; do not call it again for the same wish",
        ActOutcome::Failed | ActOutcome::Unknown => {
            "find out whether it took effect, then tell the user; do not call it again for the same wish"
        }
    }
}

/// The preview of a call whose act was done before: it begins with what was done, and when.
pub(in crate::admit) fn preview(
    tool: &CompiledTool,
    (done, now): (DoneBefore, EpochMs),
    shown: &Value,
    zone: Option<&TimeZone>,
    of_call: &str,
) -> String {
    let at = time_of_day(done.at, now, zone);
    let what = act_title(tool, shown);
    match done.outcome {
        ActOutcome::Committed => format!("Already done at {at}: {what}. Do it again? {of_call}"),
        ActOutcome::Running => format!("Begun at {at} and still running: {what}. Do it once more? {of_call}"),
        ActOutcome::Failed => {
            format!("Tried at {at}; it failed and may have had effects: {what}. Do it again? {of_call}")
        }
        ActOutcome::Unknown => {
            format!("Begun at {at}; nobody knows whether it was done: {what}. Do it again? {of_call}")
        }
    }
}

/// The tool's title, and what makes the act.
fn act_title(tool: &CompiledTool, shown: &Value) -> String {
    let mut title = tool.definition.title.clone();
    let key = tool.duplicates.as_ref().map(|rule| rule.key.as_slice()).unwrap_or_default();
    if key.is_empty() {
        title.push_str(", with the same arguments");
    }
    for place in key {
        let value = shown.pointer(place).map(key_value).unwrap_or_default();
        title.extend([", ", &readable(place.trim_start_matches('/')), ": ", &readable(&value)]);
    }
    title
}

fn key_value(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if text.chars().count() <= MAX_KEY_VALUE {
        return text;
    }
    text.chars().take(MAX_KEY_VALUE).chain(['…']).collect()
}

fn readable(text: &str) -> String {
    let text = visible_text(text);
    if has_right_to_left(&text) { isolated_text(&text) } else { text.into_owned() }
}

/// The time of day for a user, with its date if that is not today's.
fn time_of_day(at: EpochMs, now: EpochMs, zone: Option<&TimeZone>) -> String {
    let zoned = |at: EpochMs| {
        let at = i64::try_from(at).ok().and_then(|at| Timestamp::from_millisecond(at).ok())?;
        Some(at.to_zoned(zone.cloned().unwrap_or(TimeZone::UTC)))
    };
    let (Some(local), Some(today)) = (zoned(at), zoned(now)) else { return to_iso8601(at) };
    let form = if local.date() == today.date() { "%H:%M" } else { "%a %-d %b %Y, %H:%M" };
    let name = if zone.is_some() { "" } else { " UTC" };
    format!("{}{name}", local.strftime(form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_today_is_a_time_of_day() {
        let (at, hour) = (1_767_189_780_000, 3_600_000);
        assert_eq!(time_of_day(at, at + hour, None), "14:03 UTC");
        assert_eq!(time_of_day(at, at + 11 * hour, None), "Wed 31 Dec 2025, 14:03 UTC");
        let zone = TimeZone::get("Asia/Tokyo").unwrap();
        assert_eq!(time_of_day(at, at + hour, Some(&zone)), "Wed 31 Dec 2025, 23:03");
        assert_eq!(time_of_day(at, at + 60_000, Some(&zone)), "23:03");
        assert_eq!(time_of_day(u64::MAX, u64::MAX, None), to_iso8601(u64::MAX));
    }
}
