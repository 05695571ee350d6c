//! The parts of a guide's Markdown with their byte ranges: headings, paragraphs, named list items and table rows, JSON
//! blocks. CommonMark with GitHub's tables, parsed by `pulldown-cmark`; `guide` interprets the parts.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MarkdownPart {
    /// A heading.
    Heading { level: HeadingLevel, title: String, span: Range<usize> },
    /// A paragraph at the top level, outside of lists, quotes and tables.
    Paragraph(Range<usize>),
    /// Another block at the top level: a list, a quote, a table, code.
    OtherBlock,
    /// A list item or table row that begins with names: code spans or bold words.
    NamedItem {
        names: Vec<ItemName>,
        /// The nesting depth of lists; 1 is the outermost. A table row has 1.
        depth: usize,
    },
    /// The plain word that a list item begins with, before a parenthesis: `name` of `- name (required): …`.
    PlainItem(String),
    /// A code span, anywhere.
    CodeSpan(String),
    /// A fenced code block whose info string is `json`.
    JsonBlock(JsonBlock),
}

/// A name with its byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ItemName {
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

/// The content of a code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonBlock {
    /// Without the indentation and quote marks of the enclosing blocks.
    pub(crate) text: String,
    /// Byte range in the document, including indentation and quote marks.
    pub(crate) span: Range<usize>,
}

/// The parts of a document, in document order.
pub(crate) fn parse_parts(text: &str) -> Vec<MarkdownPart> {
    let mut reading = MarkdownReader::default();
    for (event, span) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        reading.event(event, span);
    }
    for part in &mut reading.parts {
        // A block's byte range includes the end of its last line.
        if let MarkdownPart::Heading { span, .. } | MarkdownPart::Paragraph(span) = part {
            span.end = text.get(span.clone()).map_or(span.end, |inside| span.start + inside.trim_end().len());
        }
    }
    reading.parts
}

#[derive(Default)]
struct MarkdownReader {
    parts: Vec<MarkdownPart>,
    /// Number of open blocks.
    depth: usize,
    list_depth: usize,
    heading: Option<String>,
    json_block: Option<JsonBlock>,
    /// The names at the beginning of the current item, until other text follows.
    names: Option<Vec<ItemName>>,
    bold: bool,
    /// The column in the current table row.
    column: usize,
}

