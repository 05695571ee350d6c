//! Files that name each other in a circle, through `use`. A file that has others below it may be named by them: it declares what
//! they share.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at what it did not expect, and says where"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module's path within its crate.
type Module = Vec<String>;

/// The circles that are left, each by its first file: none may be added, and one that is open must go.
const KNOWN: &[&str] = &[
    "compile::draft_upgrade::object_upgrade",
    "json::parse",
    "schema::document",
    "schema::repair::boolean_text",
    "schema::repair::search",
];

/// The modules of a crate, each with its code: without comments and tests.
fn modules(root: &Path) -> BTreeMap<Module, String> {
    let (mut folders, mut found) = (vec![(root.to_owned(), Module::new())], BTreeMap::new());
    while let Some((folder, module)) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
            let is_test = name.starts_with("tests") || name.starts_with("conformance");
            let below = |name: &str| module.iter().cloned().chain([name.to_owned()]).collect();
            if path.is_dir() && !is_test {
                folders.push((path, below(&name)));
            } else if let Some(stem) = name.strip_suffix(".rs").filter(|_| !is_test) {
                let own = if matches!(stem, "lib" | "mod") { module.clone() } else { below(stem) };
                let text = fs::read_to_string(path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
                let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
                found.insert(own, lines.join(" "));
            }
        }
    }
    found
}

/// The paths of a `use` without its groups: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(written: &str) -> Vec<String> {
    let Some((before, rest)) = written.split_once('{') else { return vec![written.trim().to_owned()] };
    let (mut depth, mut part, mut parts) = (0, String::new(), Vec::new());
    for character in rest.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            _ => {}
        }
        if character == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(character);
        }
    }
    parts.push(part);
    let below = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    below.flat_map(|part| paths(&format!("{}{part}", before.trim_start()))).collect()
}

/// The module that a path names, as seen from a module; `None` if it is not of the crate.
fn target(path: &str, from: &Module, known: &BTreeSet<Module>) -> Option<Module> {
    let mut steps: Vec<&str> = path.split(" as ").next()?.split("::").map(str::trim).collect();
    let mut at: Module = match *steps.first()? {
        "crate" => Module::new(),
        "super" => from[..from.len().checked_sub(1)?].to_vec(),
        _ => return None,
    };
    steps.remove(0);
    while steps.first() == Some(&"super") {
        at.pop();
        steps.remove(0);
    }
    for step in steps {
        at.push(step.to_owned());
        if !known.contains(&at) {
            at.pop();
            break;
        }
    }
    (known.contains(&at) && at != *from).then_some(at)
}

/// What each file without others below it names, of its like.
fn edges(modules: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let known: BTreeSet<Module> = modules.keys().cloned().collect();
    let has_others_below =
        |module: &Module| known.iter().any(|other| other.len() > module.len() && other.starts_with(module));
    let named = |from: &Module, code: &str| -> BTreeSet<Module> {
        let uses = code.split(';').filter_map(|statement| statement.rsplit_once("use ").map(|(_, path)| path));
        let targets = uses.flat_map(paths).filter_map(|path| target(&path, from, &known));
        targets.filter(|to| !has_others_below(to)).collect()
    };
    let leaves = modules.iter().filter(|(module, _)| !has_others_below(module));
    leaves.map(|(module, code)| (module.clone(), named(module, code))).collect()
}

/// The files that a file leads to.
fn reachable(from: &Module, edges: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let (mut found, mut next) = (BTreeSet::new(), vec![from.clone()]);
    while let Some(module) = next.pop() {
        let named = edges.get(&module).into_iter().flatten();
        next.extend(named.filter(|to| found.insert((*to).clone())).cloned());
    }
    found
}

/// The files of each circle, as `crate::module`.
fn circles(name: &str, edges: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Vec<String>> {
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        edges.keys().map(|module| (module, reachable(module, edges))).collect();
    let in_circle = |module: &&Module| reached[*module].contains(*module);
    let round = |module: &Module| -> Vec<String> {
        let others = reached[module].iter().filter(|other| reached[*other].contains(module));
        others.map(|other| format!("{name}::{}", other.join("::"))).collect()
    };
    edges.keys().filter(in_circle).map(round).collect()
}

#[test]
fn files_go_round_only_where_it_is_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut found = circles("toolgate", &edges(&modules(&root.join("src"))));
    for folder in crates.filter(|folder| folder.join("src").exists()) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        found.extend(circles(&name, &edges(&modules(&folder.join("src")))));
    }
    let first: BTreeSet<&str> = found.iter().filter_map(|files| files.first()).map(String::as_str).collect();
    let known: BTreeSet<&str> = KNOWN.iter().copied().collect();
    let new: Vec<_> = found.iter().filter(|files| !known.contains(files[0].as_str())).collect();
    assert!(new.is_empty(), "these files name each other: {new:?}");
    let open: Vec<_> = known.difference(&first).collect();
    assert!(open.is_empty(), "these are circles no more: {open:?}");
}

#[test]
fn groups_are_taken_apart() {
    assert_eq!(paths("a::{b, c::{d, e as f}}"), ["a::b", "a::c::d", "a::c::e as f"]);
    let module = |path: &str| -> Module { path.split("::").map(str::to_owned).collect() };
    let edges = |pairs: &[(&str, &str)]| {
        let names = pairs.iter().flat_map(|(from, to)| [*from, *to]);
        let mut edges: BTreeMap<Module, BTreeSet<Module>> = names.map(|name| (module(name), BTreeSet::new())).collect();
        for (from, to) in pairs {
            edges.get_mut(&module(from)).unwrap().insert(module(to));
        }
        edges
    };
    assert!(circles("c", &edges(&[("a", "b"), ("b", "d"), ("a", "d")])).is_empty());
    let found = circles("c", &edges(&[("a", "b"), ("b", "d"), ("d", "a"), ("e", "a")]));
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [["c::a", "c::b", "c::d"]]);
}
