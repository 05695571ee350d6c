//! An artifact as it is written, taken apart by its lines: tools can be read one apart from the other, and what
//! providers are told only when somebody asks.

use std::ops::Range;
use std::sync::Arc;

use super::artifact::{Partly, check_version};
use super::{ToolDefinition, Unread};

/// An artifact that stands as [`super::Artifact::to_text`] writes it, its tools still text.
#[derive(Debug)]
pub struct Sheets {
    /// The set's version.
    pub version: String,
    /// The commit it was built from.
    pub git_commit: Option<String>,
    text: Arc<String>,
    tools: Vec<Sheet>,
}

/// Where a tool stands in the text: two parts of one JSON object.
#[derive(Debug)]
struct Sheet {
    /// The object's beginning, without the comma.
    definition: Range<usize>,
    /// The rest, up to its end.
    declared: Range<usize>,
}

impl Sheets {
    /// The tools of an artifact; `None` where it stands in another way, or is none. It is the artifact that
    /// [`super::Artifact::parse`] gives, if every tool and its declarations can be read.
    #[must_use]
    pub fn of(text: &Arc<String>) -> Option<Self> {
        // No string holds a line break, so the first one stands where the list begins, and each between two members or two
        // values of the list.
        let (head, rest) = text.split_once('\n')?;
        let tools = rest.strip_suffix("\n]}\n")?;
        let tools = sheets(tools, head.len() + 1)?;
        head.strip_suffix("\"tools\":[")?;
        let head: Partly<ToolDefinition> = serde_json::from_str(&format!("{head}]}}")).ok()?;
        check_version(&head.artifact_version.into()).ok()?;
        Some(Self { version: head.version, git_commit: head.git_commit, text: Arc::clone(text), tools })
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
    pub fn tool(&self, place: usize) -> Option<serde_json::Result<(ToolDefinition, Unread)>> {
        let Sheet { definition, declared } = self.tools.get(place)?;
        let definition = serde_json::from_str(&format!("{}}}", self.text.get(definition.clone())?));
        let declared = || Unread::new(Arc::clone(&self.text), declared.clone());
        Some(definition.map(|definition| (definition, declared())))
    }
}

/// The tools of a list, which begins at `start`.
fn sheets(list: &str, mut start: usize) -> Option<Vec<Sheet>> {
    let mut lines = list.split('\n').peekable();
    let mut sheets = Vec::new();
    while let Some(definition) = lines.next() {
        let declared = lines.next()?;
        let next = start + definition.len() + 1;
        let after = next + declared.len() + 1;
        let declared = if lines.peek().is_none() { declared } else { declared.strip_suffix(',')? };
        let stands_so =
            definition.starts_with('{') && declared.starts_with("\"providerSchemas\":{") && declared.ends_with('}');
        let definition = definition.strip_suffix(',').filter(|_| stands_so)?;
        sheets.push(Sheet { definition: start..start + definition.len(), declared: next..next + declared.len() });
        start = after;
    }
    Some(sheets)
}

#[cfg(test)]
mod tests {
    use super::super::artifact::tests::{artifact, tool};
    use super::super::{Artifact, DeclaredTool};
    use super::*;

    /// What the sheets of a text are together.
    fn sheets(text: &str) -> Option<Artifact> {
        let sheets = Sheets::of(&Arc::new(text.to_owned()))?;
        let tools = (0..sheets.len()).map_while(|place| sheets.tool(place)).map(|tool| {
            let (definition, unread) = tool?;
            let declared = unread.get()?.clone();
            Ok(DeclaredTool { definition, declared })
        });
        let tools: Result<_, serde_json::Error> = tools.collect();
        Some(Artifact { version: sheets.version, git_commit: sheets.git_commit, ..artifact(tools.ok()?) })
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
        let text = artifact(vec![tool("a")]).to_text().unwrap().replace("\"lost\":true", "\"lost\":maybe");
        let sheets = Sheets::of(&Arc::new(text)).unwrap();
        let (definition, unread) = sheets.tool(0).unwrap().unwrap();
        assert_eq!(definition, tool("a").definition);
        assert!(unread.get().is_err() && unread.get().is_err(), "and each time");
    }
}
