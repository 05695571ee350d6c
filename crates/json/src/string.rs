//! The inside of a JSON string: reading escapes, writing them, and comparing by UTF-16 code units.

/// A stretch of a string's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Text that stands for itself.
    Text(&'t str),
    /// The character that an escape (or a pair of them) stands for.
    Char(char),
    /// Half a surrogate pair.
    Lone(u16),
}

/// The pieces of the text between a string's quotes. The parser has checked every escape.
pub(super) struct Pieces<'t> {
    rest: &'t str,
}

pub(super) const fn pieces(text: &str) -> Pieces<'_> {
    Pieces { rest: text }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        let Some(escape) = self.rest.strip_prefix('\\') else {
            let end = self.rest.find('\\').unwrap_or(self.rest.len());
            let (text, rest) = self.rest.split_at_checked(end)?;
            self.rest = rest;
            return if text.is_empty() { None } else { Some(Piece::Text(text)) };
        };
        let mut characters = escape.chars();
        let letter = characters.next()?;
        let after = characters.as_str();
        if letter != 'u' {
            self.rest = after;
            return Some(Piece::Char(simple_escape(letter)));
        }
        let (first, rest) = hex_unit(after)?;
        self.rest = rest;
        if let Some(character) = char::from_u32(u32::from(first)) {
            return Some(Piece::Char(character));
        }
        if let Some((second, rest)) = rest.strip_prefix("\\u").and_then(hex_unit)
            && let Some(character) = pair(first, second)
        {
            self.rest = rest;
            return Some(Piece::Char(character));
        }
        Some(Piece::Lone(first))
    }
}

const fn simple_escape(letter: char) -> char {
    match letter {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        itself => itself,
    }
}

/// Four hexadecimal digits and the text after them.
fn hex_unit(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}

/// The character of a surrogate pair; `None` where the two are not one.
pub(super) fn pair(high: u16, low: u16) -> Option<char> {
    char::decode_utf16([high, low]).next()?.ok()
}

/// The string itself; half a surrogate pair becomes U+FFFD.
pub(super) fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Char(character) => out.push(character),
            Piece::Lone(_) => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
    out
}

/// The UTF-16 code units of the string: what RFC 8785 sorts by, and equal exactly for equal strings.
pub(super) fn units(text: &str) -> impl Iterator<Item = u16> {
    pieces(text).flat_map(|piece| {
        let (text, character, lone) = match piece {
            Piece::Text(text) => (text, None, None),
            Piece::Char(character) => ("", Some(character), None),
            Piece::Lone(unit) => ("", None, Some(unit)),
        };
        let mut buffer = [0; 2];
        let encoded = character.map_or(0, |character| character.encode_utf16(&mut buffer).len());
        text.encode_utf16().chain(buffer.into_iter().take(encoded)).chain(lone)
    })
}

/// Appends the string in the shortest escaping (RFC 8785, 3.2.2.2), given the text between its quotes.
pub(super) fn write_canonical(out: &mut String, text: &str) {
    out.push('"');
    for piece in pieces(text) {
        match piece {
            // Nothing in it needs an escape, or the parser would have refused it bare.
            Piece::Text(text) => out.push_str(text),
            Piece::Char(character) => push_escaped(out, character),
            Piece::Lone(unit) => push_unit(out, unit),
        }
    }
    out.push('"');
}

/// Appends `text` as a JSON string in the shortest escaping, quotes included.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut done = 0;
    loop {
        let end = plain_end(text.as_bytes(), done);
        out.push_str(text.get(done..end).unwrap_or_default());
        let Some(special) = text.as_bytes().get(end) else { break };
        push_escaped(out, char::from(*special));
        done = end + 1;
    }
    out.push('"');
}

/// How long `text` is as [`write_string`] writes it.
#[must_use]
pub fn string_len(text: &str) -> usize {
    let mut length = text.len() + 2;
    let mut at = plain_end(text.as_bytes(), 0);
    while let Some(special) = text.as_bytes().get(at) {
        length += match special {
            b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 1,
            _ => 5,
        };
        at = plain_end(text.as_bytes(), at + 1);
    }
    length
}

/// The first byte from `start` that a string cannot hold bare: a quote, a backslash, a control character. All are ASCII.
#[inline]
pub(super) fn plain_end(bytes: &[u8], start: usize) -> usize {
    // Most keys are short.
    match bytes.get(start..).and_then(<[u8]>::first_chunk::<8>) {
        Some(word) => match specials(*word) {
            0 => plain_end_far(bytes, start + 8),
            marks => start + first_byte(marks),
        },
        None => plain_end_far(bytes, start),
    }
}

/// Words that are looked at one by one.
const NEAR: usize = 4;

#[inline(never)]
fn plain_end_far(bytes: &[u8], mut at: usize) -> usize {
    let (words, _) = bytes.get(at..).unwrap_or_default().as_chunks::<8>();
    for word in words.iter().take(NEAR) {
        let marks = specials(*word);
        if marks != 0 {
            return at + first_byte(marks);
        }
        at += 8;
    }
    // Larger steps, which compilers turn into instructions for many bytes, for as long as all of one is plain.
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<64>) {
        if block.iter().fold(false, |any, byte| any | is_special(*byte)) {
            break;
        }
        at += 64;
    }
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let marks = specials(*word);
        if marks != 0 {
            return at + first_byte(marks);
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !is_special(*byte)) {
        at += 1;
    }
    at
}