impl MarkdownReader {
    fn event(&mut self, event: Event<'_>, span: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, span),
            Event::End(tag) => self.end(tag, span),
            Event::Code(text) => {
                self.add_to_heading(&text);
                self.push_name(&text, span);
                self.parts.push(MarkdownPart::CodeSpan(text.into_string()));
            }
            Event::Text(text) => self.text(&text, span),
            Event::SoftBreak | Event::HardBreak => self.add_to_heading(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, span: Range<usize>) {
        if self.depth == 0 {
            match tag {
                Tag::Paragraph => self.parts.push(MarkdownPart::Paragraph(span.clone())),
                Tag::Heading { .. } | Tag::HtmlBlock | Tag::MetadataBlock(_) => {}
                _ => self.parts.push(MarkdownPart::OtherBlock),
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
                self.finish_names();
                self.list_depth += 1;
            }
            Tag::Item => self.names = Some(Vec::new()),
            Tag::TableRow => self.column = 0,
            Tag::TableCell => {
                self.finish_names();
                self.names = (self.column == 0).then(Vec::new);
                self.column += 1;
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) if info.trim().eq_ignore_ascii_case("json") => {
                self.json_block = Some(JsonBlock { text: String::new(), span: span.end..span.end });
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
                self.parts.push(MarkdownPart::Heading { level, title: title.trim().to_owned(), span });
            }
            TagEnd::List(_) => self.list_depth = self.list_depth.saturating_sub(1),
            TagEnd::Item | TagEnd::TableCell | TagEnd::TableHead => self.finish_names(),
            TagEnd::CodeBlock => self.parts.extend(self.json_block.take().map(MarkdownPart::JsonBlock)),
            _ => {}
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn text(&mut self, text: &str, span: Range<usize>) {
        self.add_to_heading(text);
        if let Some(block) = &mut self.json_block {
            block.span.start = block.span.start.min(span.start);
            block.span.end = if block.text.is_empty() { span.end } else { block.span.end.max(span.end) };
            block.text.push_str(text);
            return;
        }
        if self.names.as_ref().is_some_and(Vec::is_empty) && !self.bold {
            self.parts.extend(word_before_parenthesis(text).map(|word| MarkdownPart::PlainItem(word.to_owned())));
        }
        if self.bold {
            self.push_name(text, span);
        } else if !text.split([',', '/', ' ']).all(|word| matches!(word, "" | "and" | "or")) {
            self.finish_names();
        }
    }

    fn add_to_heading(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        }
    }

    fn push_name(&mut self, text: &str, span: Range<usize>) {
        if let Some(names) = &mut self.names {
            names.push(ItemName { text: text.trim().to_owned(), span });
        }
    }

    /// Ends the names at the beginning of an item.
    fn finish_names(&mut self) {
        let names = self.names.take().unwrap_or_default();
        if !names.is_empty() {
            self.parts.push(MarkdownPart::NamedItem { names, depth: self.list_depth.max(1) });
        }
    }
}

/// `name` of `name (required): …`.
fn word_before_parenthesis(text: &str) -> Option<&str> {
    let (word, _) = text.split_once(" (")?;
    let is_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '$');
    (!word.is_empty() && word.chars().all(is_name)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(Vec<String>, usize)> {
        let names = |part| match part {
            MarkdownPart::NamedItem { names, depth } => {
                Some((names.into_iter().map(|name| name.text).collect(), depth))
            }
            _ => None,
        };
        parse_parts(text).into_iter().filter_map(names).collect()
    }

    fn named_item(names: &[&str], depth: usize) -> (Vec<String>, usize) {
        (names.iter().map(|&name| name.to_owned()).collect(), depth)
    }

    #[test]
    fn items_and_rows_begin_with_names() {
        let list = "- `a` (text): see `z`\n- **b**, `c` and `d`: x\n  - `e`\n- no `f`\n\n1. `g`\n";
        assert_eq!(
            named(list),
            [named_item(&["a"], 1), named_item(&["b", "c", "d"], 1), named_item(&["e"], 2), named_item(&["g"], 1)]
        );
        let table = "| name | what |\n|---|---|\n| `a` | the `b` |\n| c | d |\n";
        assert_eq!(named(table), [named_item(&["a"], 1)]);
    }

    #[test]
    fn an_item_may_begin_with_a_plain_word() {
        let plain = |part| if let MarkdownPart::PlainItem(word) = part { Some(word) } else { None };
        let text = "- query (required): what\n- top_k (1 to 9)\n- some words (here)\n- `a` (b)\n\nother (text)\n";
        assert_eq!(parse_parts(text).into_iter().filter_map(plain).collect::<Vec<_>>(), ["query", "top_k"]);
    }

    #[test]
    fn blocks_know_their_bytes() {
        let text = "- x\n\n  ```json\n  { \"é\": 1,\n    \"b\": 2 }\n  ```\n";
        let Some(MarkdownPart::JsonBlock(block)) =
            parse_parts(text).into_iter().find(|part| matches!(part, MarkdownPart::JsonBlock(_)))
        else {
            panic!("there is a block");
        };
        assert_eq!(text.get(block.span.clone()), Some("{ \"é\": 1,\n    \"b\": 2 }\n"));
        assert_eq!(block.text, "{ \"é\": 1,\n  \"b\": 2 }\n");
        assert!(!parse_parts("```js\n1\n```\n    {}\n").iter().any(|part| matches!(part, MarkdownPart::JsonBlock(_))));
    }

    #[test]
    fn headings_and_paragraphs_are_told_apart() {
        let text = "A `b`\n===\n\n<!-- c -->\n\nText.\n\n> Quote.\n";
        let parts = parse_parts(text);
        let heading = MarkdownPart::Heading { level: HeadingLevel::H1, title: "A b".to_owned(), span: 0..9 };
        let paragraph = MarkdownPart::Paragraph(text.find("Text").unwrap()..text.find("\n\n> ").unwrap());
        assert_eq!(parts, [MarkdownPart::CodeSpan("b".to_owned()), heading, paragraph, MarkdownPart::OtherBlock]);
    }
}
