//! The files that a handler is made of: itself and the modules of the tools folder that it loads, directly or not.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::handler;
use super::read;
use super::source::normalize_line_ends;
use super::tool::Handler;

/// The file that a relative module name means, as Node finds it: the name itself, or with an extension.
pub(super) fn resolve(from: &Path, name: &str) -> Option<PathBuf> {
    if !name.starts_with("./") && !name.starts_with("../") {
        return None;
    }
    let plain = normalized(&from.parent()?.join(name));
    let with = |suffix: &str| {
        let mut path = plain.clone().into_os_string();
        path.push(suffix);
        PathBuf::from(path)
    };
    let candidates = [plain.clone(), with(".js"), with(".cjs"), with(".json"), plain.join("index.js")];
    candidates.into_iter().find(|path| path.is_file())
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
    const MOST: usize = 1000;
    let root = normalized(tools_dir);
    let mut found = BTreeMap::new();
    let mut open = vec![(normalized(&handler.path), handler.file.text.clone())];
    while let Some((path, text)) = open.pop() {
        let Some(name) = within(&root, &path) else { continue };
        if found.contains_key(&name) || found.len() == MOST {
            continue;
        }
        for import in handler::inspect(&text).imports {
            let Some(path) = resolve(&path, &import) else { continue };
            if let Ok(text) = read::text(&path) {
                open.push((path, text.into()));
            }
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        found.insert(name, normalize_line_ends(text));
    }
    found
}

fn within(root: &Path, path: &Path) -> Option<String> {
    let names = path.strip_prefix(root).ok()?.components();
    Some(names.map(|name| name.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"))
}
