//! A tool of another program: an MCP server that the tool set names.

use serde::{Deserialize, Serialize};

/// Where a tool runs that has no handler of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOrigin {
    /// The source's name: that of its file in `sources/`.
    pub name: String,
    /// The tool's name at the server.
    pub tool: String,
    /// The name under which MCP clients of the gate see it: the source's prefix and the name at the server.
    pub published_as: String,
    /// The revision of the protocol that the server spoke when it was locked.
    pub protocol_version: String,
    /// What the server offered beside tools when it was locked: `completions`, `logging`, `prompts`, `resources`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<String>,
    /// SHA-256 of the definition as published, in its canonical form (RFC 8785), in hex. A definition with another one
    /// is another tool.
    pub sha256: String,
}
