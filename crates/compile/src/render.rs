//! A report as people read it in a terminal: each finding with its source line, the span underlined, and what to do.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::code::Severity;
use super::harmless::harmless;
use super::report::{BuildReport, Diagnostic};

/// How a report is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours, or none.
    pub colour: Colour,
    /// Columns of the terminal; longer source lines are cut around the span.
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

/// Draws every finding, then says where they are explained and what became of the build.
///
/// What comes from files is drawn without control characters, so that no file can talk to the terminal.
#[must_use]
pub fn format_report(report: &BuildReport, style: &Style) -> String {
    format_findings(report, style) + &closing_line(report) + "\n"
}

/// Draws every finding, as [`format_report`] does, and says where they are explained.
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
        let _ = writeln!(text, "{}\n", renderer.render(&[group(found, source)]));
    }
    text + &explanation(report)
}

/// Where a reader learns more. The one code is named where there is one, so that the line can be copied.
fn explanation(report: &BuildReport) -> String {
    match report.diagnostics.as_slice() {
        [] => String::new(),
        [first, rest @ ..] if rest.iter().all(|found| found.code == first.code) => {
            format!("`toolgate explain {}` says more about it\n", first.code)
        }
        _ => "`toolgate explain <code>` says more about each\n".to_owned(),
    }
}

fn group<'a>(found: &'a Diagnostic, source: Option<&'a str>) -> Group<'a> {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(harmless(&found.message)).id(found.code.as_str());
    let group = Group::with_title(title);
    let path = harmless(&found.file);
    let help = Level::HELP.message(harmless(&found.help));
    let value = in_module(found).map(|note| Level::NOTE.message(harmless(&note).into_owned()));
    let line = found.line as usize;
    let Some(excerpt) = source.and_then(|source| Excerpt::around(source, &found.span)) else {
        return group.element(Origin::path(path)).elements(value).element(help);
    };
    let snippet = Snippet::source(excerpt.text).line_start(line);
    let snippet = snippet.annotation(AnnotationKind::Primary.span(excerpt.span));
    match excerpt.cut {
        0 => group.element(snippet.path(path)),
        // A snippet counts columns from its own beginning.
        _ => group.element(Origin::path(path).line(line).char_column(found.column as usize)).element(snippet),
    }
    .elements(value)
    .element(help)
}

/// Which value a finding about a schema module means. In JSON the span says it; a module may have made it elsewhere.
fn in_module(found: &Diagnostic) -> Option<String> {
    let is_json = found.file.rsplit('.').next() == Some("json");
    let pointer = found.pointer.as_deref().filter(|pointer| !pointer.is_empty() && !is_json)?;
    Some(format!("the value is at `{pointer}`"))
}

/// What is drawn of a source.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt {
    text: String,
    /// Bytes of `text`.
    span: Range<usize>,
    /// Bytes of the line that are missing before `text`.
    cut: usize,
}

impl Excerpt {
    /// Bytes of a line that are drawn on either side of a span's start: more than any terminal is wide. Drawing a
    /// line takes time and memory for all of it.
    const AROUND: usize = 4096;

    /// The line that a span begins in, or the part of it around the span. A span over several lines is drawn to the
    /// end of its first.
    fn around(source: &str, span: &Range<usize>) -> Option<Self> {
        if source.is_empty() {
            return None;
        }
        let (before, after) = source.split_at_checked(span.start)?;
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line_end = span.start + after.find(['\n', '\r']).unwrap_or(after.len());
        let start = source.ceil_char_boundary(line_start.max(span.start.saturating_sub(Self::AROUND)));
        let end = source.floor_char_boundary(line_end.min(span.start + Self::AROUND));
        let span_end = span.end.clamp(span.start, end);
        let [before, within, after] =
            [start..span.start, span.start..span_end, span_end..end].map(|part| source.get(part));
        // What is drawn may take more bytes than what it stands for.
        let mut text = harmless(before?).into_owned();
        let drawn_start = text.len();
        text += &harmless(within?);
        let drawn = drawn_start..text.len();
        text += &harmless(after?);
        Some(Self { text, span: drawn, cut: start - line_start })
    }
}

fn closing_line(report: &BuildReport) -> String {
    let warnings = match report.count(Severity::Warning) {
        0 => String::new(),
        count => format!(", {}", counted(count, "warning")),
    };
    match &report.version {
        Some(version) if report.ok => {
            format!("built {}, version {version}{warnings}", counted(report.tools.len(), "tool"))
        }
        _ => {
            let errors = counted(report.count(Severity::Error), "error");
            format!("{errors}{warnings}; the last good tool set is untouched")
        }
    }
}

fn counted(count: usize, noun: &str) -> String {
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
        assert_eq!(excerpt, Excerpt { text: "  \"é\": [".to_owned(), span: 8..9, cut: 0 });
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
        assert_eq!((excerpt.span, excerpt.cut), (4096..4100, 1_000_000 - 4096));
        assert_eq!(excerpt.text.len(), 2 * 4096);
    }
}
