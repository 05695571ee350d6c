//! `import-missing`: the relative imports of a handler must exist, transitively. Node would fail only when the handler
//! is loaded or, for `import("…")` and `require("…")` in a function, in the middle of a call.
//!
//! Imports in a `try` with a `catch` may be missing. `package-missing` is about packages.

use super::LintSettings;
use crate::code::Code;
use crate::module_graph;
use crate::report::Findings;
use crate::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    for (file, import) in module_graph::missing_imports(tool) {
        let message = format!("there is no file `{}`", import.module);
        findings.add(Code::ImportMissing, file.at_span(import.span), message, "correct the path, or add the file");
    }
}
