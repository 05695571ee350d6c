//! The files that a module is made of: itself and the modules that it loads by relative names, directly or not.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::file;
use super::handler;
use super::source::{BYTE_ORDER_MARK, SourceFile, normalize_line_ends};
use super::tool::{Handler, Tool};

/// The file that a relative module name means, as Node finds it: the name itself, or with an extension.
pub(super) fn resolve(from: &Path, name: &str) -> Option<PathBuf> {
    let plain = place(from, name)?;
    let with = |suffix: &str| {
        let mut path = plain.clone().into_os_string();
        path.push(suffix);
        PathBuf::from(path)
    };
    let candidates = [plain.clone(), with(".js"), with(".cjs"), with(".json"), plain.join("index.js")];
    candidates.into_iter().find(|path| path.is_file())
}

/// Whether a relative module name surely means no file.
pub(super) fn is_missing(from: &Path, name: &str) -> bool {
    let Some(place) = place(from, name) else { return false };
    // The manifest of a folder may name any file of it.
    resolve(from, name).is_none() && !place.join("package.json").is_file() && !place.with_extension("node").is_file()
}

/// Where a relative module name leads to.
fn place(from: &Path, name: &str) -> Option<PathBuf> {
    // An import's name is a URL: what follows here tells copies of one module apart.
    let name = name.split(['?', '#']).next()?;
    let is_relative = name.starts_with("./") || name.starts_with("../");
    let is_plain = is_relative && !name.contains('%');
    Some(normalized(&from.parent()?.join(name))).filter(|_| is_plain)
}

/// Without `.` and `..`, by name only.
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

/// The sources of a handler by their path within the tools folder, with forward slashes and LF line ends.
///
/// Modules outside the tools folder belong to packages, whose versions a lock file pins.
pub(super) fn sources(tools_dir: &Path, handler: &Handler) -> BTreeMap<String, String> {
    let root = normalized(tools_dir);
    let found = loaded(&handler.path, &handler.file.text, &|path| within(&root, path).is_some());
    let named = found.into_iter().filter_map(|(path, text)| Some((within(&root, &path)?, text)));
    named.map(|(name, text)| (name, normalize_line_ends(&text))).collect()
}

/// The files that a tool's schema module is made of, also those outside the tools folder.
pub(super) fn of_schema(tool: &Tool) -> Vec<PathBuf> {
    let module = tool.module.as_ref();
    module.map(|(path, file)| loaded(path, &file.text, &|_| true).into_keys().collect()).unwrap_or_default()
}

/// What a file of a handler loads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Import {
    /// The file that loads it.
    pub file: PathBuf,
    /// How the file names it: `./rank.js`, `zod`, `node:fs`.
    pub module: String,
}

/// Everything that a tool's handler loads, directly or through relative names.
pub(super) fn imports(tool: &Tool) -> Vec<Import> {
    let Some(handler) = &tool.handler else { return Vec::new() };
    let files = loaded(&handler.path, &handler.file.text, &|_| true);
    let named = files.into_iter().flat_map(|(file, text)| {
        let modules = handler::inspect(&text).imports.into_iter().filter(|import| !import.optional);
        modules.map(move |import| Import { file: file.clone(), module: import.module })
    });
    named.collect()
}

/// The relative imports of a tool's handler, and of what it loads, that mean no file; each with the file that has it.
pub(super) fn missing(tool: &Tool) -> Vec<(SourceFile, handler::Import)> {
    let Some(handler) = &tool.handler else { return Vec::new() };
    let mut found = Vec::new();
    for (path, text) in loaded(&handler.path, &handler.file.text, &|_| true) {
        let imports = handler::inspect(&text).imports.into_iter();
        let imports: Vec<_> = imports.filter(|import| !import.optional && is_missing(&path, &import.module)).collect();
        if !imports.is_empty() {
            let file = SourceFile::new(label(tool, handler, &path), &text);
            found.extend(imports.into_iter().map(|import| (file.clone(), import)));
        }
    }
    found
}

/// A file as findings show it: relative to the parent of the tools folder.
fn label(tool: &Tool, handler: &Handler, path: &Path) -> String {
    let root = normalized(handler.path.parent().and_then(Path::parent).unwrap_or(Path::new("")));
    let root_label = tool.label.split('/').next().unwrap_or_default();
    match (within(&root, path), path.parent(), path.file_name()) {
        (None, Some(folder), Some(name)) => super::between(&root.join(".."), folder) + &name.to_string_lossy(),
        (below, ..) => format!("{root_label}/{}", below.unwrap_or_default()),
    }
}

/// A short name for what a handler is made of.
pub(super) fn digest(sources: &BTreeMap<String, String>) -> String {
    let mut hash = Sha256::new();
    for part in sources.iter().flat_map(|(name, text)| [name, text]) {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let digits = hash.finalize().iter().take(8).fold(0_u64, |digits, byte| digits << 8 | u64::from(*byte));
    format!("{digits:016x}")
}

/// A module and what it loads by relative names, directly or not, as far as `follow` lets it.
fn loaded(path: &Path, text: &Arc<str>, follow: &dyn Fn(&Path) -> bool) -> BTreeMap<PathBuf, Arc<str>> {
    const MOST: usize = 1000;
    let mut found = BTreeMap::new();
    let mut open = vec![(normalized(path), Arc::clone(text))];
    while let Some((path, text)) = open.pop() {
        if !follow(&path) || found.contains_key(&path) || found.len() == MOST {
            continue;
        }
        for import in handler::inspect(&text).imports {
            let Some(path) = resolve(&path, &import.module) else { continue };
            if let Ok(text) = file::text(&path) {
                open.push((path, text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text).into()));
            }
        }
        found.insert(path, text);
    }
    found
}

fn within(root: &Path, path: &Path) -> Option<String> {
    let names = path.strip_prefix(root).ok()?.components();
    Some(names.map(|name| name.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"))
}
