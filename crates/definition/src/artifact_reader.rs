//! Reads an artifact in its line format: each tool is read separately, and the declarations, nine tenths of the file,
//! are read later.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::artifact::{PartialArtifact, check_version};
use super::artifact_file::ArtifactFile;
use super::{LazyDeclarations, ToolDefinition};

/// Size of the first read: the first line is mostly shorter.
const FIRST_READ_BYTES: u64 = 16 << 10;
/// Maximum length of the first line: `Artifact::to_text` writes about 10 bytes per tool.
const MAX_FIRST_LINE_BYTES: u64 = 16 << 20;

/// An artifact in the line format of [`super::Artifact::to_text`], with its tools not yet read.
#[derive(Debug)]
pub struct ArtifactReader {
    /// The set's version.
    pub version: String,
    /// The commit it was built from.
    pub git_commit: Option<String>,
    file: Arc<ArtifactFile>,
    tools: Vec<ToolRanges>,
}

/// The byte ranges of a tool in the file: two lines that are one JSON object.
#[derive(Debug)]
struct ToolRanges {
    /// The first line: the definition.
    definition: Range<u64>,
    /// The second line: the declarations.
    declarations: Range<u64>,
}

/// The lengths of all tools' lines in bytes, two per tool, without line breaks and without the comma after the tool.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LineLengths {
    line_bytes: Vec<u64>,
}

impl ArtifactReader {
    /// Opens an artifact; `None` if it is not in the line format, or not an artifact. If every tool and its
    /// declarations can be read, they equal the result of [`super::Artifact::parse`].
    #[must_use]
    pub fn open(artifact: &Path) -> Option<Self> {
        let file = ArtifactFile::open(artifact).ok()?;
        let head = read_first_line(&file).ok()??;
        let start = u64::try_from(head.len()).ok()? + 1;
        head.strip_suffix("\"tools\":[")?;
        let head = format!("{head}]}}");
        let LineLengths { line_bytes } = serde_json::from_str(&head).ok()?;
        let tools = tool_ranges(&line_bytes, start)?;
        if tools.last()?.declarations.end + "\n]}\n".len() as u64 != file.byte_length() {
            return None;
        }
        let head: PartialArtifact<ToolDefinition> = serde_json::from_str(&head).ok()?;
        check_version(&head.artifact_version.into()).ok()?;
        Some(Self { version: head.version, git_commit: head.git_commit, file, tools })
    }

    /// The number of tools.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.tools.len()
    }

    /// Always false: an artifact without tools is not in the line format.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Reads one tool; `None` after the last tool, and if a line does not match the lengths in the first line.
    ///
    /// # Errors
    /// If the line is not a tool definition.
    #[must_use]
    pub fn tool(&self, place: usize) -> Option<serde_json::Result<(ToolDefinition, LazyDeclarations)>> {
        let ToolRanges { definition, declarations: declared } = self.tools.get(place)?;
        let mut definition = self.file.read_text(definition).ok()?;
        // A JSON string contains no raw line break, so line breaks occur only between members or between tools.
        if definition.contains('\n') || definition.pop()? != ',' {
            return None;
        }
        definition.push('}');
        Some(serde_json::from_str(&definition).map(|definition: ToolDefinition| {
            let schema = Arc::clone(definition.json_schema.text());
            (definition, LazyDeclarations::from_file(Arc::clone(&self.file), declared.clone(), schema))
        }))
    }
}

/// Reads the first line, without the line break.
fn read_first_line(file: &ArtifactFile) -> io::Result<Option<String>> {
    let mut length = FIRST_READ_BYTES;
    loop {
        let mut read = file.read_bytes(&(0..length.min(file.byte_length())))?;
        if let Some(end) = read.iter().position(|byte| *byte == b'\n') {
            read.truncate(end);
            return Ok(String::from_utf8(read).ok());
        }
        if length >= file.byte_length().min(MAX_FIRST_LINE_BYTES) {
            return Ok(None);
        }
        length *= 8;
    }
}

/// The ranges of the tools; the first line begins at `start`.
fn tool_ranges(line_bytes: &[u64], mut start: u64) -> Option<Vec<ToolRanges>> {
    let (tools, rest) = line_bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let mut sheets = Vec::with_capacity(tools.len());
    for [definition, declared] in tools {
        let definition = start..start.checked_add(*definition)?;
        let next = definition.end.checked_add(1)?;
        let declared = next..next.checked_add(*declared)?;
        // A comma and a line break separate two tools.
        start = declared.end.checked_add(2)?;
        sheets.push(ToolRanges { definition, declarations: declared });
    }
    Some(sheets)
}

