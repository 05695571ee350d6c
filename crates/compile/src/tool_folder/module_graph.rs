//! The module graph of a handler or schema module: the file and the modules that it loads by relative names,
//! transitively.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::installed_package;
use super::tool_source::{HandlerFile, ToolSource};
use crate::handler::{self, HandlerModule, HttpWrite, ModuleImport};
use crate::text::source::{BYTE_ORDER_MARK, SourceFile, normalize_line_ends};
use crate::text::text_file;

/// The file that a relative module name resolves to, as in Node: the name itself, or with an extension.
pub(crate) fn resolve(from: &Path, name: &str) -> Option<PathBuf> {
    let plain = relative_target(from, name)?;
    let with = |suffix: &str| {
        let mut path = plain.clone().into_os_string();
        path.push(suffix);
        PathBuf::from(path)
    };
    let candidates = [plain.clone(), with(".js"), with(".cjs"), with(".json"), plain.join("index.js")];
    candidates.into_iter().find(|path| path.is_file())
}

/// Whether a relative module name certainly resolves to no file.
pub(crate) fn is_missing_file(from: &Path, name: &str) -> bool {
    let Some(place) = relative_target(from, name) else { return false };
    // The `package.json` of a folder may name any of its files.
    resolve(from, name).is_none() && !place.join("package.json").is_file() && !place.with_extension("node").is_file()
}

/// The path that a relative module name refers to, without its extension if the name has none.
fn relative_target(from: &Path, name: &str) -> Option<PathBuf> {
    // An import specifier is a URL: query and fragment only distinguish instances of one module.
    let name = name.split(['?', '#']).next()?;
    let is_relative = name.starts_with("./") || name.starts_with("../");
    let is_plain = is_relative && !name.contains('%');
    Some(normalized(&from.parent()?.join(name))).filter(|_| is_plain)
}

/// The path without `.` and `..`; the file system is not consulted.
fn normalized(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(clean.components().next_back(), Some(Component::Normal(_))) => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// The sources of the code that runs at a call, by their path within the tools folder, with forward slashes and LF line
/// ends: the handler, and the schema module, whose refinements and transforms the JSON Schema does not contain.
///
/// Modules outside the tools folder belong to packages, whose versions a lock file pins.
pub(crate) fn call_sources(tools_dir: &Path, tool: &ToolSource, handler: &HandlerFile) -> BTreeMap<String, String> {
    let root = normalized(tools_dir);
    let module = tool.module.as_ref().map(|(path, file)| (path, &file.text));
    let starts = [Some((&handler.path, &handler.file.text)), module].into_iter().flatten();
    let graphs = starts.map(|(path, text)| load_graph(path, text, &|path| relative_name(&root, path).is_some()));
    let found = graphs.fold(BTreeMap::new(), |mut all, graph| {
        all.extend(graph);
        all
    });
    let named = found.into_iter().filter_map(|(path, text)| Some((relative_name(&root, &path)?, text)));
    named.map(|(name, text)| (name, normalize_line_ends(&text))).collect()
}

/// The files of a tool's schema module and of its imports, including files outside the tools folder.
pub(crate) fn schema_module_files(tool: &ToolSource) -> Vec<PathBuf> {
    let module = tool.module.as_ref();
    module.map(|(path, file)| load_graph(path, &file.text, &|_| true).into_keys().collect()).unwrap_or_default()
}

/// A module that a file of a handler loads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct HandlerImport {
    /// The loading file.
    pub file: PathBuf,
    /// The module specifier: `./rank.js`, `zod`, `node:fs`.
    pub module: String,
}

/// Every module that a tool's handler loads, directly or through relative imports.
pub(crate) fn handler_imports(tool: &ToolSource) -> Vec<HandlerImport> {
    let Some(handler) = &tool.handler else { return Vec::new() };
    let files = load_graph(&handler.path, &handler.file.text, &|_| true);
    let named = files.into_iter().flat_map(|(file, text)| {
        let modules = handler::inspect_handler(&text).imports.into_iter().filter(|import| !import.optional);
        modules.map(move |import| HandlerImport { file: file.clone(), module: import.module })
    });
    named.collect()
}

