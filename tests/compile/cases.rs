//! Every case of `tests/fixtures/compile/`: the report, and what a good tool set is compiled to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toolgate::compile::{Code, Colour, Style, build, check, format_report};

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

fn pretty(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    serde_json::to_string_pretty(&value).unwrap() + "\n"
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
                let text = workspace.read(name);
                // The artifact is one tool a line; its snapshot is for people.
                let text = if name == "tool_registry.json" { pretty(&text) } else { text };
                wrong.extend(differs(&case.join(snapshot), &text));
            }
        }
        assert_eq!(check(&workspace.options()), report, "{}: a check finds what a build finds", case.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Codes of faults that no folder has: of the disk, of the compiler, of definitions in older drafts, of 129 tools, and of locks.
const WITHOUT_CASE: [Code; 13] = [
    Code::HiddenCharacters,
    Code::IgnoredKeyword,
    Code::Internal,
    Code::LockInvalid,
    Code::LockMissing,
    Code::LockOutdated,
    Code::LookAlikeTool,
    Code::NamesOtherTool,
    Code::SourceInvalid,
    Code::TooLarge,
    Code::ToolSetLarge,
    Code::UnknownDialect,
    Code::WriteFailed,
];

#[test]
fn every_code_has_a_case() {
    let mut seen: BTreeSet<Code> = WITHOUT_CASE.into();
    for case in cases() {
        let report = check(&Workspace::copy_of(&case).options());
        seen.extend(report.diagnostics.iter().map(|found| found.code));
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), Code::ALL);
}

fn drawn(case: &str, style: &Style) -> String {
    format_report(&Workspace::copy_of(&fixtures().join(case)).build(), style)
}

#[test]
fn a_report_reads_well_in_a_terminal() {
    let expected = r#"error[bad-semver]: `version` is `1.0`: unexpected end of input while parsing minor version number
 --> tools/echo/schema.json:3:14
  |
3 |   "version": "1.0",
  |              ^^^^^
  |
  = help: write three numbers, such as `1.0.0`

run `toolgate explain bad-semver` for details
1 error; the last good tool set is untouched
"#;
    assert_eq!(drawn("bad-semver", &Style::PLAIN), expected);
    let several = drawn("several", &Style::PLAIN);
    assert!(several.contains("\n\nrun `toolgate explain <code>` for details\n"), "{several}");
    let built = drawn("good-plain", &Style::PLAIN);
    assert!(built.starts_with("built 2 tools, version 1.0."), "{built}");
    let coloured = drawn("bad-semver", &Style { colour: Colour::Ansi, ..Style::PLAIN });
    assert!(coloured.contains("\u{1b}["), "{coloured}");
    assert_ne!(coloured, expected);
}
