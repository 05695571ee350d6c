//! A tool's guide: the summary, which is always in the prompt, and the documentation, which is loaded on demand.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::text::location::SourceLocation;
use crate::text::markdown::{self, ItemName, JsonBlock, MarkdownPart};
use crate::text::source::{SourceFile, normalize_line_ends};

/// The content of `guide.md`, or of the legacy pair `doc_summary.md` and `doc.md`.
pub(crate) struct Guide {
    /// The file that contains the summary.
    pub(crate) file: SourceFile,
    /// The summary and its byte offset in `file`.
    pub(crate) summary: Option<(String, usize)>,
    pub(crate) documentation: String,
    pub(crate) layout: GuideLayout,
}

/// The file layout of a guide.
pub(crate) enum GuideLayout {
    /// `guide.md`.
    Current(GuideContents),
    /// `doc_summary.md` and this `doc.md`.
    Legacy(SourceFile),
}

/// The sections of a `guide.md` about the tool's arguments.
#[derive(Default)]
pub(crate) struct GuideContents {
    /// Absent if there is no section `Parameters`.
    pub(crate) parameters: Option<ParametersSection>,
    /// JSON blocks of the section `Examples`.
    pub(crate) examples: Vec<JsonBlock>,
}

/// The section `Parameters`.
#[derive(Default)]
pub(crate) struct ParametersSection {
    pub(crate) heading: Range<usize>,
    pub(crate) documented: Vec<DocumentedParameter>,
    /// The text of every code span, and the plain words that items begin with.
    pub(crate) code_words: BTreeSet<String>,
}

/// A parameter that a list item, a table row or a heading documents.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DocumentedParameter {
    /// Property names from the outermost: `["filters", "type"]`.
    pub(crate) path: Vec<String>,
    pub(crate) span: Range<usize>,
}

impl Guide {
    /// Reads `guide.md`: the first line that is not a heading is the summary, the whole text the documentation.
    pub(crate) fn from_guide(file: SourceFile) -> Self {
        let parts = markdown::parse_parts(&file.text);
        Self {
            documentation: normalize_line_ends(&file.text),
            summary: summary(&file.text, &parts),
            layout: GuideLayout::Current(GuideContents::from_parts(parts)),
            file,
        }
    }

    /// Reads the legacy pair: one file is the summary, the other the documentation.
    pub(crate) fn from_legacy_pair(summary: SourceFile, documentation: SourceFile) -> Self {
        let paragraphs = markdown::parse_parts(&summary.text).into_iter().filter_map(|part| match part {
            MarkdownPart::Paragraph(span) => Some(span),
            _ => None,
        });
        let paragraphs: Vec<Range<usize>> = paragraphs.collect();
        let words = paragraphs.iter().filter_map(|span| summary.text.get(span.clone())).flat_map(str::split_whitespace);
        let text = words.collect::<Vec<_>>().join(" ");
        Self {
            summary: paragraphs.first().map(|first| (text, first.start)),
            file: summary,
            documentation: normalize_line_ends(&documentation.text),
            layout: GuideLayout::Legacy(documentation),
        }
    }

    /// The location of the summary; the start of the file if it is missing.
    pub(crate) fn summary_location(&self) -> SourceLocation {
        let span = self.summary.as_ref().map_or(0..0, |(text, start)| *start..start + text.len());
        self.file.at_span(span)
    }
}

/// The first line of the paragraph that a guide begins with, below its heading. `None` if the guide begins with a list,
/// a table or code.
fn summary(text: &str, parts: &[MarkdownPart]) -> Option<(String, usize)> {
    let first = parts.iter().find(|part| matches!(part, MarkdownPart::Paragraph(_) | MarkdownPart::OtherBlock))?;
    let MarkdownPart::Paragraph(span) = first else { return None };
    let line = text.get(span.clone())?.split(['\n', '\r']).next()?;
    Some((line.trim().to_owned(), span.start + (line.len() - line.trim_start().len())))
}

impl GuideContents {
    fn from_parts(parts: Vec<MarkdownPart>) -> Self {
        let mut contents = Self::default();
        let mut section = None;
        let mut above: Vec<Vec<String>> = Vec::new();
        for part in parts {
            match (&section, part) {
                (inside, MarkdownPart::Heading { level, title, span })
                    if inside.as_ref().is_none_or(|(_, of)| level <= *of) =>
                {
                    section = GuideSection::from_title(&title).map(|section| (section, level));
                    if let Some((GuideSection::Parameters, _)) = section {
                        contents.parameters.get_or_insert_default().heading = span;
                    }
                }
                (Some((GuideSection::Parameters, _)), part) => {
                    contents.parameters.get_or_insert_default().add(part, &mut above);
                }
                (Some((GuideSection::Examples, _)), MarkdownPart::JsonBlock(block)) => contents.examples.push(block),
                _ => {}
            }
        }
        contents
    }
}

/// The sections that lint rules check.
enum GuideSection {
    Parameters,
    Examples,
}

