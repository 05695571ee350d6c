//! Scalars of the grammar: strings, numbers, literals.

use super::entry::{Entry, Tag};
use super::error::{ParseErrorKind, Within};
use super::fault::Faulty;
use super::parse::{Parser, offset};
use super::{number, string};

/// Numbers as long as this, or with an exponent, may overflow a double; shorter ones cannot.
const SAFE_NUMBER_LENGTH: usize = 300;

impl Parser<'_> {
    /// A string: where it ends, and whether it has escapes.
    #[expect(clippy::inline_always, reason = "half of what a parse costs, and of its loop; compilers leave it out")]
    #[inline(always)]
    pub(super) fn string(&mut self, at: usize) -> Result<(usize, Tag), Faulty> {
        let start = at + 1;
        let end = string::plain_end(self.bytes, start);
        if self.byte(end) == Some(b'"') {
            self.push(Tag::Plain, start, end, true);
            return Ok((end + 1, Tag::Plain));
        }
        self.escaped(start, end).map(|end| (end, Tag::Escaped))
    }

    /// The string that begins at `start`, from the first byte on that it cannot hold bare.
    #[inline(never)]
    fn escaped(&mut self, start: usize, special: usize) -> Result<usize, Faulty> {
        let (end, is_canonical) = self.special(special)?;
        self.push(Tag::Escaped, start, end, is_canonical);
        Ok(end + 1)
    }

    /// Goes on to the closing quote from a byte that a string cannot hold bare. Also returns whether every escape is the
    /// one that the canonical form has.
    fn special(&mut self, mut at: usize) -> Result<(usize, bool), Faulty> {
        let mut is_canonical = true;
        loop {
            match self.byte(at) {
                Some(b'"') => return Ok((at, is_canonical)),
                Some(b'\\') => {
                    is_canonical &= !matches!(self.byte(at + 1), Some(b'/' | b'u'));
                    at = self.escape(at)?;
                }
                Some(_) => return Err(self.unexpected(at, "an escape such as `\\n` for a control character", true)),
                None => return Err(self.incomplete(Within::String)),
            }
            at = string::plain_end(self.bytes, at);
        }
    }

    fn escape(&mut self, at: usize) -> Result<usize, Faulty> {
        match self.byte(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => self.unicode_escape(at),
            Some(_) => Err(self.unexpected(at + 1, "one of `\"\\/bfnrtu` after a backslash", true)),
            None => Err(self.incomplete(Within::String)),
        }
    }

    fn unicode_escape(&mut self, begin: usize) -> Result<usize, Faulty> {
        let (unit, at) = self.hex_unit(begin)?;
        let mut end = at;
        let is_half = match unit {
            0xD800..=0xDBFF if self.bytes.get(at..at + 2) == Some(b"\\u") => {
                let (second, behind) = self.hex_unit(at)?;
                let is_pair = string::pair(unit, second).is_some();
                // Where they are none, the second may begin a pair of its own.
                end = if is_pair { behind } else { at };
                !is_pair
            }
            0xD800..=0xDFFF => true,
            _ => false,
        };
        if is_half && self.refuses_lone {
            return Err(self.note(ParseErrorKind::LoneSurrogate { unit }, begin, true));
        }
        Ok(end)
    }

    /// The four digits of a `\u` escape that begins here, and the place behind them.
    fn hex_unit(&mut self, at: usize) -> Result<(u16, usize), Faulty> {
        let mut unit = 0;
        for place in at + 2..at + 6 {
            let Some(digit) = self.byte(place).and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(match self.byte(place) {
                    Some(_) => self.unexpected(place, "four hexadecimal digits after `\\u`", true),
                    None => self.incomplete(Within::String),
                });
            };
            unit = unit * 16 + digit;
        }
        // Four digits always fit.
        Ok((u16::try_from(unit).unwrap_or_default(), at + 6))
    }

    #[inline]
    pub(super) fn number(&mut self, start: usize) -> Result<usize, Faulty> {
        let first = if self.byte(start) == Some(b'-') { start + 1 } else { start };
        let whole = if self.byte(first) == Some(b'0') { first + 1 } else { self.digits(first)? };
        if !matches!(self.byte(whole), Some(b'.' | b'e' | b'E')) {
            let is_canonical = number::is_canonical_integer(self.bytes.get(start..whole).unwrap_or_default());
            if whole - start > SAFE_NUMBER_LENGTH {
                self.check_overflow(start, whole)?;
            }
            self.push(Tag::Integer, start, whole, is_canonical);
            return Ok(whole);
        }
        self.float(start, whole)
    }

    /// The rest of a number, behind its whole part.
    #[inline(never)]
    fn float(&mut self, start: usize, whole: usize) -> Result<usize, Faulty> {
        let mut at = whole;
        if self.byte(at) == Some(b'.') {
            at = self.digits(at + 1)?;
        }
        let has_exponent = matches!(self.byte(at), Some(b'e' | b'E'));
        if has_exponent {
            let signed = if matches!(self.byte(at + 1), Some(b'+' | b'-')) { at + 2 } else { at + 1 };
            at = self.digits(signed)?;
        }
        if has_exponent || at - start > SAFE_NUMBER_LENGTH {
            self.check_overflow(start, at)?;
        }
        let text = self.bytes.get(start..at).unwrap_or_default();
        let is_canonical = !has_exponent && number::is_canonical_decimal(text, whole - start);
        self.push(Tag::Float, start, at, is_canonical);
        Ok(at)
    }

    fn check_overflow(&mut self, start: usize, end: usize) -> Result<(), Faulty> {
        let fits = self.text.get(start..end).and_then(number::to_double).is_some_and(f64::is_finite);
        if fits {
            return Ok(());
        }
        Err(self.note(ParseErrorKind::NumberOverflow, start, true))
    }

    /// One digit or more.
    #[inline]
    fn digits(&mut self, start: usize) -> Result<usize, Faulty> {
        let mut at = start;
        while matches!(self.byte(at), Some(b'0'..=b'9')) {
            at += 1;
        }
        if at > start {
            return Ok(at);
        }
        Err(match self.byte(at) {
            Some(_) => self.unexpected(at, "a digit", true),
            None => self.incomplete(Within::Number),
        })
    }

    pub(super) fn literal(&mut self, start: usize, word: &'static str, tag: Tag) -> Result<usize, Faulty> {
        let end = start + word.len();
        if self.bytes.get(start..end) == Some(word.as_bytes()) {
            self.push(tag, start, end, true);
            return Ok(end);
        }
        let alike = (start..).zip(word.bytes()).find(|(at, byte)| self.byte(*at) != Some(*byte));
        Err(match alike {
            Some((at, _)) if at < self.bytes.len() => self.unexpected(at, "`true`, `false` or `null`", true),
            _ => self.incomplete(Within::Literal),
        })
    }

    /// Lists a scalar.
    #[inline]
    fn push(&mut self, tag: Tag, start: usize, end: usize, is_canonical: bool) {
        if !is_canonical {
            self.clean_from = self.clean_from.max(offset(start));
        }
        let next = self.next_index() + 1;
        self.entries.push(Entry::new(tag, offset(start), offset(end), next).marked(is_canonical));
    }
}
