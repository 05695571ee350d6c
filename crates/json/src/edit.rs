//! Changes to a JSON text that leave the rest of it byte for byte, and a tape's entries where they are.

use super::entry::{Entry, Tag};
use super::parse::{self, offset};
use super::{DEPTH_CEILING, Limits, Node, TEXT_CEILING, Tape};

/// The bytes from `start` to `end` become `text`. They are whole values, or whole members, with the commas beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    start: usize,
    end: usize,
    text: String,
    /// The text is members of an object, not values.
    has_names: bool,
}

impl Edit {
    /// Another value in place of this one.
    pub fn replace(node: Node<'_>, text: String) -> Self {
        let (start, end) = node.span();
        Self { start, end, text, has_names: false }
    }

    /// Members or elements go.
    pub const fn remove(start: usize, end: usize) -> Self {
        Self { start, end, text: String::new(), has_names: false }
    }

    /// Members are added.
    pub const fn add_members(at: usize, text: String) -> Self {
        Self { start: at, end: at, text, has_names: true }
    }

    /// Elements are added.
    pub const fn add_elements(at: usize, text: String) -> Self {
        Self { start: at, end: at, text, has_names: false }
    }
}

/// The text with all edits made. They must not overlap; an insertion may stand where a removal begins, and comes first.
pub fn apply(text: &str, edits: &mut [Edit]) -> String {
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut out = String::with_capacity(text.len() + added);
    let mut done = 0;
    for edit in &*edits {
        out.push_str(text.get(done..edit.start).unwrap_or_default());
        out.push_str(&edit.text);
        done = edit.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

impl Tape {
    /// The tape of the text with all edits made, as [`apply`] makes them. What is added is parsed; what stays is not.
    ///
    /// `None` where that would be too long or too deeply nested, or what is added is no JSON or holds a key twice. No
    /// added member may have the name of one that is there.
    pub fn edited(&self, mut edits: Vec<Edit>) -> Option<Self> {
        let text = apply(self.text(), &mut edits);
        if text.len() > TEXT_CEILING {
            return None;
        }
        let mut splice = Splice {
            entries: Vec::with_capacity(self.entries().len() + 4 * edits.len()),
            open: Vec::new(),
            shift: 0,
            had_null: self.has_null(),
            has_null: false,
            depth: self.depth(),
        };
        splice.run(self.entries(), &edits)?;
        let tape = Self::from_parts(text, splice.entries, splice.has_null, splice.depth);
        debug_assert!(
            Self::parse(tape.text(), &Limits::widest()).is_ok_and(|parsed| parsed.entries() == tape.entries()),
            "{}",
            tape.text()
        );
        Some(tape)
    }
}

/// A container around an edit: its place among the new entries, and where it ended.
struct Frame {
    index: usize,
    end: u32,
}

/// Entries on the way from one tape to another. Offsets wrap, since text can become shorter.
struct Splice {
    entries: Vec<Entry>,
    open: Vec<Frame>,
    /// How much further the text here has moved.
    shift: u32,
    /// There was a `null` somewhere before.
    had_null: bool,
    has_null: bool,
    depth: u32,
}

impl Splice {
    fn run(&mut self, before: &[Entry], edits: &[Edit]) -> Option<()> {
        let mut edits = edits.iter().peekable();
        let mut removed = 0;
        let mut place = 0;
        while let Some(entry) = before.get(place) {
            while let Some(edit) = edits.next_if(|edit| offset(edit.start) <= entry.start) {
                self.make(edit)?;
                removed = offset(edit.end);
            }
            if entry.start < removed {
                place += 1;
                continue;
            }
            self.close_before(entry.start);
            if edits.peek().is_some_and(|edit| offset(edit.start) < entry.end) {
                self.open.push(Frame { index: self.entries.len(), end: entry.end });
                self.keep(before, place, place + 1);
                place += 1;
                continue;
            }
            // Most entries stand between edits, in a container that goes on.
            let edit = edits.peek().map_or(u32::MAX, |edit| offset(edit.start));
            let quiet = self.open.last().map_or(edit, |frame| edit.min(frame.end));
            let mut end = entry.next as usize;
            while let Some(next) = before.get(end).filter(|next| next.start < quiet && next.end <= quiet) {
                end = next.next as usize;
            }
            self.keep(before, place, end);
            place = end;
        }
        for edit in edits {
            self.make(edit)?;
        }
        self.close_before(u32::MAX);
        Some(())
    }

    /// Keeps the entries from `first` up to `end`, which move alike.
    fn keep(&mut self, before: &[Entry], first: usize, end: usize) {
        let moved = offset(self.entries.len()).wrapping_sub(offset(first));
        let kept = before.get(first..end).unwrap_or_default();
        self.has_null |= self.had_null && kept.iter().any(|entry| entry.tag() == Tag::Null);
        self.entries.extend(kept.iter().map(|entry| entry.moved(self.shift, moved)));
    }

    fn make(&mut self, edit: &Edit) -> Option<()> {
        self.close_before(offset(edit.start));
        if !edit.text.is_empty() {
            self.add(edit)?;
        }
        let removed = offset(edit.end - edit.start);
        self.shift = self.shift.wrapping_add(offset(edit.text.len())).wrapping_sub(removed);
        Some(())
    }

    /// Parses what is added, in a container of its own.
    fn add(&mut self, edit: &Edit) -> Option<()> {
        let values = edit.text.strip_prefix(',').unwrap_or(&edit.text);
        let [opening, closing] = if edit.has_names { ["{", "}"] } else { ["[", "]"] };
        let parsed = parse::parse(&[opening, values, closing].concat(), &Limits::widest()).ok()?;
        let around = offset(self.open.len());
        self.depth = self.depth.max(around + parsed.depth - 1);
        if self.depth > DEPTH_CEILING || parsed.has_duplicates {
            return None;
        }
        self.has_null |= parsed.has_null;
        let comma = edit.text.len() - values.len();
        let shift = offset(edit.start + comma).wrapping_add(self.shift).wrapping_sub(1);
        let moved = offset(self.entries.len()).wrapping_sub(1);
        self.entries.extend(parsed.entries.iter().skip(1).map(|entry| entry.moved(shift, moved)));
        Some(())
    }

    /// Closes the containers that ended here or before.
    fn close_before(&mut self, here: u32) {
        while let Some(Frame { index, end }) = self.open.pop_if(|frame| frame.end <= here) {
            let next = offset(self.entries.len());
            let count = self.count(index);
            if let Some(container) = self.entries.get_mut(index) {
                container.end = end.wrapping_add(self.shift);
                container.next = next;
                container.set_count(count);
                // What it holds has changed.
                *container = container.marked(false);
            }
        }
    }

    /// How many elements or members follow a container that ends with the entries.
    fn count(&self, container: usize) -> u32 {
        let names = usize::from(self.entries.get(container).is_some_and(|entry| entry.tag() == Tag::Object));
        let mut count = 0;
        let mut value = container + 1 + names;
        while let Some(entry) = self.entries.get(value) {
            count += 1;
            value = entry.next as usize + names;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tape(text: &str) -> Tape {
        Tape::parse(text, &Limits::widest()).unwrap()
    }

    #[test]
    fn a_tape_is_edited_as_its_text_is() {
        let before = tape(r#"{"a":[1,{"x":"é"},[]],"b":null,"c":{"d":{}},"e":12}"#);
        let at = |pointer: &str| before.root().at(pointer).unwrap();
        let edits = vec![
            Edit::replace(at("/e"), "3".to_owned()),
            Edit::add_members(at("/c/d").span().0 + 1, r#""n":[[null]],"m":1"#.to_owned()),
            Edit::add_elements(at("/a/2").span().0 + 1, "true,{}".to_owned()),
            Edit::add_elements(at("/a/2").span().1, ",\"z\"".to_owned()),
            Edit::add_members(at("/a/1/x").span().1, r#","y":"""#.to_owned()),
            Edit::remove(at("/a").span().1, at("/b").span().1),
            Edit::add_members(at("/e").span().1, r#","A":{"g":1}"#.to_owned()),
        ];
        let edited = before.edited(edits).unwrap();
        let text = r#"{"a":[1,{"x":"é","y":""},[true,{}],"z"],"c":{"d":{"n":[[null]],"m":1}},"e":3,"A":{"g":1}}"#;
        let parsed = tape(text);
        assert_eq!(edited.text(), text);
        assert_eq!(edited.entries(), parsed.entries());
        assert_eq!((edited.depth(), edited.has_null()), (5, true));
        assert_eq!((parsed.depth(), parsed.has_null()), (5, true));
        let canonical = |tape: &Tape| super::super::Canonical::of(tape.root()).as_str().to_owned();
        assert_eq!(canonical(&edited), canonical(&parsed));
    }

    #[test]
    fn nulls_that_go_are_gone() {
        let before = tape(r#"{"a":null}"#);
        let edited = before.edited(vec![Edit::remove(1, 9)]).unwrap();
        assert_eq!((edited.text(), edited.has_null(), edited.root().len()), ("{}", false, 0));
    }

    #[test]
    fn nothing_is_nested_deeper_than_the_ceiling() {
        let deepest = DEPTH_CEILING as usize;
        let before = tape(&format!("{}{}", "[".repeat(deepest), "]".repeat(deepest)));
        assert!(before.edited(vec![Edit::add_elements(deepest, "1".to_owned())]).is_some());
        assert!(before.edited(vec![Edit::add_elements(deepest, "[]".to_owned())]).is_none());
    }
}
