//! `package-missing`: the packages that a handler imports should be installed, transitively through relative imports.
//! Node would fail only when the handler is loaded.
//!
//! A warning, because a build may run before the packages are installed. Imports in a `try` with a `catch` may be
//! missing.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::installed_package::package_name;
use crate::tool_folder::module_graph;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    for (file, import) in module_graph::missing_packages(tool) {
        let package = package_name(&import.module).unwrap_or(&import.module);
        let message = format!("the package `{package}` is not installed");
        findings.add(Code::PackageMissing, file.at_span(import.span), message, format!("`npm install {package}`"));
    }
}
