//! The compiled tool set on disk: `tool_registry.json`.
//!
//! Every process that uses the tools reads it at startup, so it has a line format for fast reading ([`super::Sheets`]):
//! per tool a line for its definition and a line for its declarations, without white space, after a first line with the
//! length of each. [`Artifact::parse`] accepts any JSON with the same content.

use serde::Deserialize;
use serde_json::json;

use super::{ProviderDeclarations, ToolDefinition};

/// The format's version. A reader accepts only this version.
pub const ARTIFACT_VERSION: u32 = 1;

/// The compiled tool set.
///
/// ```
/// use toolgate_definition::{Artifact, ArtifactError};
///
/// let empty = r#"{"artifactVersion":1,"version":"1.0.00000000","buildTimestamp":"2026-01-01T00:00:00Z","tools":[]}"#;
/// assert!(Artifact::parse(empty).unwrap().tools.is_empty());
/// let newer = empty.replace(r#""artifactVersion":1"#, r#""artifactVersion":2"#);
/// assert!(matches!(Artifact::parse(&newer), Err(ArtifactError::Version { .. })));
/// ```
#[derive(Debug, Clone, PartialEq)]
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
    pub tools: Vec<ToolWithDeclarations>,
}

/// A tool with its declarations. In JSON, one object has the members of both.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolWithDeclarations {
    /// The tool.
    pub definition: ToolDefinition,
    /// The declarations for providers.
    pub declared: ProviderDeclarations,
}

/// An artifact with one part (`T`) of each tool.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartialArtifact<T> {
    pub(super) artifact_version: u32,
    pub(super) version: String,
    pub(super) git_commit: Option<String>,
    pub(super) build_timestamp: String,
    pub(super) tools: Vec<T>,
}

/// The reason why an artifact can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// Not JSON, truncated, or not of the artifact's shape.
    #[error("the tool set is not a valid artifact ({0}); build it again with `npx toolgate build`")]
    Invalid(#[from] serde_json::Error),
    /// Bytes that are not UTF-8.
    #[error("the tool set is not a valid artifact ({0}); build it again with `npx toolgate build`")]
    NotUtf8(#[from] std::string::FromUtf8Error),
    /// Another version of the format.
    #[error(
        "the tool set has artifact version {found}, this version of toolgate reads {ARTIFACT_VERSION}; build it again with `npx toolgate build`"
    )]
    Version {
        /// The artifact's version.
        found: String,
    },
}

impl Artifact {
    /// Reads an artifact.
    ///
    /// # Errors
    /// [`ArtifactError::Version`] for another format, [`ArtifactError::Invalid`] for anything else.
    pub fn parse(text: &str) -> Result<Self, ArtifactError> {
        // Each tool is parsed twice, as two types, so that every error has its line and column.
        let declarations: PartialArtifact<ProviderDeclarations> =
            serde_json::from_str(text).map_err(|error| explain_parse_error(text, error))?;
        check_version(&declarations.artifact_version.into())?;
        let PartialArtifact { artifact_version, version, git_commit, build_timestamp, tools } =
            serde_json::from_str(text)?;
        let tools = tools.into_iter().zip(declarations.tools);
        let tools = tools.map(|(definition, declared)| ToolWithDeclarations { definition, declared }).collect();
        Ok(Self { artifact_version, version, git_commit, build_timestamp, tools })
    }

    /// The tools without their declarations.
    pub fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.tools.iter().map(|tool| &tool.definition)
    }

    /// Serializes the artifact in the line format.
    ///
    /// # Errors
    /// If it contains a number that JSON cannot represent.
    pub fn to_line_format(&self) -> serde_json::Result<String> {
        let Self { artifact_version, version, git_commit, build_timestamp, tools } = self;
        let tools: Vec<[String; 2]> = tools.iter().map(ToolWithDeclarations::to_lines).collect::<Result<_, _>>()?;
        let head = json!({
            "artifactVersion": artifact_version,
            "version": version,
            "gitCommit": git_commit,
            "buildTimestamp": build_timestamp,
            "lineBytes": tools.as_flattened().iter().map(String::len).collect::<Vec<_>>(),
            "tools": [],
        });
        let head = head.to_string();
        let tools: Vec<String> = tools.into_iter().map(|lines| lines.join("\n")).collect();
        let head = head.strip_suffix("]}").unwrap_or(&head);
        Ok(format!("{head}\n{}\n]}}\n", tools.join(",\n")))
    }
}

