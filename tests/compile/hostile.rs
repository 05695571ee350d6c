//! Folders that nobody means to write: each ends in a report.

use std::fs;

use toolgate::compile::{BuildOptions, Severity, build};

use crate::folders::{ECHO_SCHEMA, Workspace, codes};

/// The codes after a change of the good tool `echo`.
fn codes_after(change: impl FnOnce(&Workspace)) -> Vec<&'static str> {
    let workspace = Workspace::with_echo();
    change(&workspace);
    let report = workspace.build();
    assert_eq!(report.ok, report.count(Severity::Error) == 0);
    codes(&report)
}

fn with_parameters(parameters: &str) -> Vec<&'static str> {
    codes_after(|workspace| {
        let mut schema: serde_json::Value = serde_json::from_str(ECHO_SCHEMA).unwrap();
        schema["parameters"] = serde_json::from_str(parameters).unwrap();
        schema["lintAccepted"] = serde_json::json!(["parameter-undocumented", "parameter-unknown"]);
        workspace.write("echo/schema.json", schema.to_string());
    })
}

#[test]
fn files_that_are_no_text() {
    for name in ["schema.json", "guide.md", "handler.js"] {
        let folder = codes_after(|workspace| {
            fs::remove_file(workspace.tools().join("echo").join(name)).unwrap();
            fs::create_dir(workspace.tools().join("echo").join(name)).unwrap();
        });
        assert_eq!(folder, ["unreadable-file"], "{name} is a folder");
        let bytes = codes_after(|workspace| workspace.write(&format!("echo/{name}"), b"\xff\xfe{\0}\0"));
        assert_eq!(bytes, ["unreadable-file"], "{name} is UTF-16");
        let large = codes_after(|workspace| workspace.write(&format!("echo/{name}"), vec![b' '; 5 << 20]));
        assert_eq!(large, ["unreadable-file"], "{name} is too large");
    }
    assert_eq!(codes_after(|workspace| workspace.write("echo/schema.json", "")), ["invalid-json"]);
    assert_eq!(codes_after(|workspace| workspace.write("echo/schema.json", "\u{feff}")), ["invalid-json"]);
    assert_eq!(
        codes_after(|workspace| workspace.write("echo/guide.md", "")),
        ["summary-missing", "parameter-undocumented"]
    );
    assert_eq!(codes_after(|workspace| workspace.write("echo/handler.js", "")), ["no-execute"]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_round_or_nowhere() {
    use std::os::unix::fs::symlink;
    let link = |target: &str, name: &str| {
        codes_after(|workspace| {
            let path = workspace.tools().join(name);
            let _ = fs::remove_file(&path);
            symlink(target, path).unwrap();
        })
    };
    assert_eq!(link("loop", "loop"), ["unreadable-file"], "a folder that links to itself");
    assert_eq!(link("gone", "nowhere"), ["unreadable-file"], "a folder that links nowhere");
    assert_eq!(link("schema.json", "echo/schema.json"), ["unreadable-file"], "a file that links to itself");
    assert_eq!(link("/dev/zero", "echo/handler.js"), ["unreadable-file"], "a file without end");
    assert_eq!(link(".", "round"), ["missing-file", "missing-file", "missing-file"], "a tool that is the tools folder");
    assert_eq!(link("echo", "echo2"), ["bad-tool-id", "duplicate-tool-id"], "one tool twice");
    assert_eq!(link(".", "_core"), [""; 0], "what is passed over is not looked at");
}

#[test]
fn nesting_without_end() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    for text in [deep("[", "]"), deep("{\"a\":", "}"), "[".repeat(100_000), "{\"parameters\":".repeat(100_000)] {
        assert_eq!(codes_after(|workspace| workspace.write("echo/schema.json", &text)), ["invalid-json"]);
    }
    for text in [deep("[", "]"), deep("(", ")"), deep("{", "}"), "`${".repeat(100_000)] {
        assert_eq!(codes_after(|workspace| workspace.write("echo/handler.js", &text)), ["handler-syntax"]);
    }
}

#[test]
fn references_without_end() {
    let parameters = |properties: &str, defs: &str| {
        format!(
            r#"{{ "type": "object", "additionalProperties": false, "properties": {{ {properties} }}, "$defs": {{ {defs} }} }}"#
        )
    };
    let tree = parameters(
        r##""tree": { "$ref": "#/$defs/node", "default": { "left": {} } }"##,
        r##""node": { "type": "object", "additionalProperties": false,
             "properties": { "left": { "$ref": "#/$defs/node" }, "right": { "$ref": "#/$defs/node" } } }"##,
    );
    assert_eq!(with_parameters(&tree), ["lowering-lost"; 2], "a tree is fine, and cut for Gemini at both branches");
    let round = parameters(
        r##""a": { "$ref": "#/$defs/x", "default": 1 }"##,
        r##""x": { "$ref": "#/$defs/y" }, "y": { "anyOf": [{ "$ref": "#/$defs/x" }] }"##,
    );
    assert_eq!(with_parameters(&round), ["endless-ref"]);
    let laughs: Vec<String> = (0..40)
        .map(|n| format!(r##""d{n}": {{ "type": "object", "properties": {{ "a": {{ "$ref": "#/$defs/d{next}" }}, "b": {{ "$ref": "#/$defs/d{next}" }} }} }}"##, next = n + 1))
        .chain([r#""d40": { "type": "string" }"#.to_owned()])
        .collect();
    let laughs = parameters(r##""a": { "$ref": "#/$defs/d0" }"##, &laughs.join(","));
    let found = with_parameters(&laughs);
    assert!(!found.contains(&"internal"), "{found:?}");
    assert!(found.len() <= 3 * 40, "a schema that doubles at each level is cut, not followed: {}", found.len());
    let chain: Vec<String> = (0..2000).map(|n| format!(r##""d{n}": {{ "$ref": "#/$defs/d{}" }}"##, n + 1)).collect();
    let chain = parameters(r##""a": { "$ref": "#/$defs/d0" }"##, &format!(r#"{}, "d2000": true"#, chain.join(",")));
    assert_eq!(with_parameters(&chain), ["voice-set-large", "voice-heavy", "lowering-lost"], "a long chain is carried");
}

#[test]
fn a_tools_folder_that_is_none() {
    let workspace = Workspace::new();
    let codes_of = |name: &str| codes(&build(&BuildOptions::new(workspace.path(name))));
    assert_eq!(codes_of("gone"), ["missing-file"]);
    fs::write(workspace.path("file"), "").unwrap();
    assert_eq!(codes_of("file"), ["unreadable-file"]);
    assert_eq!(codes(&workspace.build()), ["no-tools"]);
    assert_eq!(codes(&build(&BuildOptions::new(""))), ["missing-file"]);
}

#[test]
fn an_output_that_can_not_be_written() {
    let workspace = Workspace::with_echo();
    fs::write(workspace.path("file"), "").unwrap();
    let below_a_file = BuildOptions { out_dir: workspace.path("file/below"), ..workspace.options() };
    let report = build(&below_a_file);
    assert_eq!((codes(&report), report.ok, report.version), (vec!["write-failed"], false, None));

    let out_dir = workspace.path("taken");
    fs::create_dir_all(out_dir.join("tool_registry.json")).unwrap();
    let report = build(&BuildOptions { out_dir: out_dir.clone(), ..workspace.options() });
    assert_eq!((codes(&report), report.ok), (vec!["write-failed"], false));
    let names = fs::read_dir(out_dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names.filter(|name| name.contains(".tmp")).collect();
    assert_eq!(left, [""; 0], "nothing is left beside it");
}

#[test]
fn names_that_are_words_of_the_language() {
    let workspace = Workspace::with_echo();
    for name in ["delete", "handlers", "await"] {
        workspace.write(&format!("{name}/schema.json"), ECHO_SCHEMA.replace("\"echo\"", &format!("\"{name}\"")));
        workspace.write(&format!("{name}/guide.md"), "Does it.");
        workspace.write(&format!("{name}/handler.js"), "export const execute = () => {}");
    }
    let report = workspace.build();
    assert!(report.ok, "{report:#?}");
    let expected = "// Made by the build from the tool folders. Changes are lost.\n\
        import * as await$ from './await/handler.js'\n\
        import * as delete$ from './delete/handler.js'\n\
        import * as echo from './echo/handler.js'\n\
        import * as handlers$ from './handlers/handler.js'\n\
        \nexport const handlers = {\n  await: await$,\n  delete: delete$,\n  echo,\n  handlers: handlers$,\n}\n";
    assert_eq!(workspace.read("handlers.mjs"), expected);
}