impl GuideSection {
    fn from_title(title: &str) -> Option<Self> {
        if begins_with(title, "Parameters") {
            return Some(Self::Parameters);
        }
        begins_with(title, "Examples").then_some(Self::Examples)
    }
}

impl ParametersSection {
    /// `above` has the path of the last item on each level.
    fn add(&mut self, part: MarkdownPart, above: &mut Vec<Vec<String>>) {
        match part {
            MarkdownPart::NamedItem { names, depth } => {
                above.truncate(depth - 1);
                let parent = if depth == 1 { Some(Vec::new()) } else { above.get(depth - 2).cloned() };
                // Below an item that names no parameter, or several, the parent is unknown.
                let Some(parent) = parent else { return };
                if let [one] = names.as_slice() {
                    above.push(parameter_path(&parent, one));
                }
                self.documented.extend(
                    names.iter().map(|name| DocumentedParameter {
                        path: parameter_path(&parent, name),
                        span: name.span.clone(),
                    }),
                );
            }
            MarkdownPart::Heading { title, span, .. } if !title.contains(char::is_whitespace) => {
                above.clear();
                let name = ItemName { text: title, span: span.clone() };
                let path = parameter_path(&[], &name);
                above.push(path.clone());
                self.documented.push(DocumentedParameter { path, span });
            }
            MarkdownPart::CodeSpan(word) | MarkdownPart::PlainItem(word) => {
                self.code_words.insert(word);
            }
            _ => {}
        }
    }
}

/// `filters.tags[]` below `[]` is `["filters", "tags"]`.
fn parameter_path(parent: &[String], name: &ItemName) -> Vec<String> {
    let names = name.text.split('.').map(|name| name.trim_end_matches("[]").to_owned());
    parent.iter().cloned().chain(names).collect()
}

/// Whether a heading begins with a section's title, in any case: `Common Mistakes (Do Not)`.
fn begins_with(heading: &str, title: &str) -> bool {
    let (Some(begin), Some(rest)) = (heading.get(..title.len()), heading.get(title.len()..)) else { return false };
    begin.eq_ignore_ascii_case(title) && !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
}

/// Whether a document has a heading that begins with this title.
pub(crate) fn has_section(text: &str, title: &str) -> bool {
    markdown::parse_parts(text).iter().any(|part| match part {
        MarkdownPart::Heading { title: found, .. } => begins_with(found, title),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(text: &str) -> Option<(String, usize)> {
        Guide::from_guide(SourceFile::new("guide.md".into(), text)).summary
    }

    #[test]
    fn the_first_line_that_is_no_heading_is_the_summary() {
        assert_eq!(summary("# a\r\n\r\n  Does it. \r\nMore."), Some(("Does it.".into(), 9)));
        assert_eq!(summary("#hashtag first"), Some(("#hashtag first".into(), 0)));
        assert_eq!(summary("# a\n## Summary\nText."), Some(("Text.".into(), 15)));
        assert_eq!(summary("a\n===\n<!-- a note -->\n\nText."), Some(("Text.".into(), 23)));
    }

    #[test]
    fn headings_alone_or_a_sections_list_are_none() {
        assert_eq!(summary(""), None);
        assert_eq!(summary("# a\n\n## Parameters\n\n#\n"), None);
        assert_eq!(summary("# a\n\n## Parameters\n\n- `x`: y\n\n## Examples\n\nText."), None);
    }

    #[test]
    fn a_legacy_summary_may_span_lines() {
        let file = |text| SourceFile::new("doc_summary.md".into(), text);
        let guide = Guide::from_legacy_pair(file("# a\n\nDoes it\r\nwell.\n\nYes.\n"), file("# a\r\nx"));
        assert_eq!(guide.summary, Some(("Does it well. Yes.".into(), 5)));
        assert_eq!(guide.documentation, "# a\nx");
    }

    #[test]
    fn a_heading_may_say_more_than_the_sections_title() {
        let text = "# t\n\n## Common Mistakes (Do Not)\n\n## failure modes:\n\n## Examplesque\n";
        for (title, found) in
            [("Common Mistakes", true), ("Failure Modes", true), ("Examples", false), ("Summary", false)]
        {
            assert_eq!(has_section(text, title), found, "{title}");
        }
    }

    #[test]
    fn parameters_have_paths() {
        let text = "# t\n\nDoes it.\n\n## Parameters:\n\n- `a`\n  - `b`, **c**\n    - `d`\n- `e.f[]`\n\n### `g`\n\n- `h` and `a`\n\n\
                    ## Watch Out\n\n- `i`\n";
        let GuideLayout::Current(contents) = Guide::from_guide(SourceFile::new("guide.md".into(), text)).layout else {
            panic!("the layout is current");
        };
        let parameters = contents.parameters.unwrap();
        let paths: Vec<String> = parameters.documented.iter().map(|documented| documented.path.join(".")).collect();
        assert_eq!(paths, ["a", "a.b", "a.c", "e.f", "g", "h", "a"]);
        assert!(!parameters.code_words.contains("i"));
    }
}