const fn first_byte(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// Marks the first of eight bytes that a string cannot hold bare, at its highest bit; bytes behind it may be marked too.
///
/// A borrow out of a byte below the tested one can only mark bytes above the first real hit, and bytes from 0x80 on are
/// masked out, so the lowest mark is always right.
#[inline]
const fn specials(word: [u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    const QUOTES: u64 = 0x2222_2222_2222_2222;
    const BACKSLASHES: u64 = 0x5c5c_5c5c_5c5c_5c5c;
    let word = u64::from_le_bytes(word);
    let quote = (word ^ QUOTES).wrapping_sub(ONES);
    let backslash = (word ^ BACKSLASHES).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * 0x20);
    (quote | backslash | control) & !word & HIGHS
}

const fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1f)
}

/// The first eight bytes of the text from `start` to `end` as a number, filled up with zeros: numbers stand in the order
/// of the bytes. Texts that begin with unlike numbers are unlike; none holds a zero byte, so that of two alike ones below
/// eight bytes both are the same.
#[inline]
pub(super) fn beginning(bytes: &[u8], start: usize, end: usize) -> u64 {
    let length = end - start;
    match bytes.get(start..).and_then(<[u8]>::first_chunk::<8>) {
        Some(eight) if length >= 8 => u64::from_be_bytes(*eight),
        // What stands behind the text is taken out again.
        Some(eight) => u64::from_be_bytes(*eight) & !(u64::MAX >> (8 * length)),
        None => bytes.get(start..end).map_or(0, packed),
    }
}

fn packed(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number >> 8 | u64::from(*byte) << 56)
}

/// Whether no byte of a [`beginning`] is part of a character beyond ASCII.
pub(super) const fn is_ascii(beginning: u64) -> bool {
    beginning & 0x8080_8080_8080_8080 == 0
}

fn push_escaped(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        // The pattern bounds the code: it fits 16 bits.
        control @ '\0'..='\u{1f}' => push_unit(out, control as u16),
        other => out.push(other),
    }
}

fn push_unit(out: &mut String, unit: u16) {
    use std::fmt::Write as _;
    // Writing into a String cannot fail.
    let _ = write!(out, "\\u{unit:04x}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_escape() {
        assert_eq!(decode(r#"a\"\\\/\b\f\n\r\tz"#), "a\"\\/\u{8}\u{c}\n\r\tz");
        assert_eq!(decode(r"\u00e9\ud83d\ude02\u0000"), "é😂\0");
        assert_eq!(decode(r"\ud83d x \ude02"), "\u{fffd} x \u{fffd}");
        assert_eq!(decode(r"\ud83d\ud83d\ude02"), "\u{fffd}😂");
        assert_eq!(decode(""), "");
    }

    #[test]
    fn tells_lone_surrogates_apart() {
        assert_ne!(units(r"\ud800").collect::<Vec<_>>(), units(r"\ud801").collect::<Vec<_>>());
        assert_eq!(units(r"\ud83d\ude02").collect::<Vec<_>>(), units("😂").collect::<Vec<_>>());
        assert_eq!(units(r"aé\n").collect::<Vec<_>>(), [0x61, 0xe9, 0x0a]);
    }

    #[test]
    fn writes_the_shortest_escapes() {
        let mut out = String::new();
        write_string(&mut out, "\u{8}\t\n\u{c}\r\u{f}\"\\/é\u{7f}😂");
        assert_eq!(string_len("\u{8}\t\n\u{c}\r\u{f}\"\\/é\u{7f}😂"), out.len());
        assert_eq!(out, "\"\\b\\t\\n\\f\\r\\u000f\\\"\\\\/é\u{7f}😂\"");
        let mut canonical = String::new();
        write_canonical(&mut canonical, r"\b\t\n\f\r\u000F\u0022\\\/\u00E9\u007f\ud83d\uDE02");
        assert_eq!(canonical, out);
        let mut lone = String::new();
        write_canonical(&mut lone, r"\uD800");
        assert_eq!(lone, r#""\ud800""#);
    }

    #[test]
    fn plain_text_ends_where_it_must() {
        for special in ['"', '\\', '\0', '\u{1f}', '\n'] {
            for before in (0..40).chain([60, 63, 64, 65, 71, 72, 127, 128, 129, 200]) {
                for filler in ['a', ' ', '!', '#', '[', ']', '\u{7f}', 'é', '😂'] {
                    let plain = filler.to_string().repeat(before);
                    let text = format!("{plain}{special}{plain}\"");
                    assert_eq!(plain_end(text.as_bytes(), 0), plain.len(), "{text:?}");
                }
            }
        }
        assert_eq!(plain_end(b"no end at all, and long enough", 0), 30);
        assert_eq!(plain_end(b"", 0), 0);
    }

    #[test]
    fn beginnings_stand_in_the_order_of_the_texts() {
        let texts =
            ["", "a", "a!", "a!b", "a!bc", "a!bcd", "a!bcde", "a!bcdef", "a!bcdefg", "a\"", "b", "zzzzzzz", "é"];
        for behind in ["", "z", "zzzzzzzz"] {
            let beginnings: Vec<_> =
                texts.iter().map(|text| beginning(format!("\"{text}{behind}").as_bytes(), 1, 1 + text.len())).collect();
            assert!(beginnings.is_sorted_by(|left, right| left < right), "{beginnings:x?}");
        }
        assert_eq!(beginning(b"12345678", 0, 8), beginning(b"123456789", 0, 9));
    }
}
