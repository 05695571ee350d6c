//! `handler-syntax`: the handler must parse as JavaScript.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(handler) = &tool.handler else { return };
    for error in &handler.module.syntax_errors {
        let help = "correct the syntax; handlers are plain JavaScript";
        findings.add(
            Code::HandlerSyntax,
            handler.file.at_span_or_word(error.span.clone()),
            error.message.clone(),
            help,
        );
    }
}
