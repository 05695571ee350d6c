//! `summary-missing`, `summary-too-long`: the summary is in every prompt, so it is required and limited in length.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

/// In Unicode scalar values.
const MAX_SUMMARY: usize = 250;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(guide) = &tool.guide else { return };
    let Some((summary, _)) = &guide.summary else {
        let help = "write one or two sentences below the first heading";
        findings.add(Code::SummaryMissing, guide.summary_location(), "the guide has no summary", help);
        return;
    };
    let length = summary.chars().count();
    if length > MAX_SUMMARY {
        let message = format!("the summary has {length} characters, {MAX_SUMMARY} are allowed");
        let help = "describe the tool in one or two sentences, and move the rest below the first line";
        findings.add(Code::SummaryTooLong, guide.summary_location(), message, help);
    }
}
