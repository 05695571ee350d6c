//! What a build is given of sources besides their lock.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// The MCP servers whose tools belong to a tool set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourcesOfBuild {
    /// Contains a file for each server; `toolgate.lock.json` is beside it. A folder that does not exist has no server.
    pub dir: PathBuf,
    /// By source, the digest of what its file says of the locked tools: `{ prefix, tools: { name: { toolId, policy } } }` in its
    /// canonical form. The host reads the files, because it reads them when a program runs, too.
    pub policies: BTreeMap<String, String>,
    /// The faults of the files.
    pub problems: Vec<SourceProblem>,
}

/// A fault of a source's file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SourceProblem {
    /// The file's name.
    pub file: String,
    /// JSON Pointer of the value.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}