impl ToolWithDeclarations {
    /// The two lines of the tool's object: the definition with a trailing comma, and the declarations.
    fn to_lines(&self) -> serde_json::Result<[String; 2]> {
        let definition = serde_json::to_string(&self.definition)?;
        let declared = serde_json::to_string(&self.declared)?;
        let definition = definition.strip_suffix('}').unwrap_or(&definition);
        let declared = declared.strip_prefix('{').unwrap_or(&declared);
        Ok([format!("{definition},"), declared.to_owned()])
    }
}

/// The only member that all versions of the format share.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionHeader {
    #[serde(default)]
    artifact_version: serde_json::Value,
}

pub(super) fn check_version(found: &serde_json::Value) -> Result<(), ArtifactError> {
    if found.as_u64() == Some(u64::from(ARTIFACT_VERSION)) {
        return Ok(());
    }
    let found = if found.is_null() { "none".to_owned() } else { found.to_string() };
    Err(ArtifactError::Version { found })
}

/// Prefers the error of another format version to `error`, since another version may also have another shape.
fn explain_parse_error(text: &str, error: serde_json::Error) -> ArtifactError {
    let version = match serde_json::from_str(text) {
        Ok(VersionHeader { artifact_version }) => artifact_version,
        // JSON, but not an object: it has no version.
        Err(error) if error.is_data() => serde_json::Value::Null,
        Err(error) => return error.into(),
    };
    check_version(&version).err().unwrap_or(error.into())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn tool(id: &str) -> ToolWithDeclarations {
        let tool = json!({
            "toolId": id, "version": "1.0.0", "title": "Tool", "description": "Does it.", "category": "action",
            "sideEffects": "writes", "idempotent": false, "requiresConfirmation": true, "allowedModes": ["text"],
            "latencyBudgetMs": 1000, "parallel": false, "summary": "Does it.", "documentation": "A\nB\u{2028}C",
            "handlerPath": "h}.js", "jsonSchema": { "type": "object", "properties": { "x": { "const": 1.0 } } },
            "providerSchemas": { "openai": { "b": [1, 2.50, "\n"], "a": {} } },
            "lowering": { "mcp": [{ "pointer": "/x", "change": "gone", "lost": true }] },
        });
        let text = tool.to_string();
        ToolWithDeclarations {
            definition: serde_json::from_str(&text).unwrap(),
            declared: serde_json::from_str(&text).unwrap(),
        }
    }

    pub(crate) fn artifact(tools: Vec<ToolWithDeclarations>) -> Artifact {
        Artifact {
            artifact_version: ARTIFACT_VERSION,
            version: "1.0.00000000".to_owned(),
            git_commit: None,
            build_timestamp: "2026-01-01T00:00:00Z".to_owned(),
            tools,
        }
    }

    #[test]
    fn an_artifact_comes_back_as_it_was() {
        for tools in [vec![], vec![tool("a")], vec![tool("a"), tool("b")]] {
            let written = artifact(tools);
            let text = written.to_line_format().unwrap();
            assert_eq!(text.lines().count(), (2 * written.tools.len()).max(1) + 2, "{text}");
            assert_eq!(Artifact::parse(&text).unwrap(), written);
            let spaced = text.replace(",\n", "\n,\r\n\t ").replace("\"version\":", "\"version\" : ");
            assert_eq!(Artifact::parse(&spaced).unwrap(), written, "white space makes no difference");
        }
    }

    #[test]
    fn errors_have_a_location() {
        let text = artifact(vec![tool("a"), tool("b")]).to_line_format().unwrap();
        let error = |text: &str| Artifact::parse(text).unwrap_err().to_string();
        let wrong = error(&text.replace("\"toolId\":\"b\"", "\"toolId\":7"));
        assert!(wrong.contains("expected a string at line 4 column"), "{wrong}");
        let wrong = error(&text.replace("\"lost\":true", "\"lost\":1"));
        assert!(wrong.contains("expected a boolean at line 3 column"), "{wrong}");
        let cut = error(text.split_at(text.len() - 9).0);
        assert!(cut.contains("EOF while parsing"), "{cut}");
        let newer = error(&text.replace("\"artifactVersion\":1", "\"artifactVersion\":2"));
        assert!(newer.contains("has artifact version 2"), "{newer}");
        assert!(error("[]").contains("has artifact version none"));
        assert!(error("{\"artifactVersion\":1}").contains("missing field `version`"));
    }
}
