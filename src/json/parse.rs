//! The parser: one pass over the bytes, no recursion, exactly the grammar of RFC 8259. Containers are here, scalars in
//! `scalar`, what goes wrong in `fault`.

use super::entry::{Entry, Tag};
use super::error::{ParseError, ParseErrorKind};
use super::fault::Fault;
use super::limits::{Limits, LoneSurrogates};
use super::unique;

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
        at: 0,
        entries: Vec::with_capacity(text.len() / 8 + 4),
        open: NONE,
        depth: 0,
        deepest: 0,
        max_depth: limits.depth(),
        refuses_lone: limits.lone_surrogates == LoneSurrogates::Refuse,
        has_duplicates: false,
        has_null: false,
    };
    match parser.run() {
        Ok(()) => Ok(Parsed {
            entries: parser.entries,
            has_duplicates: parser.has_duplicates,
            has_null: parser.has_null,
            depth: parser.deepest,
        }),
        Err(fault) => Err(parser.locate(fault)),
    }
}

enum After {
    Value,
    End,
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    pub(super) entries: Vec<Entry>,
    /// The innermost open container; its entry's `next` names the one around it.
    pub(super) open: u32,
    depth: u32,
    deepest: u32,
    max_depth: u32,
    pub(super) refuses_lone: bool,
    has_duplicates: bool,
    has_null: bool,
}

/// Offsets fit: `TEXT_CEILING` is checked before anything is read.
#[expect(clippy::cast_possible_truncation, reason = "texts are shorter than TEXT_CEILING")]
pub(super) const fn offset(at: usize) -> u32 {
    at as u32
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        loop {
            self.skip_whitespace();
            let opened = match self.peek() {
                Some(b'"') => self.string().map(|()| false)?,
                Some(b'{') => self.enter(Tag::Object, b'}')?,
                Some(b'[') => self.enter(Tag::Array, b']')?,
                Some(b'-' | b'0'..=b'9') => self.number().map(|()| false)?,
                Some(b't') => self.literal("true", Tag::True).map(|()| false)?,
                Some(b'f') => self.literal("false", Tag::False).map(|()| false)?,
                Some(b'n') => {
                    self.has_null = true;
                    self.literal("null", Tag::Null).map(|()| false)?
                }
                _ => return Err(self.unexpected("a value", true)),
            };
            if !opened && matches!(self.after_value()?, After::End) {
                return Ok(());
            }
        }
    }

    /// Opens a container and goes to its first value; one that closes at once is read whole, and false is returned.
    fn enter(&mut self, tag: Tag, closer: u8) -> Result<bool, Fault> {
        if self.depth >= self.max_depth {
            let kind = ParseErrorKind::TooDeep { max: self.max_depth };
            return Err(Fault { kind, offset: self.at, at_value: true });
        }
        self.deepest = self.deepest.max(self.depth + 1);
        let index = self.next_index();
        let start = offset(self.at);
        self.at += 1;
        self.skip_whitespace();
        if self.peek() == Some(closer) {
            self.at += 1;
            self.entries.push(Entry::new(tag, start, offset(self.at), index + 1));
            return Ok(false);
        }
        self.entries.push(Entry::new(tag, start, start, self.open));
        self.open = index;
        self.depth += 1;
        if tag == Tag::Object {
            self.key()?;
        }
        Ok(true)
    }

    /// Goes on behind a value: to the next one, or out of every container that ends here.
    fn after_value(&mut self) -> Result<After, Fault> {
        loop {
            self.skip_whitespace();
            let Some(container) = self.entries.get_mut(self.open as usize) else {
                return if self.at == self.bytes.len() { Ok(After::End) } else { Err(self.trailing()) };
            };
            container.add_one();
            let is_object = container.tag() == Tag::Object;
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    if is_object {
                        self.skip_whitespace();
                        self.key()?;
                    }
                    return Ok(After::Value);
                }
                Some(b'}') if is_object => self.close(),
                Some(b']') if !is_object => self.close(),
                _ if is_object => return Err(self.unexpected("`,` or `}`", false)),
                _ => return Err(self.unexpected("`,` or `]`", false)),
            }
        }
    }

    fn close(&mut self) {
        self.at += 1;
        let next = self.next_index();
        let index = self.open;
        if let Some(container) = self.entries.get_mut(index as usize) {
            self.open = container.next;
            self.depth -= 1;
            container.end = offset(self.at);
            container.next = next;
            let container = *container;
            if container.tag() == Tag::Object && container.count() > 1 && !self.has_duplicates {
                let keys = Keys { entries: &self.entries, next: index + 1 };
                self.has_duplicates = unique::has_duplicate(self.text, keys, container.count() as usize);
            }
        }
    }

    /// A member's name and its colon.
    fn key(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a property name in double quotes", false));
        }
        self.string()?;
        self.skip_whitespace();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:`", true));
        }
        self.at += 1;
        Ok(())
    }

    pub(super) fn next_index(&self) -> u32 {
        offset(self.entries.len())
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
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
