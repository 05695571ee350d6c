//! `no-execute`: the handler exports a function `execute` by name.
//!
//! What it exports of other files is followed through them: `export { run as execute } from "./x.js"`,
//! `export * from "./x.js"`, `module.exports = require("./x")`. A package is trusted to have what is named. An object as default export does
//! not count: what it holds is only known when it runs.

use std::path::{Path, PathBuf};

use super::Settings;
use crate::code::Code;
use crate::file;
use crate::handler::{self, Elsewhere, Execute};
use crate::modules;
use crate::report::Findings;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(handler) = &tool.handler else { return };
    if !handler.module.syntax_errors.is_empty() {
        return;
    }
    let mut way = Way { seen: Vec::new() };
    let (offset, message) = match &handler.module.execute {
        Execute::Exported => return,
        Execute::PassedOn(modules) if way.passed_on(&handler.path, modules, "execute") => return,
        Execute::Elsewhere(elsewhere) => match way.elsewhere(&handler.path, elsewhere) {
            Ok(()) => return,
            Err(reason) => (elsewhere.offset, reason),
        },
        Execute::NotCallable(offset) => (*offset, "`execute` is not a function".to_owned()),
        Execute::Missing(Some(offset)) => {
            (*offset, "`execute` is not exported by name; a default export does not count".to_owned())
        }
        Execute::Missing(None) | Execute::PassedOn(_) => (0, "the handler does not export `execute`".to_owned()),
    };
    let help = "write `export async function execute({ args }) { … }`";
    findings.add(Code::NoExecute, handler.file.at_word(offset), message, help);
}

/// The files that were looked into on the way to an export, each with the name that was looked for.
struct Way {
    seen: Vec<(PathBuf, String)>,
}

impl Way {
    /// More files than any handler passes an export through.
    const MOST: usize = 64;

    /// Whether another module has the export. The error says what is wrong with it.
    fn elsewhere(&mut self, from: &Path, export: &Elsewhere) -> Result<(), String> {
        let Elsewhere { module, name, .. } = export;
        // Packages are trusted; `import-missing` tells of files that are not there.
        modules::resolve(from, module).map_or(Ok(()), |path| self.exports(&path, module, name))
    }

    /// Whether a file, which another one calls `module`, exports a function of this name.
    fn exports(&mut self, path: &Path, module: &str, name: &str) -> Result<(), String> {
        let missing = || Err(format!("`{module}` does not export `{name}`"));
        let step = (path.to_owned(), name.to_owned());
        if self.seen.contains(&step) || self.seen.len() == Self::MOST {
            return missing();
        }
        self.seen.push(step);
        let Ok(text) = file::text(path) else { return Err(format!("`{module}` can't be read")) };
        let inspected = handler::inspect_export(&text, name);
        if let Some(error) = inspected.syntax_errors.first() {
            return Err(format!("`{module}` does not parse: {}", error.message));
        }
        match inspected.execute {
            Execute::Exported => Ok(()),
            Execute::NotCallable(_) => Err(format!("`{module}` exports `{name}`, which is not a function")),
            Execute::Elsewhere(next) => self.elsewhere(path, &next),
            Execute::PassedOn(modules) if self.passed_on(path, &modules, name) => Ok(()),
            Execute::PassedOn(_) | Execute::Missing(_) => missing(),
        }
    }

    /// Whether one of the modules that are exported as a whole has it.
    fn passed_on(&mut self, from: &Path, modules: &[String], name: &str) -> bool {
        modules.iter().any(|module| match modules::resolve(from, module) {
            Some(path) => self.exports(&path, module, name).is_ok(),
            None => modules::is_missing(from, module),
        })
    }
}
