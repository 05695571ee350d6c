//! Each example of the page gives its code with what the page says is printed, and its corrected form gives nothing.
//!
//! A good tool `echo` lies below every example, and the blocks are laid over it:
//!
//! | block | what becomes of it |
//! |---|---|
//! | `schema.json` | its fields are merged into the tool's, objects within objects too |
//! | `guide.md`, `handler.js`, `doc.md`, … | it is that file; the legacy pair takes the guide's place |
//! | `folder` | only these files are there; one that ends with `/` is a folder |
//! | `package.json` | its settings are those of the build |
//! | `definition` | it is given to `compile_tool`, and there is no folder |

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use toolgate::compile::{BuildOptions, Code, Severity, build, compile_tool, compile_tool_text};

use super::page::{Block, Page, Section};
use crate::folders::{ECHO_SCHEMA, Workspace};
use crate::recursion::doubling;

const OF_A_LOCK: &str = "of a lock of sources, which JavaScript writes: __test__/sources/build.test.mjs";

/// Codes without an example that runs here, and why.
const NOT_HERE: &[(Code, &str)] = &[
    (Code::ByteOrderMark, "of a character that a page does not show: tests/compile/hostile/text.rs"),
    (Code::DescriptionLong, "of a thousand characters, which are a case of tests/fixtures"),
    (Code::FieldInBoth, "of a schema module, which only JavaScript loads: __test__/docs/diagnostics.test.mjs"),
    (Code::HiddenCharacters, OF_A_LOCK),
    (Code::Internal, "no input is known that gives it"),
    (Code::LockInvalid, OF_A_LOCK),
    (Code::LockMissing, OF_A_LOCK),
    (Code::LockOutdated, OF_A_LOCK),
    (Code::LookAlikeTool, OF_A_LOCK),
    (Code::LoweringTooLarge, "of a schema that doubles with each level, which is a case of tests/fixtures"),
    (Code::NamesOtherTool, OF_A_LOCK),
    (Code::SchemaCodeLost, "of a schema module"),
    (Code::SchemaModule, "of a schema module"),
    (Code::SchemaNotConvertible, "of a schema module"),
    (Code::SchemaNotStable, "of a schema module"),
    (Code::SourceInvalid, OF_A_LOCK),
    (Code::TooLarge, "of a mebibyte, which is made below"),
    (Code::ToolSetLarge, "of 129 tools, which are made below"),
    (Code::VoiceSetLarge, "of 21 tools, which are a case of tests/fixtures"),
    (Code::WriteFailed, "of the disk"),
];

/// Codes about a `schema.json` as a text: nothing can be merged into it, so it is the whole file.
const AS_WRITTEN: [Code; 2] = [Code::DuplicateKey, Code::InvalidJson];

const GUIDE: &str = "# echo\n\nSay it again.\n\n## Parameters\n\n";
const HANDLER: &str = "export async function execute({ args }) {\n  return { ok: true, data: args }\n}\n";

/// A finding, of a build or of `compile_tool`.
#[derive(Debug)]
struct Found {
    code: Code,
    printed: String,
}

fn shown() -> impl Iterator<Item = (Code, Section)> {
    let sections = Page::read().sections.into_iter().map(|section| (Code::parse(&section.code).unwrap(), section));
    sections.filter(|(code, _)| NOT_HERE.iter().all(|(other, _)| other != code))
}

