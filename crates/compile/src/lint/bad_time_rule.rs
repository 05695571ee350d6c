//! `bad-time-rule`: each argument of `timeRules` must be a date-time. A rule about another argument would never apply.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::suggestion;
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(parameters) = document.parameters() else { return };
    let properties = parameters.schema.get("properties").and_then(Value::as_object);
    let is_time = |schema: &Value| schema.get("format").is_some_and(|format| format == "date-time");
    let times: Vec<&str> =
        properties.into_iter().flatten().filter(|(_, schema)| is_time(schema)).map(|(name, _)| name.as_str()).collect();
    for (at, argument) in rule_arguments(document.members.get("timeRules")) {
        if !times.contains(&argument) {
            let message = format!("`{argument}` in `timeRules` is no argument of the format `date-time`");
            let help = match times.as_slice() {
                [] => "no argument has this format; give it to the argument in `parameters`".to_owned(),
                times => suggestion(argument, times),
            };
            findings.add(Code::BadTimeRule, document.at_value(&at), message, help);
        }
    }
}

/// The arguments that rules name, each with the JSON Pointer of its rule.
fn rule_arguments(rules: Option<&Value>) -> Vec<(String, &str)> {
    let after = rules.and_then(|rules| rules.get("after")).and_then(Value::as_object);
    let pairs = after.into_iter().flatten().flat_map(|(later, earlier)| {
        let at = pointer_from_names(&["timeRules", "after", later]);
        [Some((at.clone(), later.as_str())), earlier.as_str().map(|earlier| (at, earlier))]
    });
    let not_past = rules.and_then(|rules| rules.get("notPast")).and_then(Value::as_array);
    let names = not_past
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(index, name)| name.as_str().map(|name| (format!("/timeRules/notPast/{index}"), name)));
    pairs.chain(names).flatten().collect()
}
