//! `toolgate.lock.json` as a type, and whether it is of the sources as they are now.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::sources_of_build::SourcesOfBuild;
use super::{LOCK, whole_lock};
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::text::location::SourceLocation;
use crate::text::source::{SourceFile, pointer_from_names};
use crate::text::text_file::{self, io_error_reason};
use toolgate_json::canonicalize;

/// The version of the format.
const LOCK_VERSION: u64 = 1;

const LOCK_AGAIN: &str = "run `toolgate mcp lock`, and look at what has changed with `toolgate mcp diff`";

/// A lock and its text.
pub(super) struct LockFile {
    pub(super) file: SourceFile,
    content: LockContent,
    /// Whether a source has its server's questions put to users.
    pub(super) asks: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LockContent {
    lock_version: u64,
    sources: BTreeMap<String, SourceEntry>,
}

/// What a lock says of one source.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SourceEntry {
    /// SHA-256 of the canonical form of `sources/<name>.json`.
    config_sha256: String,
    /// What stands before the names of its tools.
    pub(super) prefix: String,
    /// The revision of the protocol that its server speaks.
    pub(super) protocol_version: String,
    /// What its server says that it can do.
    #[serde(default)]
    capabilities: Map<String, Value>,
    pub(super) tools: BTreeMap<String, ToolEntry>,
}

/// What a server may offer beside tools, and MCP clients get under the source's prefix.
const OFFERS: [&str; 4] = ["completions", "logging", "prompts", "resources"];

impl SourceEntry {
    /// What the server offers beside tools.
    pub(super) fn offers(&self) -> Vec<String> {
        OFFERS.iter().filter(|offer| self.capabilities.contains_key(**offer)).map(|&offer| offer.to_owned()).collect()
    }
}

/// What a lock says of one tool.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolEntry {
    pub(super) tool_id: String,
    /// SHA-256 of the canonical form of `definition`.
    pub(super) sha256: String,
    /// As the server published it.
    pub(super) definition: Box<RawValue>,
    /// Fields of `schema.json`.
    pub(super) policy: Map<String, Value>,
}

/// A source of a lock.
pub(super) struct LockedSource<'a> {
    pub(super) name: &'a str,
    pub(super) entry: &'a SourceEntry,
}

impl LockedSource<'_> {
    pub(super) fn pointer(&self) -> String {
        pointer_from_names(&["sources", self.name])
    }
}

impl LockFile {
    /// The lock beside a folder of sources; `None` if there are no sources, or no lock that can be read.
    pub(super) fn read(sources: &SourcesOfBuild, findings: &mut Findings) -> Option<Self> {
        let folder = sources.dir.as_path();
        let configs = source_names(folder, findings)?;
        let path = folder.parent().unwrap_or(Path::new("")).join(LOCK);
        if configs.is_empty() && !path.exists() {
            return None;
        }
        if !path.exists() {
            let message = format!("`{LOCK}` is missing: it has the tools of the sources");
            findings.add(Code::LockMissing, whole_lock(), message, "write it with `toolgate mcp lock`");
            return None;
        }
        let text = match text_file::read_authored_text(&path) {
            Ok(text) => text,
            Err(error) => {
                error.report(LOCK, "write it with `toolgate mcp lock`", findings);
                return None;
            }
        };
        let file = SourceFile::new(LOCK.to_owned(), &text);
        let content = parse(&file, findings)?;
        let mut lock = Self { file, content, asks: false };
        lock.asks = lock.check_configs(folder, &configs, &sources.policies, findings);
        Some(lock)
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = LockedSource<'_>> {
        self.content.sources.iter().map(|(name, entry)| LockedSource { name, entry })
    }

    /// What the lock says of a source's tools is what its file says. A lock that was edited could let a tool run unasked.
    fn check_policies(&self, source: &LockedSource<'_>, expected: &str, findings: &mut Findings) {
        if said_digest(source.entry).as_deref() != Some(expected) {
            let message = format!("the ids and policies of `{}` are not those that its file gives", source.name);
            let at = self.file.at_key(&source.pointer());
            findings.add(Code::LockInvalid, at, message, "run `toolgate mcp lock`; a lock is not edited by hand");
        }
    }

