//! `legacy-layout` (a warning) and `missing-section`: the pair `doc_summary.md` and `doc.md` is still read; its
//! documentation has seven sections.

use super::Settings;
use crate::code::Code;
use crate::guide::{Layout, has_section};
use crate::report::Findings;
use crate::tool::Tool;

const SECTIONS: [&str; 7] =
    ["Summary", "Preconditions", "Postconditions", "Invariants", "Failure Modes", "Examples", "Common Mistakes"];

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(guide) = &tool.guide else { return };
    let Layout::Legacy(documentation) = &guide.layout else { return };
    let help = "write `guide.md` with a summary, `## Parameters` and `## Examples`, then remove both files";
    findings.add(Code::LegacyLayout, guide.file.whole(), "`doc_summary.md` and `doc.md` are the old layout", help);
    for section in SECTIONS.iter().filter(|section| !has_section(&documentation.text, section)) {
        let message = format!("the section `{section}` is missing");
        findings.add(Code::MissingSection, documentation.whole(), message, format!("add `## {section}`"));
    }
}
