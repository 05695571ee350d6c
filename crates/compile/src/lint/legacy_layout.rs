//! `legacy-layout`, `missing-section`: the legacy pair `doc_summary.md` and `doc.md` is read with a warning; `doc.md`
//! must have seven sections.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::guide::{GuideLayout, has_section};
use crate::tool_folder::tool_source::ToolSource;

const SECTIONS: [&str; 7] =
    ["Summary", "Preconditions", "Postconditions", "Invariants", "Failure Modes", "Examples", "Common Mistakes"];

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(guide) = &tool.guide else { return };
    let GuideLayout::Legacy(documentation) = &guide.layout else { return };
    let help = "write `guide.md` with a summary, `## Parameters` and `## Examples`, then remove both files";
    findings.add(
        Code::LegacyLayout,
        guide.file.whole_file(),
        "`doc_summary.md` and `doc.md` are the legacy layout",
        help,
    );
    for section in SECTIONS.iter().filter(|section| !has_section(&documentation.text, section)) {
        let message = format!("the section `{section}` is missing");
        findings.add(Code::MissingSection, documentation.whole_file(), message, format!("add `## {section}`"));
    }
}
