//! The parser: one pass over the bytes, no recursion, exactly the grammar of RFC 8259. Containers are here, scalars in
//! `scalar`, what goes wrong in `fault`.
//!
//! On its way it learns which values are written as their canonical form: whoever needs that form copies them as they are.

use super::entry::{Entry, Tag};
use super::error::{ParseError, ParseErrorKind};
use super::fault::{Fault, Faulty};
use super::limits::{Limits, LoneSurrogates};
use super::unique::{self, Name};

/// What a parse gives.
pub(super) struct Parsed {
    pub(super) entries: Vec<Entry>,
    /// Some object holds a key twice.
    pub(super) has_duplicates: bool,
    /// There is a `null` somewhere.
    pub(super) has_null: bool,
    /// How deep containers are nested; 0 for a scalar.
    pub(super) depth: u32,
}

/// "No container is open."
const NONE: u32 = u32::MAX;

pub(super) fn parse(text: &str, limits: &Limits) -> Result<Parsed, ParseError> {
    if text.len() > limits.bytes() {
        let kind = ParseErrorKind::TooLarge { bytes: text.len(), max: limits.bytes() };
        return Err(ParseError { kind, pointer: String::new(), offset: limits.bytes() });
    }
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        entries: Vec::with_capacity(text.len() / 8 + 4),
        open: NONE,
        around: Around::Nothing,
        count: 0,
        names: Vec::new(),
        distinct: Vec::new(),
        clean_from: 0,
        depth: 0,
        deepest: 0,
        max_depth: limits.depth(),
        refuses_lone: limits.lone_surrogates == LoneSurrogates::Refuse,
        has_duplicates: false,
        has_null: false,
        fault: None,
    };
    // What fails notes why: nothing else makes a `Faulty`.
    if parser.run().is_err()
        && let Some(fault) = parser.fault.take()
    {
        return Err(parser.locate(fault));
    }
    Ok(Parsed {
        entries: parser.entries,
        has_duplicates: parser.has_duplicates,
        has_null: parser.has_null,
        depth: parser.deepest,
    })
}

/// What a value stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    Array,
    Object,
}

/// What came of a container's opening bracket, with the place to go on at.
enum Entered {
    /// It is closed.
    Whole(usize),
    /// It holds something.
    Open(usize),
}

/// Functions that read take the place where they begin, and return the one behind what they have read.
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) entries: Vec<Entry>,
    /// The innermost open container; its entry's `next` names the one around it.
    pub(super) open: u32,
    /// What that is.
    around: Around,
    /// What it holds so far. Those around it have their counts in their entries.
    count: u32,
    /// What the open objects' keys are told apart by, the innermost's last.
    names: Vec<Name>,
    /// Those of the last object that had to be looked at: none of them is there twice.
    distinct: Vec<Name>,
    /// What begins here or later is canonical so far. White space, and values that are not, move it on.
    pub(super) clean_from: u32,
    depth: u32,
    deepest: u32,
    max_depth: u32,
    pub(super) refuses_lone: bool,
    has_duplicates: bool,
    has_null: bool,
    /// Why the text is not taken.
    pub(super) fault: Option<Fault>,
}

