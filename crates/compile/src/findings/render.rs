//! Renders a report for a terminal: each finding with its source line, the underlined span, and the help text.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::code::Severity;
use super::report::{BuildReport, Diagnostic};
use crate::text::sanitize::sanitize_for_terminal;

/// How a report is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours, or none.
    pub colour: Colour,
    /// Columns of the terminal; longer source lines are truncated around the span.
    pub width: usize,
}

/// Whether ANSI colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// For a terminal.
    Ansi,
}

impl Style {
    /// Plain text, as for a file.
    pub const PLAIN: Self = Self { colour: Colour::Never, width: 140 };
}

/// Renders every finding, a hint at `toolgate explain`, and the result of the build.
///
/// Text from files is rendered without control characters, so that no file can control the terminal.
#[must_use]
pub fn format_report(report: &BuildReport, style: &Style) -> String {
    format_findings(report, style) + &closing_line(report) + "\n"
}

/// Renders every finding as [`format_report`] does, and a hint at `toolgate explain`.
#[must_use]
pub fn format_findings(report: &BuildReport, style: &Style) -> String {
    let renderer = match style.colour {
        Colour::Never => Renderer::plain(),
        Colour::Ansi => Renderer::styled(),
    };
    let renderer = renderer.term_width(style.width);
    let mut text = String::new();
    for found in &report.diagnostics {
        let source = report.sources.get(&found.file).map(|source| &**source);
        // Writing into a String can't fail.
        let _ = writeln!(text, "{}\n", renderer.render(&[finding_group(found, source)]));
    }
    text + &explain_hint(report)
}

/// A hint at `toolgate explain`. Names the code if all findings have the same one, so that the line can be copied.
fn explain_hint(report: &BuildReport) -> String {
    match report.diagnostics.as_slice() {
        [] => String::new(),
        [first, rest @ ..] if rest.iter().all(|found| found.code == first.code) => {
            format!("run `toolgate explain {}` for details\n", first.code)
        }
        _ => "run `toolgate explain <code>` for details\n".to_owned(),
    }
}

fn finding_group<'a>(found: &'a Diagnostic, source: Option<&'a str>) -> Group<'a> {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(sanitize_for_terminal(&found.message)).id(found.code.as_str());
    let group = Group::with_title(title);
    let path = sanitize_for_terminal(&found.file);
    let help = Level::HELP.message(sanitize_for_terminal(&found.help));
    let value = pointer_note(found).map(|note| Level::NOTE.message(sanitize_for_terminal(&note).into_owned()));
    let line = found.line as usize;
    let Some(excerpt) = source.and_then(|source| Excerpt::around(source, &found.span)) else {
        return group.element(Origin::path(path)).elements(value).element(help);
    };
    let snippet = Snippet::source(excerpt.text).line_start(line);
    let snippet = snippet.annotation(AnnotationKind::Primary.span(excerpt.span));
    match excerpt.skipped_bytes {
        0 => group.element(snippet.path(path)),
        // A snippet counts columns from its own start.
        _ => group.element(Origin::path(path).line(line).char_column(found.column as usize)).element(snippet),
    }
    .elements(value)
    .element(help)
}

/// A note with the pointer of the value that a finding about a schema module concerns. In JSON the span shows the
/// value; a module may compute it elsewhere.
fn pointer_note(found: &Diagnostic) -> Option<String> {
    let is_json = found.file.rsplit('.').next() == Some("json");
    let pointer = found.pointer.as_deref().filter(|pointer| !pointer.is_empty() && !is_json)?;
    Some(format!("the value is at `{pointer}`"))
}

/// The rendered part of a source.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt {
    text: String,
    /// Byte range in `text`.
    span: Range<usize>,
    /// Bytes of the line that precede `text`.
    skipped_bytes: usize,
}

impl Excerpt {
    /// Bytes of a line that are rendered on either side of a span's start: more than the width of any terminal. Time
    /// and memory of rendering grow with the rendered line.
    const CONTEXT_BYTES: usize = 4096;

    /// The line that a span begins in, or the part of that line around the span. A span over several lines is truncated
    /// to its first line.
    fn around(source: &str, span: &Range<usize>) -> Option<Self> {
        if source.is_empty() {
            return None;
        }
        let (before, after) = source.split_at_checked(span.start)?;
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line_end = span.start + after.find(['\n', '\r']).unwrap_or(after.len());
        let start = source.ceil_char_boundary(line_start.max(span.start.saturating_sub(Self::CONTEXT_BYTES)));
        let end = source.floor_char_boundary(line_end.min(span.start + Self::CONTEXT_BYTES));
        let span_end = span.end.clamp(span.start, end);
        let [before, within, after] =
            [start..span.start, span.start..span_end, span_end..end].map(|part| source.get(part));
        // Sanitized text may have more bytes than the source.
        let mut text = sanitize_for_terminal(before?).into_owned();
        let drawn_start = text.len();
        text += &sanitize_for_terminal(within?);
        let drawn = drawn_start..text.len();
        text += &sanitize_for_terminal(after?);
        Some(Self { text, span: drawn, skipped_bytes: start - line_start })
    }
}

fn closing_line(report: &BuildReport) -> String {
    let warnings = match report.count(Severity::Warning) {
        0 => String::new(),
        count => format!(", {}", pluralized(count, "warning")),
    };
    match &report.version {
        Some(version) if report.ok => {
            format!("built {}, version {version}{warnings}", pluralized(report.tools.len(), "tool"))
        }
        _ => {
            let errors = pluralized(report.count(Severity::Error), "error");
            format!("{errors}{warnings}; the last good tool set is untouched")
        }
    }
}

fn pluralized(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_drawn_on_its_first_line() {
        let source = "{\r\n  \"é\": [\n  ]\n}";
        let start = source.find('[').unwrap_or_default();
        let excerpt = Excerpt::around(source, &(start..source.len())).unwrap();
        assert_eq!(excerpt, Excerpt { text: "  \"é\": [".to_owned(), span: 8..9, skipped_bytes: 0 });
        assert_eq!(
            Excerpt::around(source, &(source.len()..source.len())).map(|excerpt| excerpt.text),
            Some("}".to_owned())
        );
        assert_eq!(Excerpt::around("", &(0..0)), None);
    }

    #[test]
    fn a_long_line_is_cut_around_the_span() {
        let source = "é".repeat(1_000_000);
        let excerpt = Excerpt::around(&source, &(1_000_000..1_000_004)).unwrap();
        assert_eq!((excerpt.span, excerpt.skipped_bytes), (4096..4100, 1_000_000 - 4096));
        assert_eq!(excerpt.text.len(), 2 * 4096);
    }
}
