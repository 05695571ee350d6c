//! The parser: one pass over the bytes, no recursion, exactly the grammar of RFC 8259. This module parses containers,
//! `scalar` parses scalars, `fault` creates errors.
//!
//! The parser also marks the values that are written in canonical form, so that canonicalization copies them unchanged.

use super::duplicate_keys::{self, KeyDigest};
use super::entry::{Tag, TapeEntry};
use super::error::{ParseError, ParseErrorKind};
use super::limits::{Limits, LoneSurrogates, NumberRange};
use super::parse_fault::{ParseFailed, ParseFault};

/// The result of a parse.
pub(super) struct ParsedEntries {
    pub(super) entries: Vec<TapeEntry>,
    /// Whether some object has a duplicate key.
    pub(super) has_duplicates: bool,
    /// Whether the text contains a `null`.
    pub(super) has_null: bool,
    /// The nesting depth of containers; 0 for a scalar.
    pub(super) depth: u32,
}

/// The value of [`Parser::open`] if no container is open.
const NO_CONTAINER: u32 = u32::MAX;

pub(super) fn parse(text: &str, limits: &Limits) -> Result<ParsedEntries, ParseError> {
    if text.len() > limits.effective_bytes() {
        let kind = ParseErrorKind::TooLarge { bytes: text.len(), max: limits.effective_bytes() };
        return Err(ParseError { kind, pointer: String::new(), offset: limits.effective_bytes() });
    }
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        entries: Vec::with_capacity(text.len() / 8 + 4),
        open: NO_CONTAINER,
        enclosing: EnclosingContainer::Root,
        child_count: 0,
        key_digests: Vec::new(),
        distinct_keys: Vec::new(),
        canonical_from: 0,
        depth: 0,
        max_depth_seen: 0,
        max_depth: limits.effective_depth(),
        refuses_lone_surrogates: limits.lone_surrogates == LoneSurrogates::Refuse,
        numbers: limits.numbers,
        has_duplicates: false,
        has_null: false,
        fault: None,
    };
    // A failed parse always has a `fault`: only `note` creates a `Faulty`.
    if parser.parse_text().is_err()
        && let Some(fault) = parser.fault.take()
    {
        return Err(parser.locate(fault));
    }
    Ok(ParsedEntries {
        entries: parser.entries,
        has_duplicates: parser.has_duplicates,
        has_null: parser.has_null,
        depth: parser.max_depth_seen,
    })
}

/// The container of the current value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EnclosingContainer {
    Root,
    Array,
    Object,
}

/// The state after a container's opening bracket, with the offset at which to continue.
enum OpenedContainer {
    /// The container is empty and closed.
    Empty(usize),
    /// The container has contents.
    NonEmpty(usize),
}

/// The state of a parse. Parse functions take the offset at which they begin, and return the offset after the parsed
/// text.
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) entries: Vec<TapeEntry>,
    /// Index of the innermost open container; the `next` of its entry is the index of the container around it.
    pub(super) open: u32,
    /// The type of the innermost open container.
    enclosing: EnclosingContainer,
    /// The number of its children so far. The counts of the outer containers are in their entries.
    child_count: u32,
    /// The digests of the open objects' keys, those of the innermost object last.
    key_digests: Vec<KeyDigest>,
    /// The keys of the last object that was checked and has no duplicate.
    distinct_keys: Vec<KeyDigest>,
    /// Values that begin at this offset or later are canonical so far. White space and non-canonical values advance it.
    pub(super) canonical_from: u32,
    depth: u32,
    max_depth_seen: u32,
    max_depth: u32,
    pub(super) refuses_lone_surrogates: bool,
    pub(super) numbers: NumberRange,
    has_duplicates: bool,
    has_null: bool,
    /// The reason of a failed parse.
    pub(super) fault: Option<ParseFault>,
}

/// Converts an offset or index. It fits: `TEXT_CEILING` is checked before the parse begins.
#[expect(clippy::cast_possible_truncation, reason = "texts are shorter than TEXT_CEILING")]
pub(super) const fn to_offset(at: usize) -> u32 {
    at as u32
}

