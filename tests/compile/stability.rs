//! The version says what the tools are, not where, when or how they are stored; and a bad build leaves the good one.

use std::fs;

use serde_json::Value;
use toolgate::compile::{BuildOptions, build, check};
use toolgate::definition::Artifact;

use crate::folders::{ECHO_SCHEMA, Workspace};

fn version(workspace: &Workspace) -> String {
    let report = workspace.build();
    assert!(report.ok, "{report:#?}");
    report.version.unwrap()
}

/// The version of the tool `echo` after a change.
fn version_after(change: impl FnOnce(&Workspace)) -> String {
    let workspace = Workspace::with_echo();
    change(&workspace);
    version(&workspace)
}

#[test]
fn the_same_tools_have_the_same_version() {
    let original = version(&Workspace::with_echo());
    assert!(original.starts_with("1.0.") && original.len() == 12, "{original}");

    let crlf = version_after(|workspace| {
        for name in ["echo/schema.json", "echo/guide.md", "echo/handler.js", "echo/say.js"] {
            workspace.write(name, workspace.read(name).replace('\n', "\r\n"));
        }
    });
    assert_eq!(crlf, original, "line ends");

    let marked = version_after(|workspace| {
        for name in ["echo/guide.md", "echo/handler.js", "echo/say.js"] {
            workspace.write(name, format!("\u{feff}{}", workspace.read(name)));
        }
    });
    assert_eq!(marked, original, "byte order marks");

    let reordered = version_after(|workspace| {
        let Value::Object(members) = serde_json::from_str(ECHO_SCHEMA).unwrap() else { panic!("an object") };
        let reversed: serde_json::Map<String, Value> = members.into_iter().rev().collect();
        workspace.write("echo/schema.json", serde_json::to_string(&reversed).unwrap());
    });
    assert_eq!(reordered, original, "field order");

    let explicit = version_after(|workspace| {
        let schema = ECHO_SCHEMA.replacen('{', "{ \"timeoutMs\": 25000, \"title\": \"Echo\", \"parallel\": true,", 1);
        workspace.write("echo/schema.json", schema);
    });
    assert_eq!(explicit, original, "defaults written out");

    let beside = version_after(|workspace| {
        workspace.write("echo/handler.test.js", "test()");
        workspace.write("_core/unused.js", "1");
        workspace.write("notes.md", "x");
    });
    assert_eq!(beside, original, "files that no tool loads");
}

#[test]
fn the_place_and_the_time_do_not_count() {
    let workspace = Workspace::with_echo();
    let original = version(&workspace);
    let moved = workspace.path("elsewhere");
    fs::create_dir(&moved).unwrap();
    fs::rename(workspace.tools(), moved.join("instruments")).unwrap();
    let report = build(&BuildOptions { source_date_epoch: Some(0), ..BuildOptions::new(moved.join("instruments")) });
    assert_eq!(report.version, Some(original));
}

#[test]
fn every_change_that_counts_changes_the_version() {
    let mut versions = vec![version(&Workspace::with_echo())];
    let changes: [(&str, &str, &str); 5] = [
        ("echo/schema.json", "\"minimum\": 1", "\"minimum\": 0"),
        ("echo/schema.json", "50", "51"),
        ("echo/guide.md", "what to say", "what to repeat"),
        ("echo/handler.js", "return say", "return  say"),
        ("echo/say.js", "ok: true", "ok: !!1"),
    ];
    for (name, from, to) in changes {
        versions.push(version_after(|workspace| {
            let text = workspace.read(name);
            assert!(text.contains(from), "{name} has no {from}");
            workspace.write(name, text.replace(from, to));
        }));
    }
    let count = versions.len();
    versions.sort();
    versions.dedup();
    assert_eq!(versions.len(), count);
}

#[test]
fn equal_builds_are_equal_bytes() {
    let files = ["tool_registry.json", "tool_registry.d.ts", "handlers.mjs"];
    let (first, second) = (Workspace::with_echo(), Workspace::with_echo());
    assert!(first.build().ok && second.build().ok);
    for name in files {
        assert_eq!(first.read(name), second.read(name), "{name}");
    }
    assert_eq!(first.names(), ["echo", "handlers.mjs", "tool_registry.d.ts", "tool_registry.json"], "nothing else");
    let artifact = Artifact::parse(&first.read("tool_registry.json")).unwrap();
    assert_eq!(artifact.build_timestamp, "2023-11-14T22:13:20.000Z");
    assert_eq!(artifact.tools[0].definition.handler_path, "echo/handler.js");
}

#[test]
fn a_bad_build_leaves_the_good_one() {
    let workspace = Workspace::with_echo();
    assert!(workspace.build().ok);
    let good = workspace.read("tool_registry.json");
    workspace.write("echo/schema.json", ECHO_SCHEMA.replace("\"utility\"", "\"utilty\""));
    let report = workspace.build();
    assert_eq!((report.ok, report.version, report.tools), (false, None, vec![]));
    assert_eq!(workspace.read("tool_registry.json"), good);
    workspace.write("echo/schema.json", ECHO_SCHEMA.replace("50", "60"));
    let report = check(&workspace.options());
    assert_eq!(report.tools, ["echo"]);
    assert_eq!(workspace.read("tool_registry.json"), good, "a check writes nothing");
}

#[test]
fn the_artifact_can_stand_elsewhere() {
    let workspace = Workspace::with_echo();
    let out_dir = workspace.path("dist/tool set");
    let report = build(&BuildOptions { out_dir: out_dir.clone(), ..workspace.options() });
    assert!(report.ok, "{report:#?}");
    let artifact = Artifact::parse(&fs::read_to_string(out_dir.join("tool_registry.json")).unwrap()).unwrap();
    let handler = out_dir.join(&artifact.tools[0].definition.handler_path);
    assert_eq!(handler.canonicalize().unwrap(), workspace.tools().join("echo/handler.js").canonicalize().unwrap());
    let module = fs::read_to_string(out_dir.join("handlers.mjs")).unwrap();
    assert!(module.contains("import * as echo from '../../tools/echo/handler.js'"), "{module}");
    assert_eq!(workspace.names(), ["echo"]);
}

#[test]
fn outside_git_there_is_no_commit() {
    let workspace = Workspace::with_echo();
    let inside_git = workspace.tools().ancestors().any(|folder| folder.join(".git").exists());
    let report = build(&BuildOptions { git_commit: None, ..workspace.options() });
    assert!(report.ok);
    let artifact = Artifact::parse(&workspace.read("tool_registry.json")).unwrap();
    assert_eq!(artifact.git_commit.is_some(), inside_git);
}
