//! `schemas/tool.schema.json`, which editors check `schema.json` with, against what the build says of the fixtures.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolgate::compile::{Code, check};

use crate::folders::Workspace;

/// Codes of faults that a schema can see too.
const SEEN: [Code; 5] = [Code::BadBudget, Code::BadEnum, Code::MissingField, Code::UnknownField, Code::WrongType];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Cases about two fields together, which no schema of one compares.
const COMPARES_FIELDS: [&str; 2] = ["bad-budget-background", "rate-limit-per"];

#[test]
fn an_editor_sees_what_the_build_sees() {
    let schema = read(&root().join("schemas/tool.schema.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let (mut good, mut bad) = (0, 0);
    for case in folders(&root().join("tests/fixtures/compile")) {
        if COMPARES_FIELDS.iter().any(|name| case.ends_with(name)) {
            continue;
        }
        let workspace = Workspace::copy_of(&case);
        let report = check(&workspace.options());
        for tool in folders(&workspace.tools()) {
            let Some(definition) = read(&tool.join("schema.json")) else { continue };
            // What a module adds, an editor of the JSON does not see.
            if ["schema.js", "schema.cjs"].iter().any(|name| tool.join(name).exists()) {
                continue;
            }
            let file = format!("tools/{}/schema.json", tool.file_name().unwrap().to_string_lossy());
            let found: Vec<Code> =
                report.diagnostics.iter().filter(|found| found.file == file).map(|found| found.code).collect();
            let refused = !validator.is_valid(&definition);
            if found.iter().any(|code| SEEN.contains(code)) {
                assert!(refused, "{file} of {}: {found:?}", case.display());
                bad += 1;
            } else if report.ok {
                assert!(!refused, "{file} of {}", case.display());
                good += 1;
            }
        }
    }
    assert!(good > 5 && bad > 5, "{good} good and {bad} bad tools were compared");
}

#[test]
fn the_shipped_tools_are_right_for_an_editor() {
    let schema = read(&root().join("schemas/tool.schema.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let shipped: Vec<Value> =
        folders(&root().join("tools")).iter().filter_map(|tool| read(&tool.join("schema.json"))).collect();
    assert!(shipped.len() >= 5, "the shipped tools are found");
    for definition in shipped {
        let errors: Vec<String> = validator.iter_errors(&definition).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", definition["toolId"]);
    }
}
