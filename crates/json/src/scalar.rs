//! The parser of scalars: strings, numbers, literals.

use super::entry::{Tag, TapeEntry};
use super::error::{ParseErrorKind, UnfinishedValue};
use super::parse::{Parser, to_offset};
use super::parse_fault::ParseFailed;
use super::{NumberRange, number, string};

impl Parser<'_> {
    /// Parses a string. Returns the offset after it, and whether it has escapes.
    #[expect(clippy::inline_always, reason = "half of the cost of a parse; compilers do not inline it by themselves")]
    #[inline(always)]
    pub(super) fn parse_string(&mut self, at: usize) -> Result<(usize, Tag), ParseFailed> {
        let start = at + 1;
        let end = string::unescaped_end(self.bytes, start);
        if self.byte(end) == Some(b'"') {
            self.push_scalar(Tag::PlainString, start, end, true);
            return Ok((end + 1, Tag::PlainString));
        }
        self.parse_escaped_string(start, end).map(|end| (end, Tag::EscapedString))
    }

    /// Parses the string that begins at `start`, from the first byte that needs an escape or ends the string.
    #[inline(never)]
    fn parse_escaped_string(&mut self, start: usize, special: usize) -> Result<usize, ParseFailed> {
        let (end, is_canonical) = self.scan_escapes(special)?;
        self.push_scalar(Tag::EscapedString, start, end, is_canonical);
        Ok(end + 1)
    }

    /// Continues to the closing quote from a byte that needs an escape or ends the string. Also returns whether every
    /// escape is in canonical form.
    fn scan_escapes(&mut self, mut at: usize) -> Result<(usize, bool), ParseFailed> {
        let mut is_canonical = true;
        loop {
            match self.byte(at) {
                Some(b'"') => return Ok((at, is_canonical)),
                Some(b'\\') => {
                    is_canonical &= !matches!(self.byte(at + 1), Some(b'/' | b'u'));
                    at = self.check_escape(at)?;
                }
                Some(_) => return Err(self.unexpected(at, "an escape such as `\\n` for a control character", true)),
                None => return Err(self.incomplete(UnfinishedValue::String)),
            }
            at = string::unescaped_end(self.bytes, at);
        }
    }

    fn check_escape(&mut self, at: usize) -> Result<usize, ParseFailed> {
        match self.byte(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => self.check_unicode_escape(at),
            Some(_) => Err(self.unexpected(at + 1, "one of `\"\\/bfnrtu` after a backslash", true)),
            None => Err(self.incomplete(UnfinishedValue::String)),
        }
    }

    fn check_unicode_escape(&mut self, begin: usize) -> Result<usize, ParseFailed> {
        let (unit, at) = self.hex_unit(begin)?;
        let mut end = at;
        let is_half = match unit {
            0xD800..=0xDBFF if self.bytes.get(at..at + 2) == Some(b"\\u") => {
                let (second, behind) = self.hex_unit(at)?;
                let is_pair = string::decode_surrogate_pair(unit, second).is_some();
                // If the two are not a pair, the second may begin another pair.
                end = if is_pair { behind } else { at };
                !is_pair
            }
            0xD800..=0xDFFF => true,
            _ => false,
        };
        if is_half && self.refuses_lone_surrogates {
            return Err(self.record_fault(ParseErrorKind::LoneSurrogate { unit }, begin, true));
        }
        Ok(end)
    }

    /// Returns the code unit of the `\u` escape at `at`, and the offset after it.
    fn hex_unit(&mut self, at: usize) -> Result<(u16, usize), ParseFailed> {
        let mut unit = 0;
        for place in at + 2..at + 6 {
            let Some(digit) = self.byte(place).and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(match self.byte(place) {
                    Some(_) => self.unexpected(place, "four hexadecimal digits after `\\u`", true),
                    None => self.incomplete(UnfinishedValue::String),
                });
            };
            unit = unit * 16 + digit;
        }
        // Four digits always fit.
        Ok((u16::try_from(unit).unwrap_or_default(), at + 6))
    }

    #[inline]
    pub(super) fn parse_number(&mut self, start: usize) -> Result<usize, ParseFailed> {
        let first = if self.byte(start) == Some(b'-') { start + 1 } else { start };
        let whole = if self.byte(first) == Some(b'0') { first + 1 } else { self.skip_digits(first)? };
        if !matches!(self.byte(whole), Some(b'.' | b'e' | b'E')) {
            let is_canonical = number::is_canonical_integer(self.bytes.get(start..whole).unwrap_or_default());
            if whole - start > number::MAX_EXACT_INTEGER_LENGTH {
                self.check_number(start, whole)?;
            }
            self.push_scalar(Tag::Integer, start, whole, is_canonical);
            return Ok(whole);
        }
        self.parse_float(start, whole)
    }

    /// Parses the rest of a number, from the end of its integer part.
    #[inline(never)]
    fn parse_float(&mut self, start: usize, whole: usize) -> Result<usize, ParseFailed> {
        let mut at = whole;
        if self.byte(at) == Some(b'.') {
            at = self.skip_digits(at + 1)?;
        }
        let has_exponent = matches!(self.byte(at), Some(b'e' | b'E'));
        if has_exponent {
            let signed = if matches!(self.byte(at + 1), Some(b'+' | b'-')) { at + 2 } else { at + 1 };
            at = self.skip_digits(signed)?;
        }
        if has_exponent || at - start > number::MAX_EXACT_INTEGER_LENGTH {
            self.check_number(start, at)?;
        }
        let text = self.bytes.get(start..at).unwrap_or_default();
        let is_canonical = !has_exponent && number::is_canonical_decimal(text, whole - start);
        self.push_scalar(Tag::Float, start, at, is_canonical);
        Ok(at)
    }

    #[inline(never)]
    fn check_number(&mut self, start: usize, end: usize) -> Result<(), ParseFailed> {
        let written = self.text.get(start..end).unwrap_or_default();
        let kind = match number::to_double(written).filter(|double| double.is_finite()) {
            None => ParseErrorKind::NumberOverflow,
            Some(double) if self.numbers == NumberRange::Exact && number::is_another(written, double) => {
                ParseErrorKind::NumberInexact
            }
            Some(_) => return Ok(()),
        };
        Err(self.record_fault(kind, start, true))
    }

    /// Skips one digit or more.
    #[inline]
    fn skip_digits(&mut self, start: usize) -> Result<usize, ParseFailed> {
        let mut at = start;
        while matches!(self.byte(at), Some(b'0'..=b'9')) {
            at += 1;
        }
        if at > start {
            return Ok(at);
        }
        Err(match self.byte(at) {
            Some(_) => self.unexpected(at, "a digit", true),
            None => self.incomplete(UnfinishedValue::Number),
        })
    }

    pub(super) fn parse_literal(&mut self, start: usize, word: &'static str, tag: Tag) -> Result<usize, ParseFailed> {
        let end = start + word.len();
        if self.bytes.get(start..end) == Some(word.as_bytes()) {
            self.push_scalar(tag, start, end, true);
            return Ok(end);
        }
        let alike = (start..).zip(word.bytes()).find(|(at, byte)| self.byte(*at) != Some(*byte));
        Err(match alike {
            Some((at, _)) if at < self.bytes.len() => self.unexpected(at, "`true`, `false` or `null`", true),
            _ => self.incomplete(UnfinishedValue::Literal),
        })
    }

    /// Appends the entry of a scalar.
    #[inline]
    fn push_scalar(&mut self, tag: Tag, start: usize, end: usize, is_canonical: bool) {
        if !is_canonical {
            self.canonical_from = self.canonical_from.max(to_offset(start));
        }
        let next = self.next_index() + 1;
        self.entries.push(TapeEntry::new(tag, to_offset(start), to_offset(end), next).with_canonical(is_canonical));
    }
}
