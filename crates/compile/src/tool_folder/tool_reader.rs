//! Reads the tool folders. Reports only files that can't be read; the lint rules check the content.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::guide::Guide;
use super::schema_module::{self, SchemaModule};
use super::tool_source::{HandlerFile, ToolDocument, ToolSource};
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::handler;
use crate::schema::normal_schemas::normalize_schemas;
use crate::text::json_spans::duplicate_members;
use crate::text::location::SourceLocation;
use crate::text::source::SourceFile;
use crate::text::text_file::{self, ReadError, io_error_reason};

/// Handler files that are not compiled to JavaScript yet.
const TYPESCRIPT_HANDLERS: [&str; 4] = ["handler.ts", "handler.tsx", "handler.mts", "handler.cts"];

/// A tool and the findings of reading it.
pub(crate) type ToolWithFindings = (ToolSource, Findings);

/// Reads every tool folder under `tools_dir`, sorted by name. `loaded` has the results of loading schema modules, by
/// folder. Findings about the tools folder itself go to `findings`.
pub(crate) fn read_tools(
    tools_dir: &Path,
    loaded: &BTreeMap<String, SchemaModule>,
    findings: &mut Findings,
) -> Vec<ToolWithFindings> {
    let root = root_label(tools_dir);
    let entries = match fs::read_dir(tools_dir) {
        Ok(entries) => entries,
        Err(error) => {
            let code = if error.kind() == io::ErrorKind::NotFound { Code::MissingFile } else { Code::UnreadableFile };
            let message = format!("the tools folder can't be read: {}", io_error_reason(&error));
            findings.add(
                code,
                SourceLocation::whole_file(root),
                message,
                "create it with one folder for each tool; `toolgate init` writes a first one",
            );
            return Vec::new();
        }
    };
    let mut folders = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => folders.extend(tool_folder(&root, &entry, findings)),
            Err(error) => findings.add(
                Code::UnreadableFile,
                SourceLocation::whole_file(root.clone()),
                format!("the tools folder can't be listed: {}", io_error_reason(&error)),
                "check its permissions",
            ),
        }
    }
    folders.sort_unstable();
    folders.into_iter().map(|(name, path)| read_tool(&root, loaded.get(&name), name, &path)).collect()
}

/// The last path component of the tools folder, with which every file name in a report begins.
pub(crate) fn root_label(tools_dir: &Path) -> String {
    let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    named(tools_dir).or_else(|| named(&fs::canonicalize(tools_dir).ok()?)).unwrap_or_else(|| "tools".to_owned())
}

/// The name and path of a tool folder; `None` for files, `_…`, `.…` and npm's `node_modules`.
fn tool_folder(root: &str, entry: &fs::DirEntry, findings: &mut Findings) -> Option<(String, PathBuf)> {
    let name = entry.file_name().to_string_lossy().into_owned();
    if name.starts_with(['_', '.']) || name == "node_modules" {
        return None;
    }
    match fs::metadata(entry.path()) {
        Ok(found) if found.is_dir() => Some((name, entry.path())),
        Ok(_) => None,
        Err(error) => {
            findings.add(
                Code::UnreadableFile,
                SourceLocation::whole_file(format!("{root}/{name}")),
                format!("`{name}` can't be read: {}", io_error_reason(&error)),
                "repair or remove it; a name that begins with `_` or `.` is skipped",
            );
            None
        }
    }
}

fn read_tool(root: &str, loaded: Option<&SchemaModule>, folder: String, path: &Path) -> ToolWithFindings {
    let mut findings = Findings::default();
    let label = format!("{root}/{folder}");
    let reader = FolderReader { label: &label, path };
    let module = reader.schema_module(&mut findings);
    let schema = reader.definition(&module, loaded, &mut findings);
    let module = match module {
        SchemaModuleFile::Read(name, file) => Some((path.join(name), file)),
        SchemaModuleFile::Absent | SchemaModuleFile::Unreadable => None,
    };
    let guide = reader.guide(&mut findings);
    let handler = reader.handler(&mut findings);
    (ToolSource { folder, label, schema, module, guide, handler, declared: None }, findings)
}

/// Parses a `schema.json` as a JSON object.
fn parse_members(file: &SourceFile, findings: &mut Findings) -> Option<Map<String, Value>> {
    if file.has_bom {
        let message = "the file begins with a byte order mark, which most readers of JSON refuse";
        findings.add(Code::ByteOrderMark, file.at_span(0..0), message, "save it as UTF-8 without one");
    }
    match serde_json::from_str::<Value>(&file.text) {
        Ok(Value::Object(members)) => {
            for (pointer, span) in duplicate_members(&file.text) {
                let message = format!("duplicate member `{pointer}`: only the last one counts");
                findings.add(Code::DuplicateKey, file.at_span(span), message, "remove one of them");
            }
            Some(members)
        }
        Ok(_) => {
            let help = "begin the file with `{` and see the fields in the guide for authors";
            findings.add(Code::WrongType, file.at_value(""), "schema.json is not a JSON object", help);
            None
        }
        Err(error) => {
            let text = error.to_string();
            let what = text.split(" at line ").next().unwrap_or_default();
            let help = "correct the JSON; comments and trailing commas are not allowed";
            findings.add(Code::InvalidJson, file.at_json_error(&error), format!("not valid JSON: {what}"), help);
            None
        }
    }
}

