//! `bad-example`: examples must be valid in their schema, and example arguments after the gate filled in defaults.
//! Models copy them.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::{ToolSource, describe_faults};

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if let Some(Value::Array(examples)) = document.members.get("examples")
        && let Some(parameters) = document.parameters()
    {
        for (index, example) in examples.iter().enumerate() {
            if let Some(reason) = describe_faults(&parameters.argument_faults(example)) {
                let place = document.at_value(&format!("/examples/{index}"));
                let help = "change the example, or `parameters`";
                findings.add(Code::BadExample, place, format!("the example is rejected: {reason}"), help);
            }
        }
    }
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let examples = schema.get("examples").and_then(Value::as_array);
            for (index, example) in examples.into_iter().flatten().enumerate() {
                let is_arguments = site.pointer == "/parameters" && at.is_empty();
                let faults = if is_arguments { site.argument_faults(example) } else { site.faults(at, example) };
                if let Some(reason) = describe_faults(&faults) {
                    let place = document.at_value(&format!("{}{at}/examples/{index}", site.pointer));
                    let help = "change the example, or the schema around it";
                    findings.add(Code::BadExample, place, format!("the example is rejected: {reason}"), help);
                }
            }
        });
    }
}
