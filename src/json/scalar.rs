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
        self.at += 1;
        let start = self.at;
        let mut tag = Tag::Plain;
        loop {
            self.at = skip_plain(self.bytes, self.at);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    tag = Tag::Escaped;
                    self.escape()?;
                }
                Some(_) => return Err(self.unexpected("an escape such as `\\n` for a control character", true)),
                None => return Err(self.incomplete(Within::String)),
            }
        }
        let next = self.next_index() + 1;
        self.entries.push(Entry::new(tag, offset(start), offset(self.at), next));
        self.at += 1;
        Ok(())
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

/// The first byte from `at` that a string cannot hold bare: a quote, a backslash, a control character.
///
/// Eight bytes at a time: a borrow out of a byte below the tested one can only mark bytes above the first real hit, and
/// bytes from 0x80 on are masked out, so the lowest mark is always right.
fn skip_plain(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    const QUOTES: u64 = 0x2222_2222_2222_2222;
    const BACKSLASHES: u64 = 0x5c5c_5c5c_5c5c_5c5c;
    const fn below(word: u64, limit: u64) -> u64 {
        word.wrapping_sub(ONES * limit) & !word & HIGHS
    }
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let quote = below(word ^ QUOTES, 1);
        let backslash = below(word ^ BACKSLASHES, 1);
        let marks = quote | backslash | below(word, 0x20);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..=0x1f) {
            return at;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_ends_where_it_must() {
        for special in ['"', '\\', '\0', '\u{1f}', '\n'] {
            for before in 0..40 {
                for filler in ['a', ' ', '!', '#', '[', ']', '\u{7f}', 'é', '😂'] {
                    let plain = filler.to_string().repeat(before);
                    let text = format!("{plain}{special}{plain}\"");
                    assert_eq!(skip_plain(text.as_bytes(), 0), plain.len(), "{text:?}");
                }
            }
        }
        assert_eq!(skip_plain(b"no end at all, and long enough", 0), 30);
        assert_eq!(skip_plain(b"", 0), 0);
    }
}
