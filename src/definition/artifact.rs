//! The compiled tool set on disk: `tool_registry.json`.
//!
//! Every process that uses the tools reads it when it starts, so it is written to be read fast: one tool a line, without
//! white space. A reader takes any JSON of the same content.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

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

impl Artifact {
    /// Reads an artifact.
    ///
    /// # Errors
    /// [`ArtifactError::Version`] for another format, [`ArtifactError::Invalid`] for anything else.
    pub fn parse(text: &str) -> Result<Self, ArtifactError> {
        let artifact: Self = serde_json::from_str(text).map_err(|error| explained(text.as_bytes(), error))?;
        check_version(&artifact.artifact_version.into())?;
        Ok(artifact)
    }

    /// The artifact as it is written.
    ///
    /// # Errors
    /// Where a number in it is none that JSON has.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let Self { artifact_version, version, git_commit, build_timestamp, tools } = self;
        let head = Artifact {
            artifact_version: *artifact_version,
            version: version.clone(),
            git_commit: git_commit.clone(),
            build_timestamp: build_timestamp.clone(),
            tools: Vec::new(),
        };
        let head = serde_json::to_string(&head)?;
        let tools: Vec<String> = tools.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let head = head.strip_suffix("]}").unwrap_or(&head);
        Ok(format!("{head}\n{}\n]}}\n", tools.join(",\n")))
    }
}

/// An artifact whose tools are still text, each a sheet of its own: they can be read one apart from the other.
#[derive(Debug)]
pub struct Sheets<'a> {
    /// The set's version.
    pub version: String,
    /// The commit it was built from.
    pub git_commit: Option<String>,
    tools: Vec<&'a RawValue>,
    bytes: &'a [u8],
}

/// What is read of an artifact as a whole.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cover<'a> {
    artifact_version: serde_json::Value,
    version: String,
    git_commit: Option<String>,
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
}

/// All that an artifact of another version has in common with this one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(default)]
    artifact_version: serde_json::Value,
}

impl<'a> Sheets<'a> {
    /// Finds the tools of an artifact.
    ///
    /// # Errors
    /// [`ArtifactError::Version`] for another format, [`ArtifactError::Invalid`] for what is no artifact.
    pub fn read(bytes: &'a [u8]) -> Result<Self, ArtifactError> {
        match serde_json::from_slice::<Cover<'a>>(bytes) {
            Ok(cover) => {
                check_version(&cover.artifact_version)?;
                Ok(Self { version: cover.version, git_commit: cover.git_commit, tools: cover.tools, bytes })
            }
            Err(error) => Err(explained(bytes, error)),
        }
    }

    /// How many tools there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Reads one tool; none beyond the last.
    ///
    /// # Errors
    /// Where it is no tool's definition. [`Sheets::explained`] says where in the artifact.
    #[must_use]
    pub fn tool(&self, place: usize) -> Option<serde_json::Result<ToolDefinition>> {
        Some(serde_json::from_str(self.tools.get(place)?.get()))
    }

    /// A tool's error as one of the artifact.
    #[must_use]
    pub fn explained(&self, error: serde_json::Error) -> ArtifactError {
        explained(self.bytes, error)
    }
}

fn check_version(found: &serde_json::Value) -> Result<(), ArtifactError> {
    if found.as_u64() == Some(u64::from(ARTIFACT_VERSION)) {
        return Ok(());
    }
    let found = if found.is_null() { "none".to_owned() } else { found.to_string() };
    Err(ArtifactError::Version { found })
}

/// Why an artifact that could not be read in parts can't be read as a whole: where the fault stands in all of its text.
fn explained(bytes: &[u8], error: serde_json::Error) -> ArtifactError {
    // An artifact of another version has another shape, and what is JSON but no object names no version.
    let version = match serde_json::from_slice(bytes) {
        Ok(Head { artifact_version }) => artifact_version,
        Err(error) if error.is_data() => serde_json::Value::Null,
        Err(error) => return error.into(),
    };
    match check_version(&version) {
        Err(error) => error,
        Ok(()) => serde_json::from_slice::<Artifact>(bytes).err().unwrap_or(error).into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn definition(id: &str) -> ToolDefinition {
        let definition = json!({
            "toolId": id, "version": "1.0.0", "title": "Tool", "description": "Does it.", "category": "action",
            "sideEffects": "writes", "idempotent": false, "requiresConfirmation": true, "allowedModes": ["text"],
            "latencyBudgetMs": 1000, "parallel": false, "summary": "Does it.", "documentation": "A\nB\u{2028}C",
            "handlerPath": "h.js", "jsonSchema": { "type": "object", "properties": { "x": { "const": 1.0 } } },
            "providerSchemas": { "openai": { "b": [1, 2.50, "\n"], "a": {} } },
            "lowering": { "mcp": [{ "pointer": "/x", "change": "gone", "lost": true }] },
        });
        serde_json::from_value(definition).unwrap()
    }

    fn artifact(tools: Vec<ToolDefinition>) -> Artifact {
        Artifact {
            artifact_version: ARTIFACT_VERSION,
            version: "1.0.00000000".to_owned(),
            git_commit: None,
            build_timestamp: "2026-01-01T00:00:00Z".to_owned(),
            tools,
        }
    }

    #[test]
    fn one_tool_is_one_line_and_comes_back_as_it_was() {
        for tools in [vec![], vec![definition("a")], vec![definition("a"), definition("b")]] {
            let written = artifact(tools);
            let text = written.to_text().unwrap();
            assert_eq!(text.lines().count(), written.tools.len().max(1) + 2, "{text}");
            assert_eq!(Artifact::parse(&text).unwrap(), written);
            let pretty = serde_json::to_string_pretty(&written).unwrap();
            let sheets = Sheets::read(pretty.as_bytes()).unwrap();
            assert_eq!((sheets.len(), sheets.is_empty()), (written.tools.len(), written.tools.is_empty()));
            assert!(sheets.tool(sheets.len()).is_none());
            let read: Vec<_> = (0..sheets.len()).map(|place| sheets.tool(place).unwrap().unwrap()).collect();
            assert_eq!(Artifact { tools: read, ..artifact(vec![]) }, written, "white space makes no difference");
        }
    }

    #[test]
    fn what_is_wrong_is_told_where_it_stands_in_the_whole() {
        let text = artifact(vec![definition("a"), definition("b")]).to_text().unwrap();
        let place = |text: &str| {
            let sheets = Sheets::read(text.as_bytes());
            let second =
                |sheets: Sheets<'_>| sheets.tool(1).unwrap().map(|_| ()).map_err(|error| sheets.explained(error));
            let error = sheets.and_then(second).unwrap_err();
            assert_eq!(error.to_string(), Artifact::parse(text).unwrap_err().to_string());
            error.to_string()
        };
        let wrong = text.replace("\"toolId\":\"b\"", "\"toolId\":7");
        assert!(place(&wrong).contains("expected a string at line 3 column"), "{}", place(&wrong));
        let cut = text.split_at(text.len() - 9).0;
        assert!(place(cut).contains("EOF while parsing"), "{}", place(cut));
        let newer = text.replace("\"artifactVersion\":1", "\"artifactVersion\":2");
        assert!(place(&newer).contains("has artifact version 2"), "{}", place(&newer));
        assert!(place("[]").contains("has artifact version none"), "{}", place("[]"));
        assert!(place("{\"artifactVersion\":1}").contains("missing field `version`"));
    }
}