/// The relative imports that resolve to no file, in a tool's handler and its imports; each with the importing file.
pub(crate) fn missing_imports(tool: &ToolSource) -> Vec<(SourceFile, ModuleImport)> {
    found_in_modules(tool, |path, module| {
        let imports = module.imports.into_iter();
        imports.filter(|import| !import.optional && is_missing_file(path, &import.module)).collect()
    })
}

/// The imports of packages that are not installed, in a tool's handler and its imports; each with the importing file.
pub(crate) fn missing_packages(tool: &ToolSource) -> Vec<(SourceFile, ModuleImport)> {
    found_in_modules(tool, |path, module| {
        let imports = module.imports.into_iter();
        imports.filter(|import| !import.optional && installed_package::is_missing(path, &import.module)).collect()
    })
}

/// The HTTP requests that change something, in a tool's handler and its imports; each with its file.
pub(crate) fn http_writes(tool: &ToolSource) -> Vec<(SourceFile, HttpWrite)> {
    found_in_modules(tool, |_, module| module.http_writes)
}

/// What `find` finds in each module of a tool's handler, with the module's file.
fn found_in_modules<T>(tool: &ToolSource, find: impl Fn(&Path, HandlerModule) -> Vec<T>) -> Vec<(SourceFile, T)> {
    let Some(handler) = &tool.handler else { return Vec::new() };
    let mut found = Vec::new();
    for (path, text) in load_graph(&handler.path, &handler.file.text, &|_| true) {
        let here = find(&path, handler::inspect_handler(&text));
        if !here.is_empty() {
            let file = SourceFile::new(label(tool, handler, &path), &text);
            found.extend(here.into_iter().map(|one| (file.clone(), one)));
        }
    }
    found
}

/// The name of a file in findings: relative to the parent of the tools folder.
fn label(tool: &ToolSource, handler: &HandlerFile, path: &Path) -> String {
    let root = normalized(handler.path.parent().and_then(Path::parent).unwrap_or(Path::new("")));
    let root_label = tool.label.split('/').next().unwrap_or_default();
    match (relative_name(&root, path), path.parent(), path.file_name()) {
        (None, Some(folder), Some(name)) => crate::relative_prefix(&root.join(".."), folder) + &name.to_string_lossy(),
        (below, ..) => format!("{root_label}/{}", below.unwrap_or_default()),
    }
}

/// A 64-bit digest of a handler's sources, as 16 hex digits.
pub(crate) fn sources_digest(sources: &BTreeMap<String, String>) -> String {
    let mut hash = Sha256::new();
    for part in sources.iter().flat_map(|(name, text)| [name, text]) {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let digits = hash.finalize().iter().take(8).fold(0_u64, |digits, byte| digits << 8 | u64::from(*byte));
    format!("{digits:016x}")
}

/// The texts of a module and of the files that it loads by relative names, transitively, restricted to paths that
/// `follow` accepts.
fn load_graph(path: &Path, text: &Arc<str>, follow: &dyn Fn(&Path) -> bool) -> BTreeMap<PathBuf, Arc<str>> {
    const MAX_FILES: usize = 1000;
    let mut found = BTreeMap::new();
    let mut open = vec![(normalized(path), Arc::clone(text))];
    while let Some((path, text)) = open.pop() {
        if !follow(&path) || found.contains_key(&path) || found.len() == MAX_FILES {
            continue;
        }
        for import in handler::inspect_handler(&text).imports {
            let Some(path) = resolve(&path, &import.module) else { continue };
            if let Ok(text) = text_file::read_text(&path) {
                open.push((path, text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text).into()));
            }
        }
        found.insert(path, text);
    }
    found
}

fn relative_name(root: &Path, path: &Path) -> Option<String> {
    let names = path.strip_prefix(root).ok()?.components();
    Some(names.map(|name| name.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"))
}
