//! Where real-world test data is found, for the tests that measure against it.
#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub, dead_code, reason = "shared by several test binaries")]

use std::path::PathBuf;

use serde_json::Value;

/// A folder or file of the corpus, by its path inside; `None`, with a printed line, if it is absent. In CI its absence
/// fails the test.
///
/// The corpus is found through `TOOLGATE_CORPUS`, else beside the project.
pub fn corpus(inside: &str) -> Option<PathBuf> {
    let found = optional(inside);
    assert!(
        found.is_some() || std::env::var_os("CI").is_none(),
        "CI skips no test: the corpus has no `{inside}` (TOOLGATE_CORPUS)"
    );
    found
}

/// As [`corpus`], for a part that not every corpus has, in CI either.
pub fn optional(inside: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TOOLGATE_CORPUS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from);
    let path = root.join(inside);
    if path.exists() {
        return Some(path);
    }
    println!("ignored: the corpus has no `{inside}`; set TOOLGATE_CORPUS to its folder");
    None
}

/// The files of a folder and all below it, sorted, with their names relative to it (`/` between folders).
pub fn files(folder: &std::path::Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in std::fs::read_dir(&current).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let parts: Vec<_> =
                    path.strip_prefix(folder).unwrap().iter().map(|part| part.to_string_lossy().into_owned()).collect();
                found.push((parts.join("/"), path));
            }
        }
    }
    found.sort();
    found
}

/// A JSON file.
pub fn json(path: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A file of JSON lines.
pub fn json_lines(path: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
