//! `guide-example-json`, `guide-example`: the JSON blocks of the guide's section `Examples` are arguments that the tool
//! takes, with the defaults that the gate fills in. The model takes them at their word.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::guide::{Guide, Layout};
use crate::markdown::JsonBlock;
use crate::report::Findings;
use crate::tool::{Site, Tool};

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(guide) = &tool.guide else { return };
    let Layout::Current(contents) = &guide.layout else { return };
    let parameters = tool.schema.as_ref().and_then(|document| document.parameters());
    for block in &contents.examples {
        match serde_json::from_str::<Value>(&block.text) {
            Err(error) => {
                // In the file a block may be indented, which moves columns.
                let source = guide.file.text.get(block.span.clone()).map(serde_json::from_str::<Value>);
                not_json(guide, block, &source.and_then(Result::err).unwrap_or(error), findings);
            }
            Ok(example) => {
                if let Some(parameters) = parameters {
                    rejected(guide, block, &example, parameters, findings);
                }
            }
        }
    }
}

fn not_json(guide: &Guide, block: &JsonBlock, error: &serde_json::Error, findings: &mut Findings) {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    let help = "correct the JSON, or say another language than `json` for a block that is not arguments";
    findings.add(
        Code::GuideExampleJson,
        guide.file.at_json_error_within(&block.span, error),
        format!("the example is not JSON: {what}"),
        help,
    );
}

fn rejected(guide: &Guide, block: &JsonBlock, example: &Value, parameters: &Site, findings: &mut Findings) {
    for fault in parameters.argument_faults(example) {
        let place = guide.file.at_value_within(&block.span, &fault.pointer);
        let message = format!("the tool would refuse this example: {}", fault.told());
        findings.add(Code::GuideExample, place, message, "change the example, or `parameters` in schema.json");
    }
}
