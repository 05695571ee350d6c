//! `summary-missing`, `summary-too-long`: the summary is in every prompt, so there is one and it is short.

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::tool::Tool;

/// Unicode scalar values.
const MAX_SUMMARY: usize = 250;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(guide) = &tool.guide else { return };
    let Some((summary, _)) = &guide.summary else {
        let help = "write one or two sentences below the first heading";
        findings.add(Code::SummaryMissing, guide.at_summary(), "there is no summary", help);
        return;
    };
    let length = summary.chars().count();
    if length > MAX_SUMMARY {
        let message = format!("the summary has {length} characters, {MAX_SUMMARY} are allowed");
        let help = "say in one or two sentences what the tool does; the rest belongs below";
        findings.add(Code::SummaryTooLong, guide.at_summary(), message, help);
    }
}
