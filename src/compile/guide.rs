//! A tool's guide: the summary that is always in the prompt, and the documentation that is loaded on demand.

use super::place::Place;
use super::source::{SourceFile, normalize_line_ends};

/// What the guide says, from `guide.md` or from the legacy pair `doc_summary.md` and `doc.md`.
pub(super) struct Guide {
    /// The file that the summary stands in.
    pub(super) file: SourceFile,
    /// The summary and its byte offset in `file`.
    pub(super) summary: Option<(String, usize)>,
    pub(super) documentation: String,
    /// `doc.md`, where the layout is the legacy one.
    pub(super) legacy: Option<SourceFile>,
}

impl Guide {
    /// `guide.md`: its first line that is no heading is the summary, its whole text the documentation.
    pub(super) fn current(file: SourceFile) -> Self {
        let summary = first_sentence_line(&file.text);
        Self { documentation: normalize_line_ends(&file.text), summary, file, legacy: None }
    }

    /// The legacy pair: one file is the summary, the other the documentation.
    pub(super) fn legacy(summary: SourceFile, documentation: SourceFile) -> Self {
        let lines = lines_with_offsets(&summary.text).filter(|(_, line)| !line.is_empty() && !is_heading(line));
        let lines: Vec<_> = lines.collect();
        let text = lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join(" ");
        let start = lines.first().map(|(offset, _)| *offset);
        Self {
            summary: start.map(|offset| (text, offset)),
            file: summary,
            documentation: normalize_line_ends(&documentation.text),
            legacy: Some(documentation),
        }
    }

    /// Where the summary stands, or should.
    pub(super) fn at_summary(&self) -> Place {
        let span = self.summary.as_ref().map_or(0..0, |(text, start)| *start..start + text.len());
        self.file.at(span)
    }
}

/// The first line that is neither a heading nor empty. Under a section's heading a list or a code block is that
/// section's content, so a guide that begins so has no summary.
fn first_sentence_line(text: &str) -> Option<(String, usize)> {
    let mut in_section = false;
    for (offset, line) in lines_with_offsets(text) {
        if is_heading(line) {
            in_section |= line.starts_with("##");
        } else if !line.is_empty() {
            let content = ["- ", "* ", "+ ", "| ", "```", "~~~"].iter().any(|start| line.starts_with(start));
            return (!(in_section && content)).then(|| (line.to_owned(), offset));
        }
    }
    None
}

/// An ATX heading (CommonMark 4.2): one to six `#`, then a blank or the end.
pub(super) fn is_heading(line: &str) -> bool {
    let marks = line.chars().take_while(|mark| *mark == '#').count();
    (1..=6).contains(&marks) && line.chars().nth(marks).is_none_or(char::is_whitespace)
}

/// Trimmed lines with the offset of their first character.
fn lines_with_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive(['\n', '\r']).map(move |line| {
        let offset = start + (line.len() - line.trim_start().len());
        start += line.len();
        (offset.min(start), line.trim())
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
    }

    #[test]
    fn headings_alone_or_a_sections_list_are_none() {
        assert_eq!(summary(""), None);
        assert_eq!(summary("# a\n\n## Parameters\n\n#\n"), None);
        assert_eq!(summary("# a\n\n## Parameters\n\n- `x`: y\n"), None);
    }

    #[test]
    fn a_legacy_summary_may_span_lines() {
        let file = |text| SourceFile::new("doc_summary.md".into(), text);
        let guide = Guide::legacy(file("# a\n\nDoes it\r\nwell.\n"), file("# a\r\nx"));
        assert_eq!(guide.summary, Some(("Does it well.".into(), 5)));
        assert_eq!(guide.documentation, "# a\nx");
    }
}