#[cfg(test)]
mod tests {
    use super::super::artifact::tests::{artifact, tool};
    use super::super::{Artifact, ToolWithDeclarations};
    use super::*;

    fn written(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    /// The complete artifact, read through [`Sheets`].
    fn read_artifact(text: &str) -> Option<Artifact> {
        let sheets = ArtifactReader::open(written(text).path())?;
        let tool = |place| {
            let (definition, unread) = sheets.tool(place)?.ok()?;
            let declared = unread.read_all().ok()?;
            Some(ToolWithDeclarations { definition, declared })
        };
        let tools: Option<_> = (0..sheets.len()).map(tool).collect();
        Some(Artifact { version: sheets.version, git_commit: sheets.git_commit, ..artifact(tools?) })
    }

    #[test]
    fn the_line_format_reads_as_the_artifact() {
        for tools in [vec![], vec![tool("a")], vec![tool("a"), tool("b")]] {
            let written = artifact(tools);
            let is_empty = written.tools.is_empty();
            assert_eq!(read_artifact(&written.to_line_format().unwrap()), (!is_empty).then_some(written));
        }
    }

    #[test]
    fn other_formats_are_left_to_the_full_parse() {
        let text = artifact(vec![tool("a"), tool("b")]).to_line_format().unwrap();
        for (from, to) in [
            ("{\"toolId\":\"b\"", "{\n\"toolId\":\"b\""),
            ("\"version\":\"1.0.0\",", "\"version\":\"1.0.0\",\n"),
            ("\n]}\n", "\n],\"more\":[]}\n"),
            ("\n]}\n", "]}"),
            ("{\"artifactVersion\"", "{\n\"artifactVersion\""),
        ] {
            let other = text.replace(from, to);
            assert_ne!(other, text);
            assert_eq!(read_artifact(&other), None, "{other}");
            assert_eq!(Artifact::parse(&other).unwrap(), Artifact::parse(&text).unwrap(), "{other}");
        }
        for (from, to) in [
            ("\"tools\":[", "\"tools\":[],\"tools\":["),
            (",\n", "\n"),
            ("},\n{", "}\n{"),
            ("\n]}\n", ",\n]}\n"),
            ("\"1.0.0\"", "7"),
            ("\"artifactVersion\":1", "\"artifactVersion\":2"),
        ] {
            let broken = text.replace(from, to);
            assert_ne!(broken, text);
            assert_eq!(read_artifact(&broken), None, "{broken}");
            assert!(Artifact::parse(&broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn invalid_declarations_are_reported_on_request() {
        let text = artifact(vec![tool("a")]).to_line_format().unwrap().replace("\"lost\":true", "\"lost\":what");
        let file = written(&text);
        let sheets = ArtifactReader::open(file.path()).unwrap();
        let (definition, unread) = sheets.tool(0).unwrap().unwrap();
        assert_eq!(definition, tool("a").definition);
        assert!(unread.read_all().is_err() && unread.declaration("mcp").is_err(), "and each time");
    }

    #[test]
    fn the_file_may_be_replaced_but_not_changed_unnoticed() {
        let text = artifact(vec![tool("a"), tool("b")]).to_line_format().unwrap();
        let file = written(&text);
        let sheets = ArtifactReader::open(file.path()).unwrap();
        let (_, first) = sheets.tool(0).unwrap().unwrap();
        std::fs::rename(written(&text.replace("gone", "here")).into_temp_path().keep().unwrap(), file.path()).unwrap();
        assert_eq!(first.read_all().unwrap(), tool("a").declared, "this set's own");
        let (definition, second) = sheets.tool(1).unwrap().unwrap();
        assert_eq!((definition, second.read_all().unwrap()), (tool("b").definition, tool("b").declared));

        let sheets = ArtifactReader::open(file.path()).unwrap();
        let (_, taken) = sheets.tool(0).unwrap().unwrap();
        let (_, unread) = sheets.tool(1).unwrap().unwrap();
        taken.load_from_file();
        std::fs::write(file.path(), "cut").unwrap();
        assert!(taken.read_all().is_ok() && unread.read_all().is_err());
        assert!(sheets.tool(0).is_none());
        std::fs::write(file.path(), &text).unwrap();
        assert!(unread.read_all().is_err(), "what could not be read stays so");
    }

    #[test]
    fn a_long_first_line_is_found() {
        let tools: Vec<_> = (0..3000).map(|n| tool(&format!("tool_{n:04}"))).collect();
        let text = artifact(tools).to_line_format().unwrap();
        assert!(text.find('\n').unwrap() > 16 << 10);
        assert_eq!(read_artifact(&text).unwrap(), Artifact::parse(&text).unwrap());
    }
}