#[test]
fn every_example_gives_what_is_printed_below_it() {
    let mut wrong = Vec::new();
    for (code, section) in shown() {
        let printed = words(section.printed.as_deref().unwrap_or_default());
        let found = findings(code, &section.wrong, &[]);
        let own: Vec<&str> = found.iter().filter(|found| found.code == code).map(|found| &*found.printed).collect();
        let alone = own.len() == found.len() || AS_WRITTEN.contains(&code);
        if own.join(" ") != printed || !alone {
            wrong.push(format!("{code}: {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_corrected_form_is_without_findings() {
    for (code, section) in shown() {
        assert!(!section.right.is_empty(), "{code} says what is right");
        let found = findings(code, &section.right, &[]);
        let as_written = AS_WRITTEN.contains(&code) && found.iter().all(|found| found.code != code);
        assert!(found.is_empty() || as_written, "{code}: {found:#?}");
    }
}

#[test]
fn a_warning_can_be_acknowledged_where_its_section_says_so() {
    for (code, section) in
        shown().filter(|(code, section)| code.severity() == Severity::Warning && !is_definition(section))
    {
        let found = findings(code, &section.wrong, &[code]);
        let says = section.severity.contains("`lintAccepted`");
        assert_eq!(found.iter().all(|found| found.code != code), says, "{code}: {found:#?}");
    }
}

/// Definitions that give a code, which is an error of a build, as a warning.
#[test]
fn what_is_milder_in_a_definition_is_said() {
    let parameters = |property: Value| json!({ "parameters": { "type": "object", "properties": { "a": property } } });
    let milder: BTreeMap<Code, Value> = [
        (Code::BadDefault, parameters(json!({ "type": "integer", "default": "x" }))),
        (Code::BadExample, parameters(json!({ "type": "integer", "examples": ["x"] }))),
        (Code::BadRegex, parameters(json!({ "type": "string", "pattern": "(?R)" }))),
        (Code::BadToolId, json!({ "name": "a-tool" })),
        (Code::LoweringTooLarge, json!({ "parameters": doubling(30) })),
        (Code::MissingField, json!({ "description": null })),
        (Code::ProviderImpossible, parameters(json!({ "type": "object" }))),
        (Code::UnknownField, json!({ "parametres": {} })),
        (Code::UnknownFormat, parameters(json!({ "type": "string", "format": "phone" }))),
        (Code::UnknownKeyword, parameters(json!({ "type": "string", "maxLenght": 3 }))),
    ]
    .into();
    for (code, fields) in &milder {
        let mut definition = json!({ "name": "tool", "description": "Does it." });
        merge(definition.as_object_mut().unwrap(), fields.as_object().unwrap());
        let found = compile_tool(&definition).diagnostics;
        assert!(
            found.iter().any(|found| found.code == *code && found.severity == Severity::Warning),
            "{code}: {found:#?}"
        );
    }
    let errors = Page::read().sections.into_iter().filter(|section| section.severity.starts_with("**Error**"));
    let said = errors.filter(|section| section.severity.contains("a warning in `compileTool`"));
    let said: Vec<Code> = said.map(|section| Code::parse(&section.code).unwrap()).collect();
    assert_eq!(said, milder.into_keys().collect::<Vec<_>>());
}

#[test]
fn what_is_too_large_for_a_page_is_printed_as_it_says() {
    let large =
        json!({ "name": "tool", "description": "Does it.", "parameters": { "description": "x".repeat(1 << 20) } });
    let large = compile_tool_text(&large.to_string(), &[]).diagnostics;
    let set = Workspace::copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compile/voice-set-large"));
    let set = set.build().diagnostics;
    let grown =
        Workspace::copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compile/lowering-too-large"));
    let grown = grown.build().diagnostics;
    let many = Workspace::new();
    for number in 0..129 {
        many.write_echo(&format!("echo_{number}"));
    }
    let many = many.build().diagnostics;
    let many = many.iter().find(|found| found.code == Code::ToolSetLarge).unwrap();
    let found = [
        printed(many.severity, many.code, &many.message, &many.help),
        printed(grown[0].severity, grown[0].code, &grown[0].message, &grown[0].help),
        printed(large[0].severity, large[0].code, &large[0].message, &large[0].help),
        printed(set[0].severity, set[0].code, &set[0].message, &set[0].help),
    ];
    for found in found {
        let section = Page::read().sections.into_iter().find(|section| section.code == found.code.as_str()).unwrap();
        assert_eq!(words(section.printed.as_deref().unwrap()), found.printed);
    }
}

fn is_definition(section: &Section) -> bool {
    section.wrong.iter().any(|block| block.place == "definition")
}

fn printed(severity: Severity, code: Code, message: &str, help: &str) -> Found {
    Found { code, printed: words(&format!("{}[{code}]: {message} help: {help}", severity.as_str())) }
}

/// A text however its lines are broken.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What blocks give, laid over the good tool, whose author acknowledges `accepted`.
fn findings(code: Code, blocks: &[Block], accepted: &[Code]) -> Vec<Found> {
    let block = |place: &str| blocks.iter().find(|block| block.place == place);
    if let Some(Block { text, .. }) = block("definition") {
        let compiled = compile_tool(&serde_json::from_str(text).unwrap()).diagnostics;
        return compiled.iter().map(|found| printed(found.severity, found.code, &found.message, &found.help)).collect();
    }
    let workspace = Workspace::new();
    lay(&workspace, code, blocks, accepted);
    let report = build(&options(&workspace, block("package.json")));
    report.diagnostics.iter().map(|found| printed(found.severity, found.code, &found.message, &found.help)).collect()
}

fn options(workspace: &Workspace, manifest: Option<&Block>) -> BuildOptions {
    let manifest: Value = manifest.map_or(Value::Null, |block| serde_json::from_str(&block.text).unwrap());
    let names = |setting: &str| -> Vec<String> {
        let names = manifest["toolgate"][setting].as_array().into_iter().flatten();
        names.map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let services = manifest["toolgate"]["services"].is_array().then(|| names("services"));
    BuildOptions { modes: names("modes"), providers: names("providers"), services, ..workspace.options() }
}

fn lay(workspace: &Workspace, code: Code, blocks: &[Block], accepted: &[Code]) {
    let is_legacy = blocks.iter().any(|block| block.place == "doc.md");
    let guides: &[&str] = if is_legacy { &["doc_summary.md", "doc.md"] } else { &["guide.md"] };
    let usual = ["schema.json", "handler.js"].iter().chain(guides).map(|name| format!("tools/echo/{name}"));
    let listed = blocks.iter().find(|block| block.place == "folder");
    let paths =
        listed.map_or_else(|| usual.collect(), |block| block.text.lines().map(str::to_owned).collect::<Vec<_>>());
    for path in paths {
        let path = path.strip_prefix("tools/").unwrap();
        if path.ends_with('/') {
            std::fs::create_dir_all(workspace.tools().join(path)).unwrap();
            continue;
        }
        let (folder, name) = path.split_once('/').unwrap_or(("", path));
        let given = blocks.iter().find(|block| block.place == name).map(|block| &*block.text);
        workspace.write(path, content(code, folder, name, given, blocks, accepted));
    }
}

/// The text of a file: as it is given, or the good tool's.
fn content(code: Code, folder: &str, name: &str, given: Option<&str>, blocks: &[Block], accepted: &[Code]) -> String {
    match (name, given) {
        ("schema.json", Some(text)) if AS_WRITTEN.contains(&code) => text.to_owned(),
        ("schema.json", _) => Value::Object(schema(folder, blocks, accepted)).to_string(),
        (_, Some(text)) => text.to_owned(),
        ("guide.md", None) => {
            let schema = schema(folder, blocks, accepted);
            let names = schema["parameters"]["properties"].as_object().unwrap().keys();
            names.fold(GUIDE.to_owned(), |guide, name| guide + &format!("- `{name}`: an argument.\n"))
        }
        ("handler.js", None) => HANDLER.to_owned(),
        (_, None) => String::new(),
    }
}

fn schema(folder: &str, blocks: &[Block], accepted: &[Code]) -> Map<String, Value> {
    let mut schema: Map<String, Value> = serde_json::from_str(ECHO_SCHEMA).unwrap();
    schema["parameters"]["properties"] = json!({ "text": { "type": "string" } });
    schema["toolId"] = json!(folder.replace('-', "_"));
    let given = blocks.iter().find(|block| block.place == "schema.json");
    if let Some(Ok(given)) = given.map(|block| serde_json::from_str(&block.text)) {
        merge(&mut schema, &given);
    }
    if !accepted.is_empty() {
        let entries = schema.entry("lintAccepted").or_insert_with(|| json!([]));
        entries.as_array_mut().unwrap().extend(accepted.iter().map(|code| json!(code.as_str())));
    }
    schema
}

fn merge(members: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, value) in more {
        match (members.get_mut(name), value) {
            (Some(Value::Object(inner)), Value::Object(more)) => merge(inner, more),
            _ => {
                members.insert(name.clone(), value.clone());
            }
        }
    }
}
