//! A tool's guide: the summary that is always in the prompt, and the documentation that is loaded on demand.

use std::collections::BTreeSet;
use std::ops::Range;

use super::markdown::{self, JsonBlock, Name, Part};
use super::place::Place;
use super::source::{SourceFile, normalize_line_ends};

/// What the guide says, from `guide.md` or from the legacy pair `doc_summary.md` and `doc.md`.
pub(super) struct Guide {
    /// The file that the summary stands in.
    pub(super) file: SourceFile,
    /// The summary and its byte offset in `file`.
    pub(super) summary: Option<(String, usize)>,
    pub(super) documentation: String,
    pub(super) layout: Layout,
}

/// How a guide is laid out.
pub(super) enum Layout {
    /// `guide.md`.
    Current(Contents),
    /// `doc_summary.md` and this `doc.md`.
    Legacy(SourceFile),
}

/// What a `guide.md` tells of its tool's arguments.
#[derive(Default)]
pub(super) struct Contents {
    /// Absent where there is no section of that name.
    pub(super) parameters: Option<Parameters>,
    /// JSON blocks of the section `Examples`.
    pub(super) examples: Vec<JsonBlock>,
}

/// The section `Parameters`.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) heading: Range<usize>,
    pub(super) documented: Vec<Documented>,
    /// Every word that is set as code.
    pub(super) mentioned: BTreeSet<String>,
}

/// A parameter that a list item, a table's row or a heading is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Documented {
    /// From the outermost: `["filters", "type"]`.
    pub(super) path: Vec<String>,
    pub(super) span: Range<usize>,
}

impl Guide {
    /// `guide.md`: its first line that is no heading is the summary, its whole text the documentation.
    pub(super) fn current(file: SourceFile) -> Self {
        let parts = markdown::parts(&file.text);
        Self {
            documentation: normalize_line_ends(&file.text),
            summary: summary(&file.text, &parts),
            layout: Layout::Current(Contents::read(parts)),
            file,
        }
    }

    /// The legacy pair: one file is the summary, the other the documentation.
    pub(super) fn legacy(summary: SourceFile, documentation: SourceFile) -> Self {
        let paragraphs = markdown::parts(&summary.text).into_iter().filter_map(|part| match part {
            Part::Paragraph(span) => Some(span),
            _ => None,
        });
        let paragraphs: Vec<Range<usize>> = paragraphs.collect();
        let words = paragraphs.iter().filter_map(|span| summary.text.get(span.clone())).flat_map(str::split_whitespace);
        let text = words.collect::<Vec<_>>().join(" ");
        Self {
            summary: paragraphs.first().map(|first| (text, first.start)),
            file: summary,
            documentation: normalize_line_ends(&documentation.text),
            layout: Layout::Legacy(documentation),
        }
    }

    /// Where the summary stands, or should.
    pub(super) fn at_summary(&self) -> Place {
        let span = self.summary.as_ref().map_or(0..0, |(text, start)| *start..start + text.len());
        self.file.at(span)
    }
}

/// The first line of the paragraph that a guide begins with, below its heading. A guide that begins with a list, a
/// table or code has none.
fn summary(text: &str, parts: &[Part]) -> Option<(String, usize)> {
    let first = parts.iter().find(|part| matches!(part, Part::Paragraph(_) | Part::Block))?;
    let Part::Paragraph(span) = first else { return None };
    let line = text.get(span.clone())?.split(['\n', '\r']).next()?;
    Some((line.trim().to_owned(), span.start + (line.len() - line.trim_start().len())))
}

impl Contents {
    fn read(parts: Vec<Part>) -> Self {
        let mut contents = Self::default();
        let mut section = None;
        let mut above: Vec<Vec<String>> = Vec::new();
        for part in parts {
            match (&section, part) {
                (inside, Part::Heading { level, title, span })
                    if inside.as_ref().is_none_or(|(_, of)| level <= *of) =>
                {
                    section = Section::named(&title).map(|section| (section, level));
                    if let Some((Section::Parameters, _)) = section {
                        contents.parameters.get_or_insert_default().heading = span;
                    }
                }
                (Some((Section::Parameters, _)), part) => {
                    contents.parameters.get_or_insert_default().add(part, &mut above);
                }
                (Some((Section::Examples, _)), Part::Json(block)) => contents.examples.push(block),
                _ => {}
            }
        }
        contents
    }
}

/// The sections that a guide's rules are about.
enum Section {
    Parameters,
    Examples,
}

impl Section {
    fn named(title: &str) -> Option<Self> {
        match title.trim_end_matches(':').to_lowercase().as_str() {
            "parameters" => Some(Self::Parameters),
            "examples" => Some(Self::Examples),
            _ => None,
        }
    }
}

impl Parameters {
    /// `above` holds the path of the last item on each level.
    fn add(&mut self, part: Part, above: &mut Vec<Vec<String>>) {
        match part {
            Part::Named { names, depth } => {
                above.truncate(depth - 1);
                let parent = if depth == 1 { Some(Vec::new()) } else { above.get(depth - 2).cloned() };
                // Below something that is no parameter, or below several, names could be of anything.
                let Some(parent) = parent else { return };
                if let [one] = names.as_slice() {
                    above.push(path(&parent, one));
                }
                self.documented
                    .extend(names.iter().map(|name| Documented { path: path(&parent, name), span: name.span.clone() }));
            }
            Part::Heading { title, span, .. } if !title.contains(char::is_whitespace) => {
                above.clear();
                let name = Name { text: title, span: span.clone() };
                let path = path(&[], &name);
                above.push(path.clone());
                self.documented.push(Documented { path, span });
            }
            Part::Code(word) => {
                self.mentioned.insert(word);
            }
            _ => {}
        }
    }
}

/// `filters.tags[]` below `[]` is `["filters", "tags"]`.
fn path(parent: &[String], name: &Name) -> Vec<String> {
    let names = name.text.split('.').map(|name| name.trim_end_matches("[]").to_owned());
    parent.iter().cloned().chain(names).collect()
}

/// Whether a document has a heading of this title.
pub(super) fn has_section(text: &str, title: &str) -> bool {
    markdown::parts(text).iter().any(|part| match part {
        Part::Heading { title: found, .. } => found.trim_end_matches(':').eq_ignore_ascii_case(title),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(text: &str) -> Option<(String, usize)> {
        Guide::current(SourceFile::new("guide.md".into(), text)).summary
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
        let guide = Guide::legacy(file("# a\n\nDoes it\r\nwell.\n\nYes.\n"), file("# a\r\nx"));
        assert_eq!(guide.summary, Some(("Does it well. Yes.".into(), 5)));
        assert_eq!(guide.documentation, "# a\nx");
    }

    #[test]
    fn parameters_have_paths() {
        let text = "# t\n\nDoes it.\n\n## Parameters:\n\n- `a`\n  - `b`, **c**\n    - `d`\n- `e.f[]`\n\n### `g`\n\n- `h` and `a`\n\n\
                    ## Watch Out\n\n- `i`\n";
        let Layout::Current(contents) = Guide::current(SourceFile::new("guide.md".into(), text)).layout else {
            panic!("the layout is current");
        };
        let parameters = contents.parameters.unwrap();
        let paths: Vec<String> = parameters.documented.iter().map(|documented| documented.path.join(".")).collect();
        assert_eq!(paths, ["a", "a.b", "a.c", "e.f", "g", "h", "a"]);
        assert!(!parameters.mentioned.contains("i"));
    }
}
