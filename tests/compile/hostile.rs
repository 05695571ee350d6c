//! Folders that no author writes on purpose: each ends in a report, and one with errors leaves the last good tool set.

mod files;
#[cfg(unix)]
mod links;
mod names;
mod terminal;
mod text;

use std::fs;

use toolgate::compile::{BuildOptions, BuildReport, Severity, build};

use crate::folders::{ECHO_SCHEMA, Workspace, codes};

const OUTPUTS: [&str; 3] = ["tool_registry.json", "tool_registry.d.ts", "handlers.mjs"];

/// Builds the good tool `echo`, then once more after a change.
fn report_after(change: impl FnOnce(&Workspace)) -> BuildReport {
    let workspace = Workspace::with_echo();
    assert!(workspace.build().ok);
    let outputs = || OUTPUTS.map(|name| fs::read(workspace.tools().join(name)).unwrap());
    let good = outputs();
    change(&workspace);
    let report = workspace.build();
    assert_eq!(report.ok, report.count(Severity::Error) == 0);
    assert_eq!(report.ok, report.version.is_some());
    if !report.ok {
        assert!(outputs() == good, "the last good tool set was touched: {report:#?}");
        assert!(!workspace.names().iter().any(|name| name.contains(".tmp")), "something is left beside it");
    }
    report
}

/// The codes after a change of the good tool `echo`.
fn codes_after(change: impl FnOnce(&Workspace)) -> Vec<&'static str> {
    codes(&report_after(change))
}

/// The findings after a change of the good tool `echo`, as `code file:line:column` below the tools folder.
fn told_after(change: impl FnOnce(&Workspace)) -> Vec<String> {
    let told = report_after(change).diagnostics.into_iter().map(|found| {
        let file = found.file.strip_prefix("tools/").unwrap_or(&found.file);
        format!("{} {file}:{}:{}", found.code, found.line, found.column)
    });
    told.collect()
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