    /// Every source of the folder is in the lock with the digest that it has now, and no other is. The result is whether one
    /// has its server's questions put to users.
    fn check_configs(
        &self,
        folder: &Path,
        configs: &BTreeSet<String>,
        policies: &BTreeMap<String, String>,
        findings: &mut Findings,
    ) -> bool {
        let mut asks = false;
        let label = |name: &str| label(folder, &format!("{name}.json"));
        for name in configs {
            let Some(entry) = self.content.sources.get(name) else {
                let message = format!("the source `{name}` is not in `{LOCK}`");
                let at = SourceLocation::whole_file(label(name));
                findings.add(Code::LockMissing, at, message, "run `toolgate mcp lock`");
                continue;
            };
            match read_config(&folder.join(format!("{name}.json"))) {
                Ok(config) if config.sha256 == entry.config_sha256 => {
                    asks |= config.asks;
                    if let Some(expected) = policies.get(name) {
                        self.check_policies(&LockedSource { name, entry }, expected, findings);
                    }
                }
                Ok(_) => {
                    let message = format!("`{name}` has changed since it was locked");
                    findings.add(Code::LockOutdated, SourceLocation::whole_file(label(name)), message, LOCK_AGAIN);
                }
                Err(reason) => {
                    let at = SourceLocation::whole_file(label(name));
                    findings.add(
                        Code::InvalidJson,
                        at,
                        reason,
                        "write it as `schemas/source.schema.json` describes it",
                    );
                }
            }
        }
        for source in self.sources().filter(|source| !configs.contains(source.name)) {
            let at = self.file.at_key(&source.pointer());
            let message = format!("the source `{}` has no file `{}`", source.name, label(source.name));
            findings.add(Code::LockOutdated, at, message, "restore the file, or run `toolgate mcp lock`");
        }
        asks
    }
}

/// The name of a source's file in findings: `sources/fs.json`.
pub(super) fn label(folder: &Path, file: &str) -> String {
    let folder = folder.file_name().map_or_else(|| "sources".into(), |name| name.to_string_lossy());
    format!("{folder}/{file}")
}

/// The digest of what a lock says of the tools of a source besides their definitions.
fn said_digest(entry: &SourceEntry) -> Option<String> {
    let said =
        entry.tools.iter().map(|(name, tool)| (name.clone(), json!({ "toolId": tool.tool_id, "policy": tool.policy })));
    let said = json!({ "prefix": entry.prefix, "tools": said.collect::<Map<String, Value>>() });
    canonical_digest(&said.to_string()).ok()
}

/// The names of the sources in a folder, which are those of its files; none if the folder does not exist.
fn source_names(folder: &Path, findings: &mut Findings) -> Option<BTreeSet<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(BTreeSet::new()),
        Err(error) => {
            let label = folder.file_name().map_or_else(|| "sources".into(), |name| name.to_string_lossy().into_owned());
            let message = format!("the folder of sources can't be read: {}", io_error_reason(&error));
            findings.add(Code::UnreadableFile, SourceLocation::whole_file(label), message, "check its permissions");
            return None;
        }
    };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Some(
        names
            .filter(|name| !name.starts_with(['_', '.']))
            .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
            .collect(),
    )
}

fn parse(file: &SourceFile, findings: &mut Findings) -> Option<LockContent> {
    let content: LockContent = match serde_json::from_str(&file.text) {
        Ok(content) => content,
        Err(error) => {
            let message = format!("`{LOCK}` can't be used: {error}");
            findings.add(Code::LockInvalid, file.at_json_error(&error), message, LOCK_AGAIN);
            return None;
        }
    };
    if content.lock_version != LOCK_VERSION {
        let message =
            format!("`{LOCK}` has version {}; this version of toolgate reads {LOCK_VERSION}", content.lock_version);
        findings.add(Code::LockInvalid, file.at_value("/lockVersion"), message, LOCK_AGAIN);
        return None;
    }
    Some(content)
}

/// What a build needs of the file of a source.
struct ReadConfig {
    /// Of its canonical form.
    sha256: String,
    /// Whether its server's questions are put to users.
    asks: bool,
}

fn read_config(path: &Path) -> Result<ReadConfig, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("it can't be read: {}", io_error_reason(&error)))?;
    let sha256 = canonical_digest(&text).map_err(|error| format!("not valid JSON: {error}"))?;
    let config: Value = serde_json::from_str(&text).unwrap_or_default();
    Ok(ReadConfig { sha256, asks: config.get("elicitation").is_none_or(|choice| choice == "ask") })
}

/// SHA-256 of the canonical form of a JSON text (RFC 8785), in hex.
pub(super) fn canonical_digest(text: &str) -> Result<String, toolgate_json::ParseError> {
    use std::fmt::Write as _;
    Ok(Sha256::digest(canonicalize(text)?).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing into a String can't fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}
