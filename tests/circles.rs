//! Files that import from each other in a circle, through `use`. Files that have others below them are counted too.

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

/// The largest circle.
const MOST_FILES: usize = 3;

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

/// A name in a module; without the name, the module itself.
type Named = (Module, Option<String>);

/// What a path names, as seen from a module; `None` if it is not of the crate.
fn target(path: &str, from: &Module, known: &BTreeSet<Module>) -> Option<Named> {
    let mut steps = path.split(" as ").next()?.split("::").map(str::trim).filter(|step| *step != "self").peekable();
    let mut at: Module = match *steps.peek()? {
        "crate" => Module::new(),
        "super" => from.clone(),
        below => from.iter().cloned().chain([below.to_owned()]).collect(),
    };
    if steps.peek() != Some(&"super") {
        steps.next();
    }
    for step in steps {
        let below = at.iter().cloned().chain([step.to_owned()]).collect();
        if step == "super" {
            at.pop();
        } else if known.contains(&below) {
            at = below;
        } else {
            return known.contains(&at).then(|| (at, Some(step.to_owned())));
        }
    }
    known.contains(&at).then_some((at, None))
}

/// The names that a module imports, each with its module of origin, and whether the module only hands it on.
fn imports(from: &Module, code: &str, known: &BTreeSet<Module>) -> Vec<(String, Named, bool)> {
    let uses = code.split(';').filter_map(|statement| statement.rsplit_once("use "));
    let named = uses.flat_map(|(before, written)| {
        let is_public = before.split_whitespace().last().is_some_and(|word| word.starts_with("pub"));
        paths(written).into_iter().map(move |path| (path, is_public))
    });
    let found = named.filter_map(|(path, is_public)| {
        let name = path.rsplit([' ', ':']).next()?.to_owned();
        Some((name, target(&path, from, known)?, is_public))
    });
    found.collect()
}

/// The files whose items each file imports. A file that only hands on an item of another one does not import it, and whoever
/// imports the item from there imports it from the other one.
fn edges(modules: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let known: BTreeSet<Module> = modules.keys().cloned().collect();
    let all: BTreeMap<&Module, _> = modules.iter().map(|(from, code)| (from, imports(from, code, &known))).collect();
    let origin = |mut named: Named| {
        for _ in 0..all.len() {
            let Some(imported) = named.1.as_ref().and_then(|name| all[&named.0].iter().find(|of| of.0 == *name)) else {
                break;
            };
            named = imported.1.clone();
        }
        named.0
    };
    let of = |from: &Module| {
        all[from].iter().filter(|of| !of.2).map(|of| origin(of.1.clone())).filter(|to| to != from).collect()
    };
    all.keys().map(|from| ((*from).clone(), of(from))).collect()
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
        others.map(|other| [&[name.to_owned()], &other[..]].concat().join("::")).collect()
    };
    edges.keys().filter(in_circle).map(round).collect()
}

#[test]
fn circles_are_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut found = circles("toolgate", &edges(&modules(&root.join("src"))));
    for folder in crates.filter(|folder| folder.join("src").exists()) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        found.extend(circles(&name, &edges(&modules(&folder.join("src")))));
    }
    let larger: Vec<_> = found.iter().filter(|files| files.len() > MOST_FILES).collect();
    assert!(larger.is_empty(), "these files import each other: {larger:#?}");
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

#[test]
fn an_item_is_of_the_file_that_declares_it() {
    let files = [
        ("", "pub use a::A; pub(super) use b::B as C;"),
        ("a", "use super::C;"),
        ("b", "use crate::{d, A}; struct B;"),
        ("d", "use self::e::E;"),
        ("d::e", "use super::super::b;"),
    ];
    let module =
        |path: &str| -> Module { path.split("::").filter(|step| !step.is_empty()).map(str::to_owned).collect() };
    let files = files.iter().map(|(path, code)| (module(path), (*code).to_owned())).collect();
    let found = circles("c", &edges(&files)).into_iter().collect::<Vec<_>>();
    assert_eq!(found, [["c::a", "c::b", "c::d", "c::d::e"]]);
    assert!(edges(&files)[&Module::new()].is_empty(), "what is handed on is not imported");
}
