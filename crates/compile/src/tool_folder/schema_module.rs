//! Schema modules: schemas in code, as `schema.js` beside or instead of `schema.json`.
//!
//! The core runs no code. The caller loads the modules and passes their JSON; this module merges the JSON into the tool
//! and maps findings to locations in the module. The version of the tool set depends on the JSON, not on the module's
//! text.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::text::location::SourceLocation;
use crate::text::source::SourceFile;

/// Names of schema modules, in the order in which they are preferred.
pub(crate) const MODULE_NAMES: [&str; 3] = ["schema.js", "schema.mjs", "schema.cjs"];

/// The result of loading a tool's schema module.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SchemaModule {
    /// The module's name within the tool's folder: `schema.js`.
    pub file_name: String,
    /// The exported fields, or the reason of the failure.
    pub outcome: SchemaModuleOutcome,
}

/// The outcome of loading a schema module.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SchemaModuleOutcome {
    /// The module was loaded.
    Definition {
        /// The fields of its default export as the text of a JSON object.
        json: String,
        /// Findings about the loaded module.
        #[serde(default)]
        notices: Vec<ModuleFinding>,
    },
    /// The module was not loaded.
    Failure(ModuleFinding),
}

/// A finding about a schema module.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModuleFinding {
    /// The kind of finding.
    pub kind: ModuleFindingKind,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
    /// JSON Pointer into the default export, if the finding is about a value.
    #[serde(default)]
    pub pointer: Option<String>,
    /// 1-based; absent if JavaScript does not report it.
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
    /// The module can't be loaded, or its export is not JSON.
    Module,
    /// A schema of the module can't be converted to JSON Schema.
    Conversion,
    /// The schema differs each time that it is read.
    Unstable,
    /// A part of a schema is missing in its JSON Schema.
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

/// The names of the schema modules in a folder, including unreadable files, which are reported on reading.
pub(crate) fn modules_in(folder: &Path) -> Vec<&'static str> {
    MODULE_NAMES.into_iter().filter(|name| fs::symlink_metadata(folder.join(name)).is_ok()).collect()
}

/// Returns the fields that a module exports and adds its findings; `None` if the module exports none.
pub(crate) fn module_fields(
    file: &SourceFile,
    loaded: Option<&SchemaModule>,
    findings: &mut Findings,
) -> Option<Map<String, Value>> {
    let outcome = loaded.filter(|loaded| file.label.ends_with(&format!("/{}", loaded.file_name)));
    match outcome.map(|loaded| &loaded.outcome) {
        Some(SchemaModuleOutcome::Definition { json, notices }) => {
            for notice in notices {
                report_finding(file, notice, findings);
            }
            let fields = serde_json::from_str(json).ok();
            if fields.is_none() {
                let help = "export one object with the tool's fields";
                findings.add(Code::SchemaModule, file.whole_file(), "the module exports no JSON object", help);
            }
            fields
        }
        Some(SchemaModuleOutcome::Failure(failure)) => {
            report_finding(file, failure, findings);
            None
        }
        None => {
            let help = "build with `toolgate build` or `buildTools()`, which load modules";
            findings.add(Code::SchemaModule, file.whole_file(), "the module was not loaded", help);
            None
        }
    }
}

fn report_finding(file: &SourceFile, finding: &ModuleFinding, findings: &mut Findings) {
    findings.add(finding.kind.code(), finding_location(file, finding), finding.message.clone(), finding.help.clone());
}

fn finding_location(file: &SourceFile, finding: &ModuleFinding) -> SourceLocation {
    match (&finding.pointer, finding.line) {
        (Some(pointer), _) => file.at_value(pointer),
        (None, Some(line)) => file.at_utf16(line, finding.column.unwrap_or(1)),
        // Node does not report the location of a syntax error; the parser does.
        (None, None) => match crate::handler::inspect_handler(&file.text).syntax_errors.first() {
            Some(error) => file.at_span_or_word(error.span.clone()),
            None => file.whole_file(),
        },
    }
}

/// Merges a module's fields into those of `schema.json`. A field in both is an error, because one value would be
/// ignored silently.
pub(crate) fn merge_fields(
    mut members: Map<String, Value>,
    (json, module): (&SourceFile, &SourceFile),
    fields: Map<String, Value>,
    findings: &mut Findings,
) -> Map<String, Value> {
    for (name, value) in fields {
        if members.contains_key(&name) {
            let pointer = crate::text::source::pointer_from_names(&[&name]);
            let module = module.label.rsplit('/').next().unwrap_or_default();
            let message = format!("`{name}` is in `schema.json` and in `{module}`");
            findings.add(Code::FieldInBoth, json.at_key(&pointer), message, "keep one of them");
        } else {
            members.insert(name, value);
        }
    }
    members
}
