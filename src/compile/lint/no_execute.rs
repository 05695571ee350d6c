//! `no-execute`: the handler exports a function `execute` by name.
//!
//! `export * from "./x.js"` and `module.exports = require("./x")` are followed through the tool's files. An object as
//! default export does not count: what it holds is only known when it runs.

use std::path::{Path, PathBuf};

use super::Settings;
use crate::compile::code::Code;
use crate::compile::handler::{self, Execute};
use crate::compile::modules;
use crate::compile::read;
use crate::compile::report::Findings;
use crate::compile::tool::{Handler, Tool};

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(handler) = &tool.handler else { return };
    if !handler.module.syntax_errors.is_empty() {
        return;
    }
    let (offset, message) = match &handler.module.execute {
        Execute::Exported => return,
        Execute::PassedOn(modules) if passed_on(handler, modules) => return,
        Execute::NotCallable(offset) => (*offset, "`execute` is not a function"),
        Execute::Missing(Some(offset)) => {
            (*offset, "`execute` is not exported by name; a default export does not count")
        }
        Execute::Missing(None) | Execute::PassedOn(_) => (0, "the handler does not export `execute`"),
    };
    let help = "write `export async function execute({ args }) { … }`";
    findings.add(Code::NoExecute, handler.file.at_word(offset), message, help);
}

/// Follows modules that are exported as a whole, each once.
fn passed_on(handler: &Handler, modules: &[String]) -> bool {
    const MOST: usize = 64;
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut open = relative(&handler.path, modules);
    while let Some(path) = open.pop() {
        if seen.contains(&path) || seen.len() == MOST {
            continue;
        }
        if let Ok(text) = read::text(&path) {
            match handler::inspect(&text).execute {
                Execute::Exported => return true,
                Execute::PassedOn(modules) => open.extend(relative(&path, &modules)),
                Execute::NotCallable(_) | Execute::Missing(_) => {}
            }
        }
        seen.push(path);
    }
    false
}

fn relative(from: &Path, names: &[String]) -> Vec<PathBuf> {
    names.iter().filter_map(|name| modules::resolve(from, name)).collect()
}