fn authored_document(file: SourceFile, mut members: Map<String, Value>) -> ToolDocument {
    normalize_schemas(&mut members);
    ToolDocument::new(file, members)
}

/// The schema module of a folder.
enum SchemaModuleFile {
    Absent,
    Unreadable,
    Read(&'static str, SourceFile),
}

struct FolderReader<'a> {
    label: &'a str,
    path: &'a Path,
}

impl FolderReader<'_> {
    fn read_file(&self, name: &str) -> Result<SourceFile, ReadError> {
        text_file::read_authored_text(&self.path.join(name))
            .map(|text| SourceFile::new(format!("{}/{name}", self.label), &text))
    }

    fn schema_module(&self, findings: &mut Findings) -> SchemaModuleFile {
        let modules = schema_module::modules_in(self.path);
        let Some((name, others)) = modules.split_first() else { return SchemaModuleFile::Absent };
        for other in others {
            let at = SourceLocation::whole_file(format!("{}/{other}", self.label));
            let message = format!("the folder contains both `{name}` and `{other}`");
            findings.add(Code::SchemaModule, at, message, "keep one of them");
        }
        let read = self.read_required(name, findings).map(|file| SourceFile::js_module(file.label, &file.text));
        read.map_or(SchemaModuleFile::Unreadable, |file| SchemaModuleFile::Read(name, file))
    }

    /// The tool's fields, from `schema.json`, a schema module, or both.
    fn definition(
        &self,
        module: &SchemaModuleFile,
        loaded: Option<&SchemaModule>,
        findings: &mut Findings,
    ) -> Option<ToolDocument> {
        let module = match module {
            SchemaModuleFile::Unreadable => return None,
            SchemaModuleFile::Absent => {
                let json = self.read_required("schema.json", findings)?;
                let members = parse_members(&json, findings)?;
                return Some(authored_document(json, members));
            }
            SchemaModuleFile::Read(_, module) => module,
        };
        let fields = schema_module::module_fields(module, loaded, findings);
        if !self.exists("schema.json") {
            return Some(authored_document(module.clone(), fields?));
        }
        let json = self.read_required("schema.json", findings);
        let members = json.as_ref().and_then(|json| parse_members(json, findings));
        let (json, members, fields) = (json?, members?, fields?);
        let names = fields.keys().filter(|name| !members.contains_key(*name)).cloned().collect();
        let all = schema_module::merge_fields(members, (&json, module), fields, findings);
        Some(authored_document(json, all).with_module(module.clone(), names))
    }

    fn read_required(&self, name: &str, findings: &mut Findings) -> Option<SourceFile> {
        let help = match name {
            "schema.json" => "add it, or a `schema.js`: identity, metadata and `parameters` of the tool",
            "guide.md" => "add it: `# <tool>`, a summary of one or two sentences, `## Parameters`, `## Examples`",
            "handler.js" => "add it, exporting `async function execute({ args })`",
            _ => "add it, or write a `guide.md` instead of the legacy pair",
        };
        match self.read_file(name) {
            Ok(file) => Some(file),
            Err(error) => {
                error.report(&format!("{}/{name}", self.label), help, findings);
                None
            }
        }
    }

    fn exists(&self, name: &str) -> bool {
        // True also for a file that can't be read; reading it reports the reason.
        fs::symlink_metadata(self.path.join(name)).is_ok()
    }

    fn guide(&self, findings: &mut Findings) -> Option<Guide> {
        let legacy = ["doc_summary.md", "doc.md"].iter().any(|name| self.exists(name));
        if self.exists("guide.md") || !legacy {
            return self.read_required("guide.md", findings).map(Guide::from_guide);
        }
        let summary = self.read_required("doc_summary.md", findings);
        let documentation = self.read_required("doc.md", findings);
        Some(Guide::from_legacy_pair(summary?, documentation?))
    }

    fn handler(&self, findings: &mut Findings) -> Option<HandlerFile> {
        let other = !self.exists("handler.js") && self.exists("handler.mjs");
        let file_name = if other { "handler.mjs" } else { "handler.js" };
        if !self.exists(file_name)
            && let Some(other) = TYPESCRIPT_HANDLERS.into_iter().find(|name| self.exists(name))
        {
            let at = SourceLocation::whole_file(format!("{}/{other}", self.label));
            let message = format!("`handler.js` is missing beside `{other}`");
            findings.add(Code::MissingFile, at, message, "compile it: handlers are loaded as plain JavaScript");
            return None;
        }
        let file = self.read_required(file_name, findings)?;
        let module = handler::inspect_handler(&file.text);
        Some(HandlerFile { path: self.path.join(file_name), file_name, file, module })
    }
}
