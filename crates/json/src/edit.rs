//! Edits of a JSON text that keep the rest of the text byte for byte, and reuse the tape's entries without a new parse.

use super::entry::{Tag, TapeEntry};
use super::parse::{self, to_offset};
use super::{DEPTH_CEILING, Limits, Node, TEXT_CEILING, Tape};

/// The replacement of the bytes from `start` to `end` by `text`. Both are whole values, or whole members, with the
/// adjacent commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    start: usize,
    end: usize,
    text: String,
    /// Whether the text consists of members of an object, not of values.
    is_members: bool,
}

impl Edit {
    /// Replaces a value.
    #[must_use]
    pub fn replace(node: Node<'_>, text: String) -> Self {
        let (start, end) = node.span();
        Self { start, end, text, is_members: false }
    }

    /// Removes members or elements.
    #[must_use]
    pub const fn remove(start: usize, end: usize) -> Self {
        Self { start, end, text: String::new(), is_members: false }
    }

    /// Inserts members.
    #[must_use]
    pub const fn add_members(at: usize, text: String) -> Self {
        Self { start: at, end: at, text, is_members: true }
    }

    /// Inserts elements.
    #[must_use]
    pub const fn add_elements(at: usize, text: String) -> Self {
        Self { start: at, end: at, text, is_members: false }
    }
}

/// Returns the text with all edits applied. Edits must not overlap; an insertion at the start of a removal is allowed
/// and is applied first.
pub fn apply_edits(text: &str, edits: &mut [Edit]) -> String {
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
    /// Returns the tape of the text with all edits applied, as by [`apply`]. Only inserted text is parsed.
    ///
    /// Returns `None` if the result is too long or too deeply nested, or if inserted text is not JSON or has a
    /// duplicate key. The caller must not insert a member whose name is already present.
    #[must_use]
    pub fn edited(&self, mut edits: Vec<Edit>) -> Option<Self> {
        let text = apply_edits(self.text(), &mut edits);
        if text.len() > TEXT_CEILING {
            return None;
        }
        let mut splice = TapeSplicer {
            entries: Vec::with_capacity(self.entries().len() + 4 * edits.len()),
            open: Vec::new(),
            byte_shift: 0,
            had_null: self.has_null(),
            has_null: false,
            depth: self.depth(),
        };
        splice.splice(self.entries(), &edits)?;
        let tape = Self::from_parts(text, splice.entries, splice.has_null, splice.depth);
        debug_assert!(
            Self::parse(tape.text(), &Limits::widest()).is_ok_and(|parsed| parsed.entries() == tape.entries()),
            "{}",
            tape.text()
        );
        Some(tape)
    }
}

/// A container around an edit: its index among the new entries, and its end in the old text.
struct EditedContainer {
    index: usize,
    end: u32,
}

/// Builds the entries of the edited tape from those of the old tape. Offsets wrap, since text can become shorter.
struct TapeSplicer {
    entries: Vec<TapeEntry>,
    open: Vec<EditedContainer>,
    /// How many bytes the text at the current entry has moved.
    byte_shift: u32,
    /// Whether the old tape contains a `null`.
    had_null: bool,
    has_null: bool,
    depth: u32,
}

impl TapeSplicer {
    fn splice(&mut self, before: &[TapeEntry], edits: &[Edit]) -> Option<()> {
        let mut edits = edits.iter().peekable();
        let mut removed = 0;
        let mut place = 0;
        while let Some(entry) = before.get(place) {
            while let Some(edit) = edits.next_if(|edit| to_offset(edit.start) <= entry.start) {
                self.apply_edit(edit)?;
                removed = to_offset(edit.end);
            }
            if entry.start < removed {
                place += 1;
                continue;
            }
            self.close_containers_up_to(entry.start);
            if edits.peek().is_some_and(|edit| to_offset(edit.start) < entry.end) {
                self.open.push(EditedContainer { index: self.entries.len(), end: entry.end });
                self.copy_entries(before, place, place + 1);
                place += 1;
                continue;
            }
            // Most entries are between edits, in a container that continues.
            let edit = edits.peek().map_or(u32::MAX, |edit| to_offset(edit.start));
            let quiet = self.open.last().map_or(edit, |frame| edit.min(frame.end));
            let mut end = entry.next as usize;
            while let Some(next) = before.get(end).filter(|next| next.start < quiet && next.end <= quiet) {
                end = next.next as usize;
            }
            self.copy_entries(before, place, end);
            place = end;
        }
        for edit in edits {
            self.apply_edit(edit)?;
        }
        self.close_containers_up_to(u32::MAX);
        Some(())
    }

    /// Copies the entries from `first` up to `end`, which all move by the same distance.
    fn copy_entries(&mut self, before: &[TapeEntry], first: usize, end: usize) {
        let moved = to_offset(self.entries.len()).wrapping_sub(to_offset(first));
        let kept = before.get(first..end).unwrap_or_default();
        self.has_null |= self.had_null && kept.iter().any(|entry| entry.tag() == Tag::Null);
        self.entries.extend(kept.iter().map(|entry| entry.shifted(self.byte_shift, moved)));
    }

    fn apply_edit(&mut self, edit: &Edit) -> Option<()> {
        self.close_containers_up_to(to_offset(edit.start));
        if !edit.text.is_empty() {
            self.insert_parsed(edit)?;
        }
        let removed = to_offset(edit.end - edit.start);
        self.byte_shift = self.byte_shift.wrapping_add(to_offset(edit.text.len())).wrapping_sub(removed);
        Some(())
    }

    /// Parses the inserted text in a temporary container and appends its entries.
    fn insert_parsed(&mut self, edit: &Edit) -> Option<()> {
        let values = edit.text.strip_prefix(',').unwrap_or(&edit.text);
        let [opening, closing] = if edit.is_members { ["{", "}"] } else { ["[", "]"] };
        let parsed = parse::parse(&[opening, values, closing].concat(), &Limits::widest()).ok()?;
        let around = to_offset(self.open.len());
        self.depth = self.depth.max(around + parsed.depth - 1);
        if self.depth > DEPTH_CEILING || parsed.has_duplicates {
            return None;
        }
        self.has_null |= parsed.has_null;
        let comma = edit.text.len() - values.len();
        let shift = to_offset(edit.start + comma).wrapping_add(self.byte_shift).wrapping_sub(1);
        let moved = to_offset(self.entries.len()).wrapping_sub(1);
        self.entries.extend(parsed.entries.iter().skip(1).map(|entry| entry.shifted(shift, moved)));
        Some(())
    }

    /// Closes the containers that ended at `here` or before.
    fn close_containers_up_to(&mut self, here: u32) {
        while let Some(EditedContainer { index, end }) = self.open.pop_if(|frame| frame.end <= here) {
            let next = to_offset(self.entries.len());
            let count = self.count_children(index);
            if let Some(container) = self.entries.get_mut(index) {
                container.end = end.wrapping_add(self.byte_shift);
                container.next = next;
                container.set_count(count);
                // The contents have changed.
                *container = container.with_canonical(false);
            }
        }
    }

    /// Counts the elements or members of a container that extends to the last entry.
    fn count_children(&self, container: usize) -> u32 {
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
        let canonical = |tape: &Tape| super::super::CanonicalJson::from_node(tape.root()).as_str().to_owned();
        assert_eq!(canonical(&edited), canonical(&parsed));
    }

    #[test]
    fn removed_nulls_are_not_counted() {
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
