//! Rules over times in the final arguments, as the tool's `timeRules` declare them: one must be later than another, or not
//! in the past.

use jiff::Timestamp;
use serde_json::json;

use crate::admit::args::parse::issues_error;
use crate::clock::EpochMs;
use crate::error::ToolError;
use crate::json::Tape;
use crate::registry::CompiledTool;
use crate::schema::Issue;

/// Refuses arguments that break a rule. Without the current time, `not_past` is not checked. A value that is no moment
/// breaks no rule.
///
/// # Errors
/// VALIDATION with every broken rule.
pub(in crate::admit) fn check(tool: &CompiledTool, args: &Tape, now: Option<EpochMs>) -> Result<(), ToolError> {
    let rules = &tool.definition.time_rules;
    if rules.is_empty() {
        return Ok(());
    }
    let time_of = |name: &str| args.root().get(name)?.as_str()?.parse::<Timestamp>().ok();
    let mut issues = Vec::new();
    for (later, earlier) in &rules.after {
        if time_of(later).zip(time_of(earlier)).is_some_and(|(later, earlier)| later <= earlier) {
            let message = format!("`/{later}` must be later than `/{earlier}`");
            issues.push(issue(later, "after", json!({ "argument": earlier }), message));
        }
    }
    let now = now.and_then(|now| Timestamp::from_millisecond(i64::try_from(now).ok()?).ok());
    for name in &rules.not_past {
        if let Some(now) = now.filter(|now| time_of(name).is_some_and(|time| time < *now)) {
            let now = format!("{now:.0}");
            let message = format!("`/{name}` is in the past: it is {now} now");
            issues.push(issue(name, "notPast", json!({ "now": now }), message));
        }
    }
    if issues.is_empty() { Ok(()) } else { Err(issues_error(&tool.id, &issues)) }
}

fn issue(argument: &str, rule: &str, params: serde_json::Value, message: String) -> Issue {
    Issue {
        instance_path: format!("/{argument}"),
        place: format!("/{argument}"),
        schema_path: format!("/timeRules/{rule}"),
        keyword: rule.to_owned(),
        params,
        message,
    }
}
