//! Every case of `tests/fixtures/compile/`: the report, and what a good tool set is compiled to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toolgate::compile::{build, check, format_report};

use crate::folders::Workspace;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compile")
}

fn cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() > 30, "the cases are missing");
    cases
}

/// Compares with the file, or writes it where `TOOLGATE_RECORD` is set. Gives what differs.
fn differs(path: &Path, actual: &str) -> Option<String> {
    if std::env::var_os("TOOLGATE_RECORD").is_some() {
        fs::write(path, actual).unwrap();
        return None;
    }
    let expected = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    (expected != actual).then(|| format!("{}:\n--- expected\n{expected}\n--- actual\n{actual}", path.display()))
}

#[test]
fn every_case_gives_its_report_and_files() {
    let mut wrong = Vec::new();
    for case in cases() {
        let workspace = Workspace::copy_of(&case);
        let report = build(&workspace.options());
        let json = serde_json::to_string_pretty(&report).unwrap() + "\n";
        wrong.extend(differs(&case.join("report.json"), &json));
        for (name, snapshot) in [
            ("tool_registry.json", "artifact.json"),
            ("handlers.mjs", "handlers.mjs"),
            ("tool_registry.d.ts", "types.d.ts"),
        ] {
            let built = workspace.tools().join(name);
            assert_eq!(
                built.exists(),
                report.ok,
                "{}: {name} is there exactly where the build is good",
                case.display()
            );
            // The other files say nothing that a case about a warning is about.
            if report.ok && case.file_name().unwrap().to_string_lossy().starts_with("good-") {
                wrong.extend(differs(&case.join(snapshot), &workspace.read(name)));
            }
        }
        assert_eq!(check(&workspace.options()), report, "{}: a check finds what a build finds", case.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The names that people put into `lintAccepted` and look up; renaming one is a change for them.
const CODES: [&str; 38] = [
    "bad-budget",
    "bad-clamp",
    "bad-default",
    "bad-enum",
    "bad-example",
    "bad-mode",
    "bad-preview",
    "bad-regex",
    "bad-semver",
    "bad-tool-id",
    "cache-on-writes",
    "duplicate-key",
    "duplicate-tool-id",
    "endless-ref",
    "handler-syntax",
    "invalid-json",
    "legacy_layout",
    "missing-field",
    "missing-file",
    "missing-section",
    "no-execute",
    "no_tools",
    "retrieval-not-idempotent",
    "retrieval-writes",
    "schema-invalid",
    "schema-not-closed",
    "schema-not-object",
    "summary-missing",
    "summary-too-long",
    "unknown-field",
    "unknown-format",
    "unknown-keyword",
    "unknown_mode",
    "unreadable-file",
    "unresolved-ref",
    "utility_writes",
    "writes_without_confirmation",
    "wrong-type",
];

#[test]
fn every_code_has_a_case() {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for case in cases() {
        let report = check(&Workspace::copy_of(&case).options());
        seen.extend(report.diagnostics.iter().map(|found| found.code));
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), CODES);
}

#[test]
fn a_report_reads_well_in_a_terminal() {
    let text = |case: &str| format_report(&Workspace::copy_of(&fixtures().join(case)).build());
    let expected = "error[bad-semver] tools/echo/schema.json:3:14\n  \
                    `version` is `1.0`: unexpected end of input while parsing minor version number\n  \
                    help: write three numbers, such as `1.0.0`\n\n\
                    1 error; the last good tool set is untouched\n";
    assert_eq!(text("bad-semver"), expected);
    let built = text("good-plain");
    assert!(built.starts_with("built 2 tools, version 1.0."), "{built}");
}
