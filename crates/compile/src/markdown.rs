//! What a guide's Markdown says, with the bytes where it says it: headings, named list items and table rows, JSON
//! blocks. CommonMark with GitHub's tables, as `pulldown-cmark` reads them; what the parts mean is the guide's business.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// A heading.
    Heading { level: HeadingLevel, title: String, span: Range<usize> },
    /// A paragraph that stands in no list, quote or table.
    Paragraph(Range<usize>),
    /// Another block at the top: a list, a quote, a table, code.
    Block,
    /// A list item, or a table's row, that begins with names: words set as code or bold.
    Named {
        names: Vec<Name>,
        /// How many lists it stands in; 1 is the outermost. A table's row has 1.
        depth: usize,
    },
    /// A word set as code, anywhere.
    Code(String),
    /// A fenced code block whose info string is `json`.
    Json(JsonBlock),
}

/// A name with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// The content of a code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsonBlock {
    /// Without the indentation and the quote marks of what it stands in.
    pub(super) text: String,
    /// Its bytes in the document, with them.
    pub(super) span: Range<usize>,
}

/// The parts of a document, in its order.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut reading = Reading::default();
    for (event, span) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        reading.event(event, span);
    }
    for part in &mut reading.parts {
        // A block's bytes include the end of its last line.
        if let Part::Heading { span, .. } | Part::Paragraph(span) = part {
            span.end = text.get(span.clone()).map_or(span.end, |inside| span.start + inside.trim_end().len());
        }
    }
    reading.parts
}

#[derive(Default)]
struct Reading {
    parts: Vec<Part>,
    /// Blocks that are open.
    depth: usize,
    lists: usize,
    heading: Option<String>,
    json: Option<JsonBlock>,
    /// The names at the beginning of an item, while nothing else has come.
    names: Option<Vec<Name>>,
    bold: bool,
    /// The column of a table's row.
    cell: usize,
}

impl Reading {
    fn event(&mut self, event: Event<'_>, span: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, span),
            Event::End(tag) => self.end(tag, span),
            Event::Code(text) => {
                self.add_to_heading(&text);
                self.name(&text, span);
                self.parts.push(Part::Code(text.into_string()));
            }
            Event::Text(text) => self.text(&text, span),
            Event::SoftBreak | Event::HardBreak => self.add_to_heading(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, span: Range<usize>) {
        if self.depth == 0 {
            match tag {
                Tag::Paragraph => self.parts.push(Part::Paragraph(span.clone())),
                Tag::Heading { .. } | Tag::HtmlBlock | Tag::MetadataBlock(_) => {}
                _ => self.parts.push(Part::Block),
            }
        }
        match tag {
            Tag::Emphasis | Tag::Link { .. } | Tag::Image { .. } | Tag::Strikethrough => return,
            Tag::Strong => {
                self.bold = true;
                return;
            }
            Tag::Heading { .. } => self.heading = Some(String::new()),
            Tag::List(_) => {
                self.close_names();
                self.lists += 1;
            }
            Tag::Item => self.names = Some(Vec::new()),
            Tag::TableRow => self.cell = 0,
            Tag::TableCell => {
                self.close_names();
                self.names = (self.cell == 0).then(Vec::new);
                self.cell += 1;
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) if info.trim().eq_ignore_ascii_case("json") => {
                self.json = Some(JsonBlock { text: String::new(), span: span.end..span.end });
            }
            _ => {}
        }
        self.depth += 1;
    }

    fn end(&mut self, tag: TagEnd, span: Range<usize>) {
        match tag {
            TagEnd::Emphasis | TagEnd::Link | TagEnd::Image | TagEnd::Strikethrough => return,
            TagEnd::Strong => {
                self.bold = false;
                return;
            }
            TagEnd::Heading(level) => {
                let title = self.heading.take().unwrap_or_default();
                self.parts.push(Part::Heading { level, title: title.trim().to_owned(), span });
            }
            TagEnd::List(_) => self.lists = self.lists.saturating_sub(1),
            TagEnd::Item | TagEnd::TableCell | TagEnd::TableHead => self.close_names(),
            TagEnd::CodeBlock => self.parts.extend(self.json.take().map(Part::Json)),
            _ => {}
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn text(&mut self, text: &str, span: Range<usize>) {
        self.add_to_heading(text);
        if let Some(block) = &mut self.json {
            block.span.start = block.span.start.min(span.start);
            block.span.end = if block.text.is_empty() { span.end } else { block.span.end.max(span.end) };
            block.text.push_str(text);
            return;
        }
        if self.bold {
            self.name(text, span);
        } else if !text.split([',', '/', ' ']).all(|word| matches!(word, "" | "and" | "or")) {
            self.close_names();
        }
    }

    fn add_to_heading(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        }
    }

    fn name(&mut self, text: &str, span: Range<usize>) {
        if let Some(names) = &mut self.names {
            names.push(Name { text: text.trim().to_owned(), span });
        }
    }

    /// What comes now is no name at the beginning of an item any more.
    fn close_names(&mut self) {
        let names = self.names.take().unwrap_or_default();
        if !names.is_empty() {
            self.parts.push(Part::Named { names, depth: self.lists.max(1) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(Vec<String>, usize)> {
        let names = |part| match part {
            Part::Named { names, depth } => Some((names.into_iter().map(|name| name.text).collect(), depth)),
            _ => None,
        };
        parts(text).into_iter().filter_map(names).collect()
    }

    fn of(names: &[&str], depth: usize) -> (Vec<String>, usize) {
        (names.iter().map(|&name| name.to_owned()).collect(), depth)
    }

    #[test]
    fn items_and_rows_begin_with_names() {
        let list = "- `a` (text): see `z`\n- **b**, `c` and `d`: x\n  - `e`\n- no `f`\n\n1. `g`\n";
        assert_eq!(named(list), [of(&["a"], 1), of(&["b", "c", "d"], 1), of(&["e"], 2), of(&["g"], 1)]);
        let table = "| name | what |\n|---|---|\n| `a` | the `b` |\n| c | d |\n";
        assert_eq!(named(table), [of(&["a"], 1)]);
    }

    #[test]
    fn blocks_know_their_bytes() {
        let text = "- x\n\n  ```json\n  { \"é\": 1,\n    \"b\": 2 }\n  ```\n";
        let Some(Part::Json(block)) = parts(text).into_iter().find(|part| matches!(part, Part::Json(_))) else {
            panic!("there is a block");
        };
        assert_eq!(text.get(block.span.clone()), Some("{ \"é\": 1,\n    \"b\": 2 }\n"));
        assert_eq!(block.text, "{ \"é\": 1,\n  \"b\": 2 }\n");
        assert!(!parts("```js\n1\n```\n    {}\n").iter().any(|part| matches!(part, Part::Json(_))));
    }

    #[test]
    fn headings_and_paragraphs_are_told_apart() {
        let text = "A `b`\n===\n\n<!-- c -->\n\nText.\n\n> Quote.\n";
        let parts = parts(text);
        let heading = Part::Heading { level: HeadingLevel::H1, title: "A b".to_owned(), span: 0..9 };
        let paragraph = Part::Paragraph(text.find("Text").unwrap()..text.find("\n\n> ").unwrap());
        assert_eq!(parts, [Part::Code("b".to_owned()), heading, paragraph, Part::Block]);
    }
}