/// Offsets fit: `TEXT_CEILING` is checked before anything is read.
#[expect(clippy::cast_possible_truncation, reason = "texts are shorter than TEXT_CEILING")]
pub(super) const fn offset(at: usize) -> u32 {
    at as u32
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Faulty> {
        let mut at = 0;
        let mut is_named = false;
        loop {
            if is_named {
                at = self.key(at)?;
            }
            at = match self.byte(at) {
                Some(b'"') => self.string(at)?.0,
                Some(opener @ (b'{' | b'[')) => match self.enter(at, opener)? {
                    Entered::Whole(behind) => behind,
                    Entered::Open(inside) => {
                        at = inside;
                        is_named = self.around == Around::Object;
                        continue;
                    }
                },
                Some(b'-' | b'0'..=b'9') => self.number(at)?,
                Some(b't') => self.literal(at, "true", Tag::True)?,
                Some(b'f') => self.literal(at, "false", Tag::False)?,
                Some(b'n') => {
                    self.has_null = true;
                    self.literal(at, "null", Tag::Null)?
                }
                Some(b' ' | b'\n' | b'\r' | b'\t') => {
                    at = self.skip_whitespace(at);
                    is_named = false;
                    continue;
                }
                _ => return Err(self.unexpected(at, "a value", true)),
            };
            // Mostly another one follows at once.
            if self.byte(at) == Some(b',') && self.around != Around::Nothing {
                self.count += 1;
                at += 1;
            } else if let Some(next) = self.behind_value(at)? {
                at = next;
            } else {
                return Ok(());
            }
            is_named = self.around == Around::Object;
        }
    }

    /// Opens a container and goes inside; one that closes at once is read whole.
    fn enter(&mut self, at: usize, opener: u8) -> Result<Entered, Faulty> {
        if self.depth >= self.max_depth {
            let kind = ParseErrorKind::TooDeep { max: self.max_depth };
            return Err(self.note(kind, at, true));
        }
        self.deepest = self.deepest.max(self.depth + 1);
        let (tag, closer, around) =
            if opener == b'{' { (Tag::Object, b'}', Around::Object) } else { (Tag::Array, b']', Around::Array) };
        let index = self.next_index();
        let start = offset(at);
        let inside = self.skip_whitespace(at + 1);
        if self.byte(inside) == Some(closer) {
            let end = inside + 1;
            self.entries.push(Entry::new(tag, start, offset(end), index + 1).marked(self.clean_from <= start));
            return Ok(Entered::Whole(end));
        }
        if let Some(around) = self.entries.get_mut(self.open as usize) {
            around.set_count(self.count);
        }
        self.entries.push(Entry::new(tag, start, start, self.open));
        self.open = index;
        self.around = around;
        self.count = 0;
        self.depth += 1;
        Ok(Entered::Open(inside))
    }

    /// Goes on behind a value: to the next one, or out of every container that ends here. `None` at the text's end.
    fn behind_value(&mut self, mut at: usize) -> Result<Option<usize>, Faulty> {
        loop {
            at = self.skip_whitespace(at);
            if self.around == Around::Nothing {
                return if at == self.bytes.len() { Ok(None) } else { Err(self.trailing(at)) };
            }
            self.count += 1;
            match (self.byte(at), self.around) {
                (Some(b','), _) => return Ok(Some(at + 1)),
                (Some(b'}'), Around::Object) | (Some(b']'), Around::Array) => at = self.close(at),
                (_, Around::Object) => return Err(self.unexpected(at, "`,` or `}`", false)),
                (..) => return Err(self.unexpected(at, "`,` or `]`", false)),
            }
        }
    }

    fn close(&mut self, at: usize) -> usize {
        let end = at + 1;
        let (index, next, count) = (self.open, self.next_index(), self.count);
        let Some(container) = self.entries.get_mut(index as usize) else { return end };
        let start = container.start;
        self.open = container.next;
        container.end = offset(end);
        container.next = next;
        container.set_count(count);
        if self.around == Around::Object {
            self.close_names(index, start);
        }
        if self.clean_from <= start
            && let Some(container) = self.entries.get_mut(index as usize)
        {
            *container = container.marked(true);
        }
        self.depth -= 1;
        let around = self.entries.get(self.open as usize);
        self.around = match around.map(|around| around.tag()) {
            None => Around::Nothing,
            Some(Tag::Object) => Around::Object,
            Some(_) => Around::Array,
        };
        self.count = around.map_or(0, |around| around.count());
        end
    }

    /// Whether the keys of the object that ends here stand in order, and whether one is there twice.
    fn close_names(&mut self, index: u32, start: u32) {
        let first = self.names.len().saturating_sub(self.count as usize);
        let names = self.names.get(first..).unwrap_or_default();
        if !unique::are_in_order(names) {
            self.clean_from = self.clean_from.max(start + 1);
            // Records in a list mostly have the keys of the one before.
            if !self.has_duplicates && *names != *self.distinct {
                if unique::may_repeat(names) {
                    let keys = Keys { entries: &self.entries, next: index + 1 };
                    self.has_duplicates = unique::has_duplicate(self.text, keys);
                } else if self.depth > 1 {
                    self.distinct.clear();
                    self.distinct.extend_from_slice(names);
                }
            }
        }
        self.names.truncate(first);
    }

    /// A member's name and its colon.
    #[inline]
    fn key(&mut self, at: usize) -> Result<usize, Faulty> {
        let at = if self.byte(at) == Some(b'"') { at } else { self.skip_whitespace(at) };
        if self.byte(at) != Some(b'"') {
            return Err(self.unexpected(at, "a property name in double quotes", false));
        }
        let (end, tag) = self.string(at)?;
        self.names.push(if tag == Tag::Plain { Name::of(self.bytes, at + 1, end - 1) } else { Name::ESCAPED });
        let colon = if self.byte(end) == Some(b':') { end } else { self.skip_whitespace(end) };
        if self.byte(colon) != Some(b':') {
            return Err(self.unexpected(colon, "`:`", true));
        }
        Ok(colon + 1)
    }

    pub(super) fn next_index(&self) -> u32 {
        offset(self.entries.len())
    }

    #[inline]
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn skip_whitespace(&mut self, at: usize) -> usize {
        let mut end = at;
        while matches!(self.byte(end), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            end += 1;
        }
        if end > at {
            self.clean_from = self.clean_from.max(offset(end));
        }
        end
    }
}

/// Keys of an object that has just been closed.
#[derive(Clone)]
struct Keys<'t> {
    entries: &'t [Entry],
    next: u32,
}

impl Iterator for Keys<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let key = self.entries.get(self.next as usize).copied()?;
        self.next = self.entries.get(self.next as usize + 1)?.next;
        Some(key)
    }
}
