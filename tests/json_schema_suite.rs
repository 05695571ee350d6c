//! Validation on a tape against JSON-Schema-Test-Suite, draft 2020-12.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod corpus;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use toolgate::json::{Limits, Tape};
use toolgate::schema::{CompileOptions, CompiledSchema, Formats};

const SUITE: &str = "json-schema-test-suite";

/// Where the suite's remote schemas are served, for whoever fetches.
const REMOTES: &str = "http://localhost:1234/";

#[derive(Default)]
struct Score {
    right: usize,
    wrong: Vec<String>,
}

impl Score {
    fn total(&self) -> usize {
        self.right + self.wrong.len()
    }
}

fn options(folder: &Path, formats: Formats) -> CompileOptions {
    let remotes = corpus::files(&folder.join("remotes"));
    let resources: BTreeMap<String, Value> =
        remotes.into_iter().map(|(name, path)| (format!("{REMOTES}{name}"), corpus::json(&path))).collect();
    CompileOptions { formats, resources: Arc::new(resources) }
}

/// Runs a file. A group whose schema is refused counts as wrong in each of its tests.
fn run(name: &str, path: &Path, options: &CompileOptions, score: &mut Score) {
    for group in corpus::json(path).as_array().unwrap() {
        let compiled = CompiledSchema::compile_with(&group["schema"], options);
        for test in group["tests"].as_array().unwrap() {
            let title = format!("{name}: {}: {}", group["description"], test["description"]);
            let outcome = compiled.as_ref().map_err(ToString::to_string).and_then(|schema| check(schema, test));
            match outcome {
                Ok(()) => score.right += 1,
                Err(reason) => score.wrong.push(format!("{title}: {reason}")),
            }
        }
    }
}

fn check(schema: &CompiledSchema, test: &Value) -> Result<(), String> {
    let tape = Tape::parse(test["data"].to_string(), &Limits::widest()).map_err(|error| error.reason())?;
    let is_valid = schema.is_valid(tape.root());
    let issues = schema.validate(tape.root());
    assert_eq!(is_valid, issues.is_ok(), "the fast and the full check agree");
    if let Err(issues) = issues {
        assert!(!issues.is_empty() && issues.iter().all(|issue| !issue.message.is_empty()), "{issues:?}");
    }
    if Some(is_valid) == test["valid"].as_bool() { Ok(()) } else { Err(format!("is_valid is {is_valid}")) }
}

fn score(sub: &str, is_wanted: impl Fn(&str) -> bool, formats: Formats) -> Option<Score> {
    let folder = corpus::corpus(SUITE)?;
    let options = options(&folder, formats);
    let mut score = Score::default();
    for (name, path) in corpus::files(&folder.join("draft2020-12").join(sub)) {
        if is_wanted(&name) {
            run(&name, &path, &options, &mut score);
        }
    }
    Some(score)
}

/// In the required part `format` is a note, as the draft has it by default.
#[test]
fn all_required_tests_are_right() {
    let Some(score) = score("", |name| !name.starts_with("optional/"), Formats::AsDeclared) else { return };
    assert_eq!(score.wrong, Vec::<String>::new());
    assert_eq!(score.total(), 1299);
}

#[test]
fn all_format_tests_are_right() {
    let Some(score) = score("optional/format", |_| true, Formats::Assert) else { return };
    assert_eq!(score.wrong, Vec::<String>::new());
    assert_eq!(score.total(), 764);
}

#[test]
fn all_optional_tests_are_right() {
    let Some(score) = score("optional", |name| !name.starts_with("format/"), Formats::AsDeclared) else { return };
    assert_eq!(score.wrong, Vec::<String>::new());
    assert_eq!(score.total(), 162);
}
