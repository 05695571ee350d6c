//! `bad-semver`: `version` must be a semantic version (semver.org 2.0.0), so that people and stores can compare it.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(version) = document.string_field("version") else { return };
    if let Err(error) = semver::Version::parse(version) {
        let message = format!("`version` is `{version}`: {error}");
        findings.add(Code::BadSemver, document.at_value("/version"), message, "write three numbers, such as `1.0.0`");
    }
}
