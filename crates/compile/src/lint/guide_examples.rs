//! `guide-example-json`, `guide-example`: the JSON blocks of the guide's section `Examples` must be valid arguments
//! after the gate filled in defaults. Models copy them.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::text::markdown::JsonBlock;
use crate::tool_folder::guide::{Guide, GuideLayout};
use crate::tool_folder::tool_source::{EmbeddedSchema, ToolSource};

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(guide) = &tool.guide else { return };
    let GuideLayout::Current(contents) = &guide.layout else { return };
    let parameters = tool.schema.as_ref().and_then(|document| document.parameters());
    for block in &contents.examples {
        match serde_json::from_str::<Value>(&block.text) {
            Err(error) => {
                // A block may be indented in the file, which shifts columns.
                let source = guide.file.text.get(block.span.clone()).map(serde_json::from_str::<Value>);
                report_invalid_json(guide, block, &source.and_then(Result::err).unwrap_or(error), findings);
            }
            Ok(example) => {
                if let Some(parameters) = parameters {
                    check_example(guide, block, &example, parameters, findings);
                }
            }
        }
    }
}

fn report_invalid_json(guide: &Guide, block: &JsonBlock, error: &serde_json::Error, findings: &mut Findings) {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    let help = "correct the JSON, or label the block with another language than `json` if it is not arguments";
    findings.add(
        Code::GuideExampleJson,
        guide.file.at_json_error_within(&block.span, error),
        format!("the example is not JSON: {what}"),
        help,
    );
}

fn check_example(
    guide: &Guide,
    block: &JsonBlock,
    example: &Value,
    parameters: &EmbeddedSchema,
    findings: &mut Findings,
) {
    for fault in parameters.argument_faults(example) {
        let place = guide.file.at_value_within(&block.span, &fault.pointer);
        let message = format!("the tool would refuse this example: {}", fault.describe());
        findings.add(Code::GuideExample, place, message, "change the example, or `parameters` in schema.json");
    }
}
