//! `import-missing`: the relative imports of a handler must exist, transitively. Node would fail only when the handler
//! is loaded or, for `import("…")` and `require("…")` in a function, in the middle of a call.
//!
//! Imports in a `try` with a `catch` may be missing. `package-missing` is about packages.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::module_graph;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    for (file, import) in module_graph::missing_imports(tool) {
        let message = format!("there is no file `{}`", import.module);
        let help = packaged_path(&import.module).map_or_else(
            || "correct the path, or add the file".to_owned(),
            |path| format!("the package has it: import it from `{path}`"),
        );
        findings.add(Code::ImportMissing, file.at_span(import.span), message, help);
    }
}

/// The folders that lie beside the shipped tools, whose files handlers of other projects import from the package.
const PACKAGED_FOLDERS: [&str; 3] = ["_core/", "_build/", "_services/"];

/// The path in the package of a file that a handler of the shipped tools reaches by a relative path.
fn packaged_path(module: &str) -> Option<String> {
    let path = module.trim_start_matches("./").trim_start_matches("../");
    let path = path.strip_prefix("tools/").unwrap_or(path);
    PACKAGED_FOLDERS.iter().any(|folder| path.starts_with(folder)).then(|| format!("toolgate/tools/{path}"))
}

#[cfg(test)]
mod tests {
    use super::packaged_path;

    #[test]
    fn files_beside_the_shipped_tools_are_in_the_package() {
        for (module, path) in [
            ("../_core/error-types.js", Some("toolgate/tools/_core/error-types.js")),
            ("../../tools/_build/tool-builder.js", Some("toolgate/tools/_build/tool-builder.js")),
            ("./rank.js", None),
            ("../_shared/_core/a.js", None),
        ] {
            assert_eq!(packaged_path(module).as_deref(), path, "{module}");
        }
    }
}
