//! The shape of the source: which module may name which, how long a file may be, where Node's API is named.
//!
//! Dependencies point one way: bindings → gate → (admit, run, settle) → (registry, schema, session, store, observe) →
//! (call, response, error, clock). What is allowed is listed; an edge that is not listed, or listed and gone, fails.

#![allow(clippy::unwrap_used, clippy::string_slice, reason = "a test stops at what it did not expect, and says where")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the crates' roots with the modules that it may name; `bindings`, the edge, may name all.
const ALLOWED: &[(&str, &[&str])] = &[
    // The only one that names observers.
    (
        "gate",
        &["admit", "call", "clock", "error", "observe", "registry", "response", "run", "session", "settle", "store"],
    ),
    // The stages, each naming only the ones before it.
    ("admit", &["call", "clock", "error", "registry", "response", "session", "store"]),
    ("run", &["call", "clock", "error", "registry", "response"]),
    ("settle", &["admit", "clock", "error", "registry", "response", "run", "session", "view"]),
    // What the stages work with.
    ("store", &["call", "clock", "response", "session"]),
    ("registry", &[]),
    ("tool_search", &["registry"]),
    ("session", &["call", "clock", "registry", "response"]),
    // Of the bindings too: a speech is made when a host asks for it.
    ("view", &["response"]),
    ("observe", &["call", "clock", "error", "session"]),
    // Values and the ground they stand on.
    ("response", &["call", "error"]),
    ("call", &[]),
    ("clock", &[]),
    ("error", &[]),
];

/// The roots of crates that list modules and name none. The compiler's is `compile` itself.
const ROOTS: &[&str] = &["lib"];

/// Two modules that name each other: none, and none may be added.
const CIRCLES: &[[&str; 2]] = &[];

const MAX_LINES: usize = 400;

fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(&root).unwrap().to_owned(), text));
            }
        }
    }
    assert!(files.len() > 50, "the sources are found");
    files.sort();
    files
}

/// The module of the crate's root that a file belongs to.
fn module(file: &Path) -> String {
    let first = file.iter().next().unwrap().to_str().unwrap();
    first.strip_suffix(".rs").unwrap_or(first).to_owned()
}

fn is_root(module: &str) -> bool {
    ROOTS.contains(&module)
}

/// The modules that a text names by `crate::…`, comments left out.
fn named(text: &str, known: &BTreeSet<String>) -> BTreeSet<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut named = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let group = rest.strip_prefix('{').map(|group| group.split_once('}').map_or(group, |(inside, _)| inside));
        for part in group.map_or_else(|| vec![rest], |group| group.split(',').collect()) {
            let part = part.trim_start();
            let end = part.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(part.len());
            if known.contains(&part[..end]) {
                named.insert(part[..end].to_owned());
            }
        }
    }
    named
}

fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let files = sources();
    let known: BTreeSet<String> = files.iter().map(|(file, _)| module(file)).filter(|name| !is_root(name)).collect();
    let mut edges: BTreeMap<String, BTreeSet<String>> =
        known.iter().map(|name| (name.clone(), BTreeSet::new())).collect();
    for (file, text) in files.iter().filter(|(file, _)| !is_root(&module(file))) {
        let from = module(file);
        let to = named(text, &known).into_iter().filter(|to| *to != from);
        edges.get_mut(&from).unwrap().extend(to);
    }
    edges
}

#[test]
fn modules_name_only_what_is_before_them() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        ALLOWED.iter().map(|(from, to)| (*from, to.iter().copied().collect())).collect();
    let mut wrong = Vec::new();
    for (from, to) in edges().iter().filter(|(from, _)| *from != "bindings") {
        let Some(allowed) = allowed.get(from.as_str()) else {
            wrong.push(format!("`{from}` is a new module: say what it may name"));
            continue;
        };
        let to: BTreeSet<&str> = to.iter().map(String::as_str).collect();
        wrong.extend(to.difference(allowed).map(|to| format!("`{from}` names `{to}`, which it may not")));
        wrong.extend(
            allowed.difference(&to).map(|to| format!("`{from}` does not name `{to}` any more: take it off the list")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_depends_on_itself() {
    let edges = edges();
    let is_known =
        |a: &str, b: &str| CIRCLES.iter().any(|[one, other]| (a, b) == (*one, *other) || (b, a) == (*one, *other));
    let mut left: BTreeMap<&str, BTreeSet<&str>> = edges
        .iter()
        .map(|(from, to)| (from.as_str(), to.iter().map(String::as_str).filter(|to| !is_known(from, to)).collect()))
        .collect();
    // Takes away what names nothing that is left, until there is nothing more to take.
    loop {
        let free: Vec<&str> = left.iter().filter(|(_, to)| to.is_empty()).map(|(from, _)| *from).collect();
        if free.is_empty() {
            break;
        }
        left.retain(|from, _| !free.contains(from));
        for to in left.values_mut() {
            to.retain(|to| !free.contains(to));
        }
    }
    assert!(left.is_empty(), "these go round: {left:?}");
    for [one, other] in CIRCLES {
        assert!(edges[*one].contains(*other) && edges[*other].contains(*one), "{one} and {other} are a circle no more");
    }
}

#[test]
fn only_the_bindings_name_node() {
    for (file, text) in sources().iter().filter(|(file, _)| module(file) != "bindings") {
        let line = text.lines().find(|line| !line.trim_start().starts_with("//") && line.contains("napi"));
        assert_eq!(line, None, "{} names napi", file.display());
    }
}

#[test]
fn only_the_gate_tells_observers() {
    for (file, text) in
        sources().iter().filter(|(file, _)| !matches!(&*module(file), "bindings" | "gate" | "observe" | "lib"))
    {
        assert!(!text.contains("observe::"), "{} names observers", file.display());
    }
}

#[test]
fn files_are_short() {
    let long: Vec<String> = sources()
        .iter()
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(file, lines)| format!("{}: {lines} lines", file.display()))
        .collect();
    assert!(long.is_empty(), "more than {MAX_LINES} lines: {long:?}");
}

/// The names in backticks in the first column of ARCHITECTURE.md's tables.
fn mapped() -> BTreeSet<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let first_cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    first_cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn the_map_has_each_crate_module_and_folder_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = |at: &str| -> Vec<String> {
        let found = fs::read_dir(root.join(at)).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir());
        found.map(|entry| entry.file_name().into_string().unwrap()).collect()
    };
    let modules = edges().into_keys().filter(|name| name != "lib");
    let of_js = folders("js").into_iter().map(|name| format!("js/{name}/"));
    let expected: BTreeSet<String> = folders("crates").into_iter().chain(modules).chain(of_js).collect();
    let mapped = mapped();
    let missing: Vec<_> = expected.difference(&mapped).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md does not say what these are: {missing:?}");
    let is_path =
        |name: &&String| name.starts_with("js/") || (root.join("src").join(name).exists() && !name.contains('/'));
    let gone: Vec<_> = mapped.difference(&expected).filter(is_path).collect();
    assert!(gone.is_empty(), "ARCHITECTURE.md names what is not there: {gone:?}");
}
