//! `docs/diagnostics.md` as data: its index and its sections with their blocks.
//!
//! A fence's info string is a language and a place: `json schema.json`. Blocks below the line `**Instead**` are the
//! corrected form; the one that says nothing but `text` is what the tool prints.

use std::path::Path;

const INSTEAD: &str = "**Instead**";

/// The page.
pub(crate) struct Page {
    /// Rows of the table at the top: code and severity.
    pub(crate) index: Vec<(String, String)>,
    pub(crate) sections: Vec<Section>,
}

/// What is said of one code.
#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) code: String,
    /// The first line: `**Warning**; `lintAccepted` acknowledges it.`
    pub(crate) severity: String,
    pub(crate) printed: Option<String>,
    pub(crate) wrong: Vec<Block>,
    pub(crate) right: Vec<Block>,
}

/// A block that stands for something in the tools folder.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The second word of its info string: `schema.json`.
    pub(crate) place: String,
    pub(crate) text: String,
}

impl Page {
    pub(crate) fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics.md");
        let text = std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
        let mut page = Self { index: Vec::new(), sections: Vec::new() };
        let mut lines = text.lines();
        let mut corrected = false;
        while let Some(line) = lines.next() {
            let info = line.trim_start_matches('`');
            let fence = line.strip_suffix(info).unwrap();
            if fence.len() >= 3 {
                let text: String = lines
                    .by_ref()
                    .take_while(|line| *line != fence)
                    .fold(String::new(), |text, line| text + line + "\n");
                page.section().take(info, text, corrected);
            } else if let Some(code) = line.strip_prefix("## ") {
                page.sections.push(Section { code: code.to_owned(), ..Section::default() });
                corrected = false;
            } else if page.sections.is_empty() {
                page.index.extend(row(line));
            } else if line == INSTEAD {
                corrected = true;
            } else if page.section().severity.is_empty() {
                page.section().severity.push_str(line);
            }
        }
        page
    }

    fn section(&mut self) -> &mut Section {
        self.sections.last_mut().unwrap()
    }
}

impl Section {
    fn take(&mut self, info: &str, text: String, corrected: bool) {
        if let Some((_, place)) = info.split_once(' ') {
            let blocks = if corrected { &mut self.right } else { &mut self.wrong };
            blocks.push(Block { place: place.to_owned(), text });
        } else {
            assert_eq!(info, "text", "`{}`: a block says where it belongs", self.code);
            assert!(self.printed.replace(text).is_none(), "`{}` prints once", self.code);
        }
    }
}

/// Code and severity of a line such as ``| [`a`](#a) | error | … |``.
fn row(line: &str) -> Option<(String, String)> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let (code, target) = cells.first()?.strip_prefix("[`")?.split_once("`](#")?;
    assert_eq!(target.trim_end_matches(')'), code, "a row links its own section");
    assert!(cells.len() == 3 && !cells[2].is_empty(), "{line}");
    Some((code.to_owned(), cells[1].to_owned()))
}
