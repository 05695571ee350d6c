//! `no-execute`: the handler must export a function `execute` by name.
//!
//! Re-exports are followed through relative files: `export { run as execute } from "./x.js"`, `export * from "./x.js"`,
//! `module.exports = require("./x")`. A package is trusted to have the export. An object as default export does not
//! count, because its members are known only at run time.

use std::path::{Path, PathBuf};

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::handler::{self, ExecuteExport, Reexport};
use crate::text::text_file;
use crate::tool_folder::module_graph;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(handler) = &tool.handler else { return };
    if !handler.module.syntax_errors.is_empty() {
        return;
    }
    let mut way = ExportSearch { visited: Vec::new() };
    let (offset, message) = match &handler.module.execute {
        ExecuteExport::Exported => return,
        ExecuteExport::ReexportedAll(modules) if way.any_exports(&handler.path, modules, "execute") => return,
        ExecuteExport::Reexported(elsewhere) => match way.check_reexport(&handler.path, elsewhere) {
            Ok(()) => return,
            Err(reason) => (elsewhere.offset, reason),
        },
        ExecuteExport::NotCallable(offset) => (*offset, not_callable(handler.file.text_from(*offset)).to_owned()),
        ExecuteExport::Missing(Some(offset)) => {
            (*offset, "`execute` is not exported by name; a default export does not count".to_owned())
        }
        ExecuteExport::Missing(None) | ExecuteExport::ReexportedAll(_) => {
            (0, "the handler does not export `execute`".to_owned())
        }
    };
    let help = "write `export async function execute({ args }) { … }`, in CommonJS `exports.execute = async ({ args }) => { … }`";
    findings.add(Code::NoExecute, handler.file.at_word(offset), message, help);
}

/// What the value that begins so is.
fn not_callable(text: &str) -> &'static str {
    if text.starts_with("class") {
        "`execute` is a class, not a function"
    } else if text.starts_with("function") || text.starts_with("async function") {
        "`execute` is a generator, whose call gives no result"
    } else {
        "`execute` is not a function"
    }
}

/// The search for an export through re-exports: the visited files, each with the name that was searched for.
struct ExportSearch {
    visited: Vec<(PathBuf, String)>,
}

impl ExportSearch {
    /// Limit of visited files, more than any handler needs.
    const MAX_FILES: usize = 64;

    /// Whether another module has the export. The error contains the reason.
    fn check_reexport(&mut self, from: &Path, export: &Reexport) -> Result<(), String> {
        let Reexport { module, name, .. } = export;
        // Packages are trusted; `import-missing` reports missing files.
        module_graph::resolve(from, module).map_or(Ok(()), |path| self.check_export(&path, module, name))
    }

    /// Whether a file, imported as `module`, exports a function of this name. The error contains the reason.
    fn check_export(&mut self, path: &Path, module: &str, name: &str) -> Result<(), String> {
        let missing = || Err(format!("`{module}` does not export `{name}`"));
        let step = (path.to_owned(), name.to_owned());
        if self.visited.contains(&step) || self.visited.len() == Self::MAX_FILES {
            return missing();
        }
        self.visited.push(step);
        let Ok(text) = text_file::read_text(path) else { return Err(format!("`{module}` can't be read")) };
        let inspected = handler::inspect_export(&text, name);
        if let Some(error) = inspected.syntax_errors.first() {
            return Err(format!("`{module}` does not parse: {}", error.message));
        }
        match inspected.execute {
            ExecuteExport::Exported => Ok(()),
            ExecuteExport::NotCallable(_) => Err(format!("`{module}` exports `{name}`, which is not a function")),
            ExecuteExport::Reexported(next) => self.check_reexport(path, &next),
            ExecuteExport::ReexportedAll(modules) if self.any_exports(path, &modules, name) => Ok(()),
            ExecuteExport::ReexportedAll(_) | ExecuteExport::Missing(_) => missing(),
        }
    }

    /// Whether one of the modules of `export *` has the export. A missing file counts: `import-missing` reports it.
    fn any_exports(&mut self, from: &Path, modules: &[String], name: &str) -> bool {
        modules.iter().any(|module| match module_graph::resolve(from, module) {
            Some(path) => self.check_export(&path, module, name).is_ok(),
            None => module_graph::is_missing_file(from, module),
        })
    }
}
