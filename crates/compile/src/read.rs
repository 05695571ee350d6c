//! Reads the tool folders. What can't be read is a finding here; what can be read is judged elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::code::Code;
use super::file::{self, ReadError, reason};
use super::guide::Guide;
use super::handler;
use super::place::Place;
use super::report::Findings;
use super::schema_module::{self, SchemaModule};
use super::source::SourceFile;
use super::spots::repeated_members;
use super::tool::{Document, Handler, Tool};

/// Handlers before a compiler made JavaScript of them.
const TYPESCRIPT: [&str; 4] = ["handler.ts", "handler.tsx", "handler.mts", "handler.cts"];

/// A tool and what reading it found.
pub(super) type Read = (Tool, Findings);

/// Reads every tool folder under `tools_dir`, sorted by name, with what their schema modules gave, by folder. Findings
/// about the tools folder itself go to `findings`.
pub(super) fn tools(tools_dir: &Path, loaded: &BTreeMap<String, SchemaModule>, findings: &mut Findings) -> Vec<Read> {
    let root = root_label(tools_dir);
    let entries = match fs::read_dir(tools_dir) {
        Ok(entries) => entries,
        Err(error) => {
            let code = if error.kind() == io::ErrorKind::NotFound { Code::MissingFile } else { Code::UnreadableFile };
            let message = format!("the tools folder can't be read: {}", reason(&error));
            findings.add(code, Place::whole(root), message, "create it with one folder for each tool");
            return Vec::new();
        }
    };
    let mut folders = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => folders.extend(tool_folder(&root, &entry, findings)),
            Err(error) => findings.add(
                Code::UnreadableFile,
                Place::whole(root.clone()),
                format!("the tools folder can't be listed: {}", reason(&error)),
                "check its permissions",
            ),
        }
    }
    folders.sort_unstable();
    folders.into_iter().map(|(name, path)| tool(&root, loaded.get(&name), name, &path)).collect()
}

/// The last name of the tools folder, the beginning of every file name in a report.
pub(super) fn root_label(tools_dir: &Path) -> String {
    let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    named(tools_dir).or_else(|| named(&fs::canonicalize(tools_dir).ok()?)).unwrap_or_else(|| "tools".to_owned())
}

/// The entry as a tool's folder; files, `_…`, `.…` and npm's `node_modules` are none.
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
                Place::whole(format!("{root}/{name}")),
                format!("`{name}` can't be read: {}", reason(&error)),
                "repair or remove it; a name that begins with `_` or `.` is passed over",
            );
            None
        }
    }
}

fn tool(root: &str, loaded: Option<&SchemaModule>, folder: String, path: &Path) -> Read {
    let mut findings = Findings::default();
    let label = format!("{root}/{folder}");
    let reader = Reader { label: &label, path };
    let module = reader.module(&mut findings);
    let schema = reader.definition(&module, loaded, &mut findings);
    let module = match module {
        Module::Read(name, file) => Some((path.join(name), file)),
        Module::Absent | Module::Unreadable => None,
    };
    let guide = reader.guide(&mut findings);
    let handler = reader.handler(&mut findings);
    (Tool { folder, label, schema, module, guide, handler, declared: None }, findings)
}

