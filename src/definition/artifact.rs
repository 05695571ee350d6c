//! The compiled tool set on disk: `tool_registry.json`.
//!
//! Every process that uses the tools reads it when it starts, so it is written to be read fast: one tool a line, without
//! white space. A reader takes any JSON of the same content.

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

impl Artifact {
    /// Reads an artifact.
    ///
    /// # Errors
    /// [`ArtifactError::Version`] for another format, [`ArtifactError::Invalid`] for anything else.
    pub fn parse(text: &str) -> Result<Self, ArtifactError> {
        Self::read(text.as_bytes())
    }

    /// As [`Artifact::parse`], of bytes that may be no text.
    ///
    /// # Errors
    /// As [`Artifact::parse`].
    pub fn read(bytes: &[u8]) -> Result<Self, ArtifactError> {
        let artifact: Self = serde_json::from_slice(bytes).map_err(|error| explained(bytes, error))?;
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

/// An artifact that stands as [`Artifact::to_text`] writes it, its tools still text: each can be read apart from the
/// others.
#[derive(Debug)]
pub struct Sheets<'a> {
    /// The set's version.
    pub version: String,
    /// The commit it was built from.
    pub git_commit: Option<String>,
    tools: Vec<&'a str>,
}

/// All that an artifact of another version has in common with this one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(default)]
    artifact_version: serde_json::Value,
}

impl<'a> Sheets<'a> {
    /// The tools of an artifact; `None` where it stands in another way, or is none. It is the artifact that
    /// [`Artifact::read`] gives, if every tool can be read.
    #[must_use]
    pub fn of(bytes: &'a [u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok()?;
        // No string holds a line break, so the first one stands where the list begins, and each between two of its values.
        let (head, rest) = text.split_once('\n')?;
        let tools = rest.strip_suffix("\n]}\n")?;
        head.strip_suffix("\"tools\":[")?;
        let Artifact { artifact_version, version, git_commit, .. } =
            serde_json::from_str(&format!("{head}]}}")).ok()?;
        check_version(&artifact_version.into()).ok()?;
        let tools: Option<Vec<_>> = tools.split(",\n").map(|tool| (!tool.contains('\n')).then_some(tool)).collect();
        Some(Self { version, git_commit, tools: tools? })
    }

    /// How many tools there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is none: never, a list without a tool has no line for it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Reads one tool; none beyond the last.
    ///
    /// # Errors
    /// Where it is no tool's definition.
    #[must_use]
    pub fn tool(&self, place: usize) -> Option<serde_json::Result<ToolDefinition>> {
        Some(serde_json::from_str(self.tools.get(place)?))
    }
}

fn check_version(found: &serde_json::Value) -> Result<(), ArtifactError> {
    if found.as_u64() == Some(u64::from(ARTIFACT_VERSION)) {
        return Ok(());
    }
    let found = if found.is_null() { "none".to_owned() } else { found.to_string() };
    Err(ArtifactError::Version { found })
}

/// Why what is no artifact is none: of another version, before all else that it then has in another shape.
fn explained(bytes: &[u8], error: serde_json::Error) -> ArtifactError {
    let version = match serde_json::from_slice(bytes) {
        Ok(Head { artifact_version }) => artifact_version,
        // JSON, but no object: it names no version.
        Err(error) if error.is_data() => serde_json::Value::Null,
        Err(error) => return error.into(),
    };
    check_version(&version).err().unwrap_or(error.into())
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

    /// What the sheets of a text are together.
    fn sheets(text: &str) -> Option<Artifact> {
        let sheets = Sheets::of(text.as_bytes())?;
        let tools: Result<_, _> = (0..sheets.len()).map_while(|place| sheets.tool(place)).collect();
        Some(Artifact { version: sheets.version, git_commit: sheets.git_commit, ..artifact(tools.ok()?) })
    }

    #[test]
    fn one_tool_is_one_line_and_comes_back_as_it_was() {
        for tools in [vec![], vec![definition("a")], vec![definition("a"), definition("b")]] {
            let written = artifact(tools);
            let text = written.to_text().unwrap();
            assert_eq!(text.lines().count(), written.tools.len().max(1) + 2, "{text}");
            assert_eq!(Artifact::parse(&text).unwrap(), written);
            let is_empty = written.tools.is_empty();
            assert_eq!(sheets(&text), (!is_empty).then_some(written.clone()));
            let pretty = serde_json::to_string_pretty(&written).unwrap();
            assert_eq!(Artifact::parse(&pretty).unwrap(), written, "white space makes no difference");
            assert_eq!(sheets(&pretty), None);
        }
    }

    #[test]
    fn what_is_not_as_written_is_read_as_a_whole() {
        let text = artifact(vec![definition("a"), definition("b")]).to_text().unwrap();
        for (from, to) in [
            ("{\"toolId\":\"b\"", "{\n\"toolId\":\"b\""),
            ("\"version\":\"1.0.0\",", "\"version\":\"1.0.0\",\n"),
            ("\n]}\n", "\n],\"more\":[]}\n"),
            ("\n]}\n", "]}"),
            ("{\"artifactVersion\"", "{\n\"artifactVersion\""),
        ] {
            let other = text.replace(from, to);
            assert_ne!(other, text);
            assert_eq!(sheets(&other), None, "{other}");
            assert_eq!(Artifact::parse(&other).unwrap(), Artifact::parse(&text).unwrap(), "{other}");
        }
        for (from, to) in [
            ("\"tools\":[", "\"tools\":[],\"tools\":["),
            (",\n", "\n"),
            ("\n]}\n", ",\n]}\n"),
            ("\"1.0.0\"", "7"),
            ("\"artifactVersion\":1", "\"artifactVersion\":2"),
        ] {
            let broken = text.replace(from, to);
            assert_ne!(broken, text);
            assert_eq!(sheets(&broken), None, "{broken}");
            assert!(Artifact::parse(&broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_where_it_stands() {
        let text = artifact(vec![definition("a"), definition("b")]).to_text().unwrap();
        let told = |text: &str| Artifact::parse(text).unwrap_err().to_string();
        let wrong = told(&text.replace("\"toolId\":\"b\"", "\"toolId\":7"));
        assert!(wrong.contains("expected a string at line 3 column"), "{wrong}");
        let cut = told(text.split_at(text.len() - 9).0);
        assert!(cut.contains("EOF while parsing"), "{cut}");
        let newer = told(&text.replace("\"artifactVersion\":1", "\"artifactVersion\":2"));
        assert!(newer.contains("has artifact version 2"), "{newer}");
        assert!(told("[]").contains("has artifact version none"));
        assert!(told("{\"artifactVersion\":1}").contains("missing field `version`"));
        assert!(Artifact::read(b"{\"artifactVersion\":1,\"version\":\"\xff\"}").is_err());
    }
}