impl Parser<'_> {
    fn parse_text(&mut self) -> Result<(), ParseFailed> {
        let mut at = 0;
        let mut is_named = false;
        loop {
            if is_named {
                at = self.parse_key(at)?;
            }
            at = match self.byte(at) {
                Some(b'"') => self.parse_string(at)?.0,
                Some(opener @ (b'{' | b'[')) => match self.open_container(at, opener)? {
                    OpenedContainer::Empty(behind) => behind,
                    OpenedContainer::NonEmpty(inside) => {
                        at = inside;
                        is_named = self.enclosing == EnclosingContainer::Object;
                        continue;
                    }
                },
                Some(b'-' | b'0'..=b'9') => self.parse_number(at)?,
                Some(b't') => self.parse_literal(at, "true", Tag::True)?,
                Some(b'f') => self.parse_literal(at, "false", Tag::False)?,
                Some(b'n') => {
                    self.has_null = true;
                    self.parse_literal(at, "null", Tag::Null)?
                }
                Some(b' ' | b'\n' | b'\r' | b'\t') => {
                    at = self.skip_whitespace(at);
                    is_named = false;
                    continue;
                }
                _ => return Err(self.unexpected(at, "a value", true)),
            };
            // Fast path: mostly another value follows at once.
            if self.byte(at) == Some(b',') && self.enclosing != EnclosingContainer::Root {
                self.child_count += 1;
                at += 1;
            } else if let Some(next) = self.after_value(at)? {
                at = next;
            } else {
                return Ok(());
            }
            is_named = self.enclosing == EnclosingContainer::Object;
        }
    }

    /// Opens a container. An empty container is parsed completely.
    fn open_container(&mut self, at: usize, opener: u8) -> Result<OpenedContainer, ParseFailed> {
        if self.depth >= self.max_depth {
            let kind = ParseErrorKind::TooDeep { max: self.max_depth };
            return Err(self.record_fault(kind, at, true));
        }
        self.max_depth_seen = self.max_depth_seen.max(self.depth + 1);
        let (tag, closer, around) = if opener == b'{' {
            (Tag::Object, b'}', EnclosingContainer::Object)
        } else {
            (Tag::Array, b']', EnclosingContainer::Array)
        };
        let index = self.next_index();
        let start = to_offset(at);
        let inside = self.skip_whitespace(at + 1);
        if self.byte(inside) == Some(closer) {
            let end = inside + 1;
            self.entries.push(
                TapeEntry::new(tag, start, to_offset(end), index + 1).with_canonical(self.canonical_from <= start),
            );
            return Ok(OpenedContainer::Empty(end));
        }
        if let Some(around) = self.entries.get_mut(self.open as usize) {
            around.set_count(self.child_count);
        }
        self.entries.push(TapeEntry::new(tag, start, start, self.open));
        self.open = index;
        self.enclosing = around;
        self.child_count = 0;
        self.depth += 1;
        Ok(OpenedContainer::NonEmpty(inside))
    }

    /// Continues after a value: closes the containers that end here and returns the offset of the next value, or `None`
    /// at the end of the text.
    fn after_value(&mut self, mut at: usize) -> Result<Option<usize>, ParseFailed> {
        loop {
            at = self.skip_whitespace(at);
            if self.enclosing == EnclosingContainer::Root {
                return if at == self.bytes.len() { Ok(None) } else { Err(self.trailing(at)) };
            }
            self.child_count += 1;
            match (self.byte(at), self.enclosing) {
                (Some(b','), _) => return Ok(Some(at + 1)),
                (Some(b'}'), EnclosingContainer::Object) | (Some(b']'), EnclosingContainer::Array) => {
                    at = self.close_container(at);
                }
                (_, EnclosingContainer::Object) => return Err(self.unexpected(at, "`,` or `}`", false)),
                (..) => return Err(self.unexpected(at, "`,` or `]`", false)),
            }
        }
    }

    fn close_container(&mut self, at: usize) -> usize {
        let end = at + 1;
        let (index, next, count) = (self.open, self.next_index(), self.child_count);
        let Some(container) = self.entries.get_mut(index as usize) else { return end };
        let start = container.start;
        self.open = container.next;
        container.end = to_offset(end);
        container.next = next;
        container.set_count(count);
        if self.enclosing == EnclosingContainer::Object {
            self.check_keys(index, start);
        }
        if self.canonical_from <= start
            && let Some(container) = self.entries.get_mut(index as usize)
        {
            *container = container.with_canonical(true);
        }
        self.depth -= 1;
        let around = self.entries.get(self.open as usize);
        self.enclosing = match around.map(|around| around.tag()) {
            None => EnclosingContainer::Root,
            Some(Tag::Object) => EnclosingContainer::Object,
            Some(_) => EnclosingContainer::Array,
        };
        self.child_count = around.map_or(0, |around| around.count());
        end
    }

    /// Checks whether the keys of the closed object are in canonical order, and whether there is a duplicate.
    fn check_keys(&mut self, index: u32, start: u32) {
        let first = self.key_digests.len().saturating_sub(self.child_count as usize);
        let names = self.key_digests.get(first..).unwrap_or_default();
        if !duplicate_keys::are_in_canonical_order(names) {
            self.canonical_from = self.canonical_from.max(start + 1);
            // Objects in a list mostly have the same keys.
            if !self.has_duplicates && *names != *self.distinct_keys {
                if duplicate_keys::may_have_duplicate(names) {
                    let keys = KeyEntries { entries: &self.entries, next: index + 1 };
                    self.has_duplicates = duplicate_keys::has_duplicate(self.text, keys);
                } else if self.depth > 1 {
                    self.distinct_keys.clear();
                    self.distinct_keys.extend_from_slice(names);
                }
            }
        }
        self.key_digests.truncate(first);
    }

    /// Parses a member's name and the colon.
    #[inline]
    fn parse_key(&mut self, at: usize) -> Result<usize, ParseFailed> {
        let at = if self.byte(at) == Some(b'"') { at } else { self.skip_whitespace(at) };
        if self.byte(at) != Some(b'"') {
            return Err(self.unexpected(at, "a property name in double quotes", false));
        }
        let (end, tag) = self.parse_string(at)?;
        self.key_digests.push(if tag == Tag::PlainString {
            KeyDigest::from_key(self.bytes, at + 1, end - 1)
        } else {
            KeyDigest::ESCAPED
        });
        let colon = if self.byte(end) == Some(b':') { end } else { self.skip_whitespace(end) };
        if self.byte(colon) != Some(b':') {
            return Err(self.unexpected(colon, "`:`", true));
        }
        Ok(colon + 1)
    }

    pub(super) fn next_index(&self) -> u32 {
        to_offset(self.entries.len())
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
            self.canonical_from = self.canonical_from.max(to_offset(end));
        }
        end
    }
}

/// The keys of an object that has just been closed.
#[derive(Clone)]
struct KeyEntries<'t> {
    entries: &'t [TapeEntry],
    next: u32,
}

impl Iterator for KeyEntries<'_> {
    type Item = TapeEntry;

    fn next(&mut self) -> Option<TapeEntry> {
        let key = self.entries.get(self.next as usize).copied()?;
        self.next = self.entries.get(self.next as usize + 1)?.next;
        Some(key)
    }
}