/// The members of a `schema.json`, where it is a JSON object.
fn members(file: &SourceFile, findings: &mut Findings) -> Option<Map<String, Value>> {
    if file.has_mark {
        let message = "the file begins with a byte order mark, which most readers of JSON refuse";
        findings.add(Code::ByteOrderMark, file.at(0..0), message, "save it as UTF-8 without one");
    }
    match serde_json::from_str::<Value>(&file.text) {
        Ok(Value::Object(members)) => {
            for (pointer, span) in repeated_members(&file.text) {
                let message = format!("`{pointer}` stands twice; only the last one counts");
                findings.add(Code::DuplicateKey, file.at(span), message, "remove one of them");
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

/// The schema module of a folder.
enum Module {
    Absent,
    Unreadable,
    Read(&'static str, SourceFile),
}

struct Reader<'a> {
    label: &'a str,
    path: &'a Path,
}

impl Reader<'_> {
    fn read(&self, name: &str) -> Result<SourceFile, ReadError> {
        file::authored(&self.path.join(name)).map(|text| SourceFile::new(format!("{}/{name}", self.label), &text))
    }

    fn module(&self, findings: &mut Findings) -> Module {
        let modules = schema_module::modules_in(self.path);
        let Some((name, others)) = modules.split_first() else { return Module::Absent };
        for other in others {
            let at = Place::whole(format!("{}/{other}", self.label));
            let message = format!("`{other}` stands beside `{name}`");
            findings.add(Code::SchemaModule, at, message, "keep one of them");
        }
        let read = self.required(name, findings).map(|file| SourceFile::module(file.label, &file.text));
        read.map_or(Module::Unreadable, |file| Module::Read(name, file))
    }

    /// The tool's fields: of `schema.json`, of a schema module, or of both.
    fn definition(&self, module: &Module, loaded: Option<&SchemaModule>, findings: &mut Findings) -> Option<Document> {
        let module = match module {
            Module::Unreadable => return None,
            Module::Absent => {
                let json = self.required("schema.json", findings)?;
                let members = members(&json, findings)?;
                return Some(Document::new(json, members));
            }
            Module::Read(_, module) => module,
        };
        let fields = schema_module::fields(module, loaded, findings);
        if !self.exists("schema.json") {
            return Some(Document::new(module.clone(), fields?));
        }
        let json = self.required("schema.json", findings);
        let members = json.as_ref().and_then(|json| members(json, findings));
        let (json, members, fields) = (json?, members?, fields?);
        let names = fields.keys().filter(|name| !members.contains_key(*name)).cloned().collect();
        let all = schema_module::join(members, (&json, module), fields, findings);
        Some(Document::new(json, all).beside(module.clone(), names))
    }

    fn required(&self, name: &str, findings: &mut Findings) -> Option<SourceFile> {
        let help = match name {
            "schema.json" => "add it, or a `schema.js`: identity, metadata and `parameters` of the tool",
            "guide.md" => "add it: `# <tool>`, a summary of one or two sentences, `## Parameters`, `## Examples`",
            "handler.js" => "add it, exporting `async function execute({ args })`",
            _ => "add it, or write a `guide.md` instead of the legacy pair",
        };
        match self.read(name) {
            Ok(file) => Some(file),
            Err(error) => {
                error.report(&format!("{}/{name}", self.label), help, findings);
                None
            }
        }
    }

    fn exists(&self, name: &str) -> bool {
        // Also where it can't be read: then reading says why.
        fs::symlink_metadata(self.path.join(name)).is_ok()
    }

    fn guide(&self, findings: &mut Findings) -> Option<Guide> {
        let legacy = ["doc_summary.md", "doc.md"].iter().any(|name| self.exists(name));
        if self.exists("guide.md") || !legacy {
            return self.required("guide.md", findings).map(Guide::current);
        }
        let summary = self.required("doc_summary.md", findings);
        let documentation = self.required("doc.md", findings);
        Some(Guide::legacy(summary?, documentation?))
    }

    fn handler(&self, findings: &mut Findings) -> Option<Handler> {
        let other = !self.exists("handler.js") && self.exists("handler.mjs");
        let file_name = if other { "handler.mjs" } else { "handler.js" };
        if !self.exists(file_name)
            && let Some(other) = TYPESCRIPT.into_iter().find(|name| self.exists(name))
        {
            let at = Place::whole(format!("{}/{other}", self.label));
            let message = format!("`handler.js` is missing beside `{other}`");
            findings.add(Code::MissingFile, at, message, "compile it: handlers are loaded as plain JavaScript");
            return None;
        }
        let file = self.required(file_name, findings)?;
        let module = handler::inspect(&file.text);
        Some(Handler { path: self.path.join(file_name), file_name, file, module })
    }
}
