//! An artifact as it is written, taken apart by its lines: tools can be read one apart from the other, and what
//! providers are told, nine tenths of it, is read meanwhile.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::artifact::{Partly, check_version};
use super::artifact_file::ArtifactFile;
use super::{ToolDefinition, Unread};

/// What is read at first: the line before the tools is mostly shorter.
const HEAD_BYTES: u64 = 16 << 10;
/// A line before the tools that is longer is none of ours: it grows by some 10 bytes for each tool.
const MAX_HEAD_BYTES: u64 = 16 << 20;

/// An artifact that stands as [`super::Artifact::to_text`] writes it, its tools still unread.
#[derive(Debug)]
pub struct Sheets {
    /// The set's version.
    pub version: String,
    /// The commit it was built from.
    pub git_commit: Option<String>,
    file: Arc<ArtifactFile>,
    tools: Vec<Sheet>,
}

/// Where a tool stands in the file: two lines that are one JSON object.
#[derive(Debug)]
struct Sheet {
    /// The object's beginning.
    definition: Range<u64>,
    /// The rest, up to its end.
    declared: Range<u64>,
}

/// How many bytes a tool's two lines have, without their ends and without the comma behind the tool.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lines {
    line_bytes: Vec<u64>,
}

impl Sheets {
    /// The tools of an artifact; `None` where it stands in another way, or is none. It is the artifact that
    /// [`super::Artifact::parse`] gives, if every tool and its declarations can be read.
    #[must_use]
    pub fn open(artifact: &Path) -> Option<Self> {
        let file = ArtifactFile::open(artifact).ok()?;
        let head = head(&file).ok()??;
        let start = u64::try_from(head.len()).ok()? + 1;
        head.strip_suffix("\"tools\":[")?;
        let head = format!("{head}]}}");
        let Lines { line_bytes } = serde_json::from_str(&head).ok()?;
        let tools = sheets(&line_bytes, start)?;
        if tools.last()?.declared.end + "\n]}\n".len() as u64 != file.bytes() {
            return None;
        }
        let head: Partly<ToolDefinition> = serde_json::from_str(&head).ok()?;
        check_version(&head.artifact_version.into()).ok()?;
        Some(Self { version: head.version, git_commit: head.git_commit, file, tools })
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

    /// Reads one tool; none beyond the last, and none where a line is not what the first one says.
    ///
    /// # Errors
    /// Where it is no tool's definition.
    #[must_use]
    pub fn tool(&self, place: usize) -> Option<serde_json::Result<(ToolDefinition, Unread)>> {
        let Sheet { definition, declared } = self.tools.get(place)?;
        let mut definition = self.file.text_of(definition).ok()?;
        // No string holds a line break, so a line is what stands between two members or two values of the list.
        if definition.contains('\n') || definition.pop()? != ',' {
            return None;
        }
        definition.push('}');
        Some(serde_json::from_str(&definition).map(|definition: ToolDefinition| {
            let schema = Arc::clone(definition.json_schema.text());
            (definition, Unread::in_file(Arc::clone(&self.file), declared.clone(), schema))
        }))
    }
}

/// The first line, without its end.
fn head(file: &ArtifactFile) -> io::Result<Option<String>> {
    let mut length = HEAD_BYTES;
    loop {
        let mut read = file.bytes_of(&(0..length.min(file.bytes())))?;
        if let Some(end) = read.iter().position(|byte| *byte == b'\n') {
            read.truncate(end);
            return Ok(String::from_utf8(read).ok());
        }
        if length >= file.bytes().min(MAX_HEAD_BYTES) {
            return Ok(None);
        }
        length *= 8;
    }
}

/// The tools whose lines begin at `start`.
fn sheets(line_bytes: &[u64], mut start: u64) -> Option<Vec<Sheet>> {
    let (tools, rest) = line_bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let mut sheets = Vec::with_capacity(tools.len());
    for [definition, declared] in tools {
        let definition = start..start.checked_add(*definition)?;
        let next = definition.end.checked_add(1)?;
        let declared = next..next.checked_add(*declared)?;
        // Between two tools stand a comma and a line's end.
        start = declared.end.checked_add(2)?;
        sheets.push(Sheet { definition, declared });
    }
    Some(sheets)
}

#[cfg(test)]
mod tests {
    use super::super::artifact::tests::{artifact, tool};
    use super::super::{Artifact, DeclaredTool};
    use super::*;

    fn written(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    /// What the sheets of a text are together.
    fn sheets(text: &str) -> Option<Artifact> {
        let sheets = Sheets::open(written(text).path())?;
        let tool = |place| {
            let (definition, unread) = sheets.tool(place)?.ok()?;
            let declared = unread.read().ok()?;
            Some(DeclaredTool { definition, declared })
        };
        let tools: Option<_> = (0..sheets.len()).map(tool).collect();
        Some(Artifact { version: sheets.version, git_commit: sheets.git_commit, ..artifact(tools?) })
    }

    #[test]
    fn the_sheets_are_the_artifact() {
        for tools in [vec![], vec![tool("a")], vec![tool("a"), tool("b")]] {
            let written = artifact(tools);
            let is_empty = written.tools.is_empty();
            assert_eq!(sheets(&written.to_text().unwrap()), (!is_empty).then_some(written));
        }
    }

    #[test]
    fn what_is_not_as_written_is_read_as_a_whole() {
        let text = artifact(vec![tool("a"), tool("b")]).to_text().unwrap();
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
            ("},\n{", "}\n{"),
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
    fn declarations_that_are_none_are_told_when_they_are_asked_for() {
        let text = artifact(vec![tool("a")]).to_text().unwrap().replace("\"lost\":true", "\"lost\":what");
        let file = written(&text);
        let sheets = Sheets::open(file.path()).unwrap();
        let (definition, unread) = sheets.tool(0).unwrap().unwrap();
        assert_eq!(definition, tool("a").definition);
        assert!(unread.read().is_err() && unread.declaration("mcp").is_err(), "and each time");
    }

    #[test]
    fn the_file_may_be_replaced_but_not_changed_unnoticed() {
        let text = artifact(vec![tool("a"), tool("b")]).to_text().unwrap();
        let file = written(&text);
        let sheets = Sheets::open(file.path()).unwrap();
        let (_, first) = sheets.tool(0).unwrap().unwrap();
        std::fs::rename(written(&text.replace("gone", "here")).into_temp_path().keep().unwrap(), file.path()).unwrap();
        assert_eq!(first.read().unwrap(), tool("a").declared, "this set's own");
        let (definition, second) = sheets.tool(1).unwrap().unwrap();
        assert_eq!((definition, second.read().unwrap()), (tool("b").definition, tool("b").declared));

        let sheets = Sheets::open(file.path()).unwrap();
        let (_, taken) = sheets.tool(0).unwrap().unwrap();
        let (_, unread) = sheets.tool(1).unwrap().unwrap();
        taken.take();
        std::fs::write(file.path(), "cut").unwrap();
        assert!(taken.read().is_ok() && unread.read().is_err());
        assert!(sheets.tool(0).is_none());
        std::fs::write(file.path(), &text).unwrap();
        assert!(unread.read().is_err(), "what could not be read stays so");
    }

    #[test]
    fn a_long_first_line_is_found() {
        let tools: Vec<_> = (0..3000).map(|n| tool(&format!("tool_{n:04}"))).collect();
        let text = artifact(tools).to_text().unwrap();
        assert!(text.find('\n').unwrap() > 16 << 10);
        assert_eq!(sheets(&text).unwrap(), Artifact::parse(&text).unwrap());
    }
}
