//! Scalars of the grammar: strings, numbers, literals.

use super::entry::{Entry, Tag};
use super::error::{ParseErrorKind, Within};
use super::fault::Fault;
use super::parse::{Parser, offset};
use super::{number, string};

/// Numbers as long as this, or with an exponent, may overflow a double; shorter ones cannot.
const SAFE_NUMBER_LENGTH: usize = 300;

impl Parser<'_> {
    pub(super) fn string(&mut self) -> Result<(), Fault> {
        let start = self.at + 1;
        self.at = string::plain_end(self.bytes, start);
        let tag = if self.peek() == Some(b'"') { Tag::Plain } else { self.special()? };
        let next = self.next_index() + 1;
        self.entries.push(Entry::new(tag, offset(start), offset(self.at), next));
        self.at += 1;
        Ok(())
    }

    /// Goes on to the end of a string from a byte that it cannot hold bare.
    #[cold]
    fn special(&mut self) -> Result<Tag, Fault> {
        loop {
            match self.peek() {
                Some(b'"') => return Ok(Tag::Escaped),
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(self.unexpected("an escape such as `\\n` for a control character", true)),
                None => return Err(self.incomplete(Within::String)),
            }
            self.at = string::plain_end(self.bytes, self.at);
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => self.unicode_escape(),
            Some(_) => {
                self.at += 1;
                Err(self.unexpected("one of `\"\\/bfnrtu` after a backslash", true))
            }
            None => Err(self.incomplete(Within::String)),
        }
    }

    fn unicode_escape(&mut self) -> Result<(), Fault> {
        let begin = self.at;
        let unit = self.hex_unit()?;
        let is_half = match unit {
            0xD800..=0xDBFF if self.bytes.get(self.at..self.at + 2) == Some(b"\\u") => {
                let low = self.at;
                let second = self.hex_unit()?;
                let is_pair = string::pair(unit, second).is_some();
                if !is_pair {
                    // It may begin a pair of its own.
                    self.at = low;
                }
                !is_pair
            }
            0xD800..=0xDFFF => true,
            _ => false,
        };
        if is_half && self.refuses_lone {
            return Err(Fault { kind: ParseErrorKind::LoneSurrogate { unit }, offset: begin, at_value: true });
        }
        Ok(())
    }

    /// The four digits of a `\u` escape that begins here.
    fn hex_unit(&mut self) -> Result<u16, Fault> {
        self.at += 2;
        let mut unit = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(match self.peek() {
                    Some(_) => self.unexpected("four hexadecimal digits after `\\u`", true),
                    None => self.incomplete(Within::String),
                });
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        // Four digits always fit.
        Ok(u16::try_from(unit).unwrap_or_default())
    }

    pub(super) fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let mut tag = Tag::Integer;
        let mut may_overflow = false;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            tag = Tag::Float;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            tag = Tag::Float;
            may_overflow = true;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        if may_overflow || self.at - start > SAFE_NUMBER_LENGTH {
            self.check_overflow(start)?;
        }
        self.scalar(tag, start);
        Ok(())
    }

    fn check_overflow(&self, start: usize) -> Result<(), Fault> {
        let fits = self.text.get(start..self.at).and_then(number::to_double).is_some_and(f64::is_finite);
        if fits {
            return Ok(());
        }
        Err(Fault { kind: ParseErrorKind::NumberOverflow, offset: start, at_value: true })
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start {
            return Ok(());
        }
        Err(match self.peek() {
            Some(_) => self.unexpected("a digit", true),
            None => self.incomplete(Within::Number),
        })
    }

    pub(super) fn literal(&mut self, word: &'static str, tag: Tag) -> Result<(), Fault> {
        let start = self.at;
        for expected in word.bytes() {
            match self.peek() {
                Some(byte) if byte == expected => self.at += 1,
                Some(_) => return Err(self.unexpected("`true`, `false` or `null`", true)),
                None => return Err(self.incomplete(Within::Literal)),
            }
        }
        self.scalar(tag, start);
        Ok(())
    }

    fn scalar(&mut self, tag: Tag, start: usize) {
        let next = self.next_index() + 1;
        self.entries.push(Entry::new(tag, offset(start), offset(self.at), next));
    }
}
