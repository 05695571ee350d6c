//! Schemas that authors write in code: `schema.js` beside or instead of `schema.json`.
//!
//! The core runs no code. Whoever builds loads the modules and hands over the JSON that they give; here that JSON is
//! put together with the rest of the tool, and what went wrong is told at its place in the module. From then on a tool
//! is the same whichever way it was written: the module's text does not count for the version, its JSON does.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::code::Code;
use super::place::Place;
use super::report::Findings;
use super::source::SourceFile;

/// Names of schema modules, in the order in which they are preferred.
pub(super) const MODULE_NAMES: [&str; 3] = ["schema.js", "schema.mjs", "schema.cjs"];

/// What loading a tool's schema module gave.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SchemaModule {
    /// The module's name within the tool's folder: `schema.js`.
    pub file_name: String,
    /// What it says, or why it says nothing.
    pub outcome: Outcome,
}

/// The end of loading a module.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It was loaded.
    Definition {
        /// The fields of its default export as the text of a JSON object.
        json: String,
        /// What an author should know of it.
        #[serde(default)]
        notices: Vec<ModuleFinding>,
    },
    /// It was not.
    Failure(ModuleFinding),
}

/// What is to be told of a module.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModuleFinding {
    /// Which finding it is.
    pub kind: ModuleFindingKind,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
    /// JSON Pointer into the default export, where it is about a value of it.
    #[serde(default)]
    pub pointer: Option<String>,
    /// 1-based, where JavaScript knows it.
    #[serde(default)]
    pub line: Option<u32>,
    /// 1-based, in UTF-16 code units.
    #[serde(default)]
    pub column: Option<u32>,
}

/// The kinds of findings about a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ModuleFindingKind {
    /// It can't be loaded, or exports something that is no JSON.
    Module,
    /// A schema in it has no JSON Schema.
    Conversion,
    /// It gives another schema each time.
    Unstable,
    /// A part of a schema is not in its JSON Schema.
    Lost,
}

impl ModuleFindingKind {
    const fn code(self) -> Code {
        match self {
            Self::Module => Code::SchemaModule,
            Self::Conversion => Code::SchemaNotConvertible,
            Self::Unstable => Code::SchemaNotStable,
            Self::Lost => Code::SchemaCodeLost,
        }
    }
}

/// The schema modules that a folder has; also ones that can't be read, which reading tells.
pub(super) fn modules_in(folder: &Path) -> Vec<&'static str> {
    MODULE_NAMES.into_iter().filter(|name| fs::symlink_metadata(folder.join(name)).is_ok()).collect()
}

/// The fields that a module gives, with its findings; none where it gives none.
pub(super) fn fields(
    file: &SourceFile,
    loaded: Option<&SchemaModule>,
    findings: &mut Findings,
) -> Option<Map<String, Value>> {
    let outcome = loaded.filter(|loaded| file.label.ends_with(&format!("/{}", loaded.file_name)));
    match outcome.map(|loaded| &loaded.outcome) {
        Some(Outcome::Definition { json, notices }) => {
            for notice in notices {
                tell(file, notice, findings);
            }
            let fields = serde_json::from_str(json).ok();
            if fields.is_none() {
                let help = "export one object with the tool's fields";
                findings.add(Code::SchemaModule, file.whole(), "the module gives no JSON object", help);
            }
            fields
        }
        Some(Outcome::Failure(failure)) => {
            tell(file, failure, findings);
            None
        }
        None => {
            let help = "build with `toolgate build` or `buildTools()`, which load modules";
            findings.add(Code::SchemaModule, file.whole(), "the module was not loaded", help);
            None
        }
    }
}

fn tell(file: &SourceFile, finding: &ModuleFinding, findings: &mut Findings) {
    findings.add(finding.kind.code(), place(file, finding), finding.message.clone(), finding.help.clone());
}

fn place(file: &SourceFile, finding: &ModuleFinding) -> Place {
    match (&finding.pointer, finding.line) {
        (Some(pointer), _) => file.at_value(pointer),
        (None, Some(line)) => file.at_utf16(line, finding.column.unwrap_or(1)),
        // Node does not say where a module's syntax is wrong; the parser does.
        (None, None) => match super::handler::inspect(&file.text).syntax_errors.first() {
            Some(error) => file.at_span_or_word(error.span.clone()),
            None => file.whole(),
        },
    }
}

/// Adds a module's fields to those of `schema.json`. A field of both would make one of them silently wrong.
pub(super) fn join(
    mut members: Map<String, Value>,
    (json, module): (&SourceFile, &SourceFile),
    fields: Map<String, Value>,
    findings: &mut Findings,
) -> Map<String, Value> {
    for (name, value) in fields {
        if members.contains_key(&name) {
            let pointer = super::source::pointer(&[&name]);
            let module = module.label.rsplit('/').next().unwrap_or_default();
            let message = format!("`{name}` is in `schema.json` and in `{module}`");
            findings.add(Code::FieldInBoth, json.at_key(&pointer), message, "keep one of them");
        } else {
            members.insert(name, value);
        }
    }
    members
}
