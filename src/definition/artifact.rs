//! The compiled tool set on disk: `tool_registry.json`.

use serde::{Deserialize, Serialize};

use super::ToolDefinition;

/// The format's version. A reader takes exactly its own.
pub const ARTIFACT_VERSION: u32 = 1;

/// The compiled tool set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Always [`ARTIFACT_VERSION`].
    pub artifact_version: u32,
    /// `1.0.` and the first 8 hex digits of the SHA-256 over everything that defines the tool set.
    pub version: String,
    /// The commit it was built from; absent outside git.
    pub git_commit: Option<String>,
    /// When it was built, ISO 8601.
    pub build_timestamp: String,
    /// Sorted by `toolId`.
    pub tools: Vec<ToolDefinition>,
}

/// Why an artifact can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// Not JSON, cut, or not of the artifact's shape.
    #[error("the tool set is not a valid artifact ({0}); build it again with `npx toolgate build`")]
    Invalid(#[from] serde_json::Error),
    /// Of a format that this version does not read.
    #[error(
        "the tool set has artifact version {found}, this version of toolgate reads {ARTIFACT_VERSION}; build it again with `npx toolgate build`"
    )]
    Version {
        /// The version that the artifact names.
        found: String,
    },
}

/// What is read first: an artifact of another version has another shape.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(default)]
    artifact_version: serde_json::Value,
}

impl Artifact {
    /// Reads an artifact.
    ///
    /// # Errors
    /// [`ArtifactError::Version`] for another format, [`ArtifactError::Invalid`] for anything else.
    pub fn parse(text: &str) -> Result<Self, ArtifactError> {
        let head: Head = match serde_json::from_str(text) {
            // JSON, but no object: it names no version.
            Err(error) if error.is_data() => Head { artifact_version: serde_json::Value::Null },
            head => head?,
        };
        if head.artifact_version.as_u64() != Some(u64::from(ARTIFACT_VERSION)) {
            let found =
                if head.artifact_version.is_null() { "none".to_owned() } else { head.artifact_version.to_string() };
            return Err(ArtifactError::Version { found });
        }
        Ok(serde_json::from_str(text)?)
    }
}
