//! The compiled tool set on disk: `tool_registry.json`.
//!
//! Every process that uses the tools reads it when it starts, so it is written to be read fast ([`super::Sheets`]): a
//! line for a tool's definition and one for its declarations, without white space, and before them how long each is. A
//! reader takes any JSON of the same content.

use serde::Deserialize;
use serde_json::json;

use super::{Declared, ToolDefinition};

/// The format's version. A reader takes exactly its own.
pub const ARTIFACT_VERSION: u32 = 1;

/// The compiled tool set.
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
    pub tools: Vec<DeclaredTool>,
}

/// A tool with what providers are told of it. In JSON the members of both are those of one object.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredTool {
    /// The tool.
    pub definition: ToolDefinition,
    /// What providers are told.
    pub declared: Declared,
}

/// An artifact of which one part of each tool is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Partly<T> {
    pub(super) artifact_version: u32,
    pub(super) version: String,
    pub(super) git_commit: Option<String>,
    pub(super) build_timestamp: String,
    pub(super) tools: Vec<T>,
}

/// Why an artifact can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// Not JSON, cut, or not of the artifact's shape.
    #[error("the tool set is not a valid artifact ({0}); build it again with `npx toolgate build`")]
    Invalid(#[from] serde_json::Error),
    /// Bytes that are no UTF-8.
    #[error("the tool set is not a valid artifact ({0}); build it again with `npx toolgate build`")]
    NoText(#[from] std::string::FromUtf8Error),
    /// Of a format that this version does not read.
    #[error(
        "the tool set has artifact version {found}, this version of toolgate reads {ARTIFACT_VERSION}; build it again with `npx toolgate build`"
    )]
    Version {
        /// The version that the artifact names.
        found: String,
    },
}

impl Artifact {
    /// Reads an artifact.
    ///
    /// # Errors
    /// [`ArtifactError::Version`] for another format, [`ArtifactError::Invalid`] for anything else.
    pub fn parse(text: &str) -> Result<Self, ArtifactError> {
        // One object is read as two types, so it is read twice: then whatever is wrong has its line and column.
        let told: Partly<Declared> = serde_json::from_str(text).map_err(|error| explained(text, error))?;
        check_version(&told.artifact_version.into())?;
        let Partly { artifact_version, version, git_commit, build_timestamp, tools } = serde_json::from_str(text)?;
        let tools = tools.into_iter().zip(told.tools);
        let tools = tools.map(|(definition, declared)| DeclaredTool { definition, declared }).collect();
        Ok(Self { artifact_version, version, git_commit, build_timestamp, tools })
    }

    /// Its tools without what providers are told.
    pub fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.tools.iter().map(|tool| &tool.definition)
    }

    /// The artifact as it is written.
    ///
    /// # Errors
    /// Where a number in it is none that JSON has.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let Self { artifact_version, version, git_commit, build_timestamp, tools } = self;
        let tools: Vec<[String; 2]> = tools.iter().map(DeclaredTool::lines).collect::<Result<_, _>>()?;
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

impl DeclaredTool {
    /// The beginning of its object, up to a comma, and the rest.
    fn lines(&self) -> serde_json::Result<[String; 2]> {
        let definition = serde_json::to_string(&self.definition)?;
        let declared = serde_json::to_string(&self.declared)?;
        let definition = definition.strip_suffix('}').unwrap_or(&definition);
        let declared = declared.strip_prefix('{').unwrap_or(&declared);
        Ok([format!("{definition},"), declared.to_owned()])
    }
}

/// All that an artifact of another version has in common with this one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
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

/// Why what is no artifact is none: of another version, before all else that it then has in another shape.
fn explained(text: &str, error: serde_json::Error) -> ArtifactError {
    let version = match serde_json::from_str(text) {
        Ok(Head { artifact_version }) => artifact_version,
        // JSON, but no object: it names no version.
        Err(error) if error.is_data() => serde_json::Value::Null,
        Err(error) => return error.into(),
    };
    check_version(&version).err().unwrap_or(error.into())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn tool(id: &str) -> DeclaredTool {
        let tool = json!({
            "toolId": id, "version": "1.0.0", "title": "Tool", "description": "Does it.", "category": "action",
            "sideEffects": "writes", "idempotent": false, "requiresConfirmation": true, "allowedModes": ["text"],
            "latencyBudgetMs": 1000, "parallel": false, "summary": "Does it.", "documentation": "A\nB\u{2028}C",
            "handlerPath": "h}.js", "jsonSchema": { "type": "object", "properties": { "x": { "const": 1.0 } } },
            "providerSchemas": { "openai": { "b": [1, 2.50, "\n"], "a": {} } },
            "lowering": { "mcp": [{ "pointer": "/x", "change": "gone", "lost": true }] },
        });
        let text = tool.to_string();
        DeclaredTool {
            definition: serde_json::from_str(&text).unwrap(),
            declared: serde_json::from_str(&text).unwrap(),
        }
    }

    pub(crate) fn artifact(tools: Vec<DeclaredTool>) -> Artifact {
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
            let text = written.to_text().unwrap();
            assert_eq!(text.lines().count(), (2 * written.tools.len()).max(1) + 2, "{text}");
            assert_eq!(Artifact::parse(&text).unwrap(), written);
            let airy = text.replace(",\n", "\n,\r\n\t ").replace("\"version\":", "\"version\" : ");
            assert_eq!(Artifact::parse(&airy).unwrap(), written, "white space makes no difference");
        }
    }

    #[test]
    fn what_is_wrong_is_told_where_it_stands() {
        let text = artifact(vec![tool("a"), tool("b")]).to_text().unwrap();
        let told = |text: &str| Artifact::parse(text).unwrap_err().to_string();
        let wrong = told(&text.replace("\"toolId\":\"b\"", "\"toolId\":7"));
        assert!(wrong.contains("expected a string at line 4 column"), "{wrong}");
        let wrong = told(&text.replace("\"lost\":true", "\"lost\":1"));
        assert!(wrong.contains("expected a boolean at line 3 column"), "{wrong}");
        let cut = told(text.split_at(text.len() - 9).0);
        assert!(cut.contains("EOF while parsing"), "{cut}");
        let newer = told(&text.replace("\"artifactVersion\":1", "\"artifactVersion\":2"));
        assert!(newer.contains("has artifact version 2"), "{newer}");
        assert!(told("[]").contains("has artifact version none"));
        assert!(told("{\"artifactVersion\":1}").contains("missing field `version`"));
    }
}
