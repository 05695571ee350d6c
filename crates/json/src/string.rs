//! The contents of JSON strings: decoding and writing of escapes, scanning, and comparison by UTF-16 code units.

/// A segment of a string's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringSegment<'t> {
    /// Text without escapes.
    Text(&'t str),
    /// The character of an escape (or of an escaped surrogate pair).
    Escape(char),
    /// A lone surrogate.
    LoneSurrogate(u16),
}

/// An iterator over the segments of the text between a string's quotes. The parser has checked every escape.
pub(super) struct StringSegments<'t> {
    rest: &'t str,
}

pub(super) const fn segments(text: &str) -> StringSegments<'_> {
    StringSegments { rest: text }
}

impl<'t> Iterator for StringSegments<'t> {
    type Item = StringSegment<'t>;

    fn next(&mut self) -> Option<StringSegment<'t>> {
        let Some(escape) = self.rest.strip_prefix('\\') else {
            let end = self.rest.find('\\').unwrap_or(self.rest.len());
            let (text, rest) = self.rest.split_at_checked(end)?;
            self.rest = rest;
            return if text.is_empty() { None } else { Some(StringSegment::Text(text)) };
        };
        let mut characters = escape.chars();
        let letter = characters.next()?;
        let after = characters.as_str();
        if letter != 'u' {
            self.rest = after;
            return Some(StringSegment::Escape(simple_escape(letter)));
        }
        let (first, rest) = hex_unit(after)?;
        self.rest = rest;
        if let Some(character) = char::from_u32(u32::from(first)) {
            return Some(StringSegment::Escape(character));
        }
        if let Some((second, rest)) = rest.strip_prefix("\\u").and_then(hex_unit)
            && let Some(character) = decode_surrogate_pair(first, second)
        {
            self.rest = rest;
            return Some(StringSegment::Escape(character));
        }
        Some(StringSegment::LoneSurrogate(first))
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

/// Parses four hexadecimal digits. Returns their value and the text after them.
fn hex_unit(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}

/// Decodes a surrogate pair; `None` if the two code units are not a pair.
pub(super) fn decode_surrogate_pair(high: u16, low: u16) -> Option<char> {
    char::decode_utf16([high, low]).next()?.ok()
}

/// Decodes the text between a string's quotes; a lone surrogate becomes U+FFFD.
pub(super) fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in segments(text) {
        match piece {
            StringSegment::Text(text) => out.push_str(text),
            StringSegment::Escape(character) => out.push(character),
            StringSegment::LoneSurrogate(_) => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
    out
}

/// The UTF-16 code units of the string: the sort key of RFC 8785, equal exactly for equal strings.
pub(super) fn utf16_units(text: &str) -> impl Iterator<Item = u16> {
    segments(text).flat_map(|piece| {
        let (text, character, lone) = match piece {
            StringSegment::Text(text) => (text, None, None),
            StringSegment::Escape(character) => ("", Some(character), None),
            StringSegment::LoneSurrogate(unit) => ("", None, Some(unit)),
        };
        let mut buffer = [0; 2];
        let encoded = character.map_or(0, |character| character.encode_utf16(&mut buffer).len());
        text.encode_utf16().chain(buffer.into_iter().take(encoded)).chain(lone)
    })
}

/// Appends the string in the shortest escaping (RFC 8785, 3.2.2.2), given the text between its quotes.
pub(super) fn write_canonical(out: &mut String, text: &str) {
    out.push('"');
    for piece in segments(text) {
        match piece {
            // Needs no escape: the parser refuses an unescaped control character.
            StringSegment::Text(text) => out.push_str(text),
            StringSegment::Escape(character) => push_escaped(out, character),
            StringSegment::LoneSurrogate(unit) => push_unicode_escape(out, unit),
        }
    }
    out.push('"');
}

/// Appends `text` as a JSON string in the shortest escaping, quotes included.
pub fn write_string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    if is_short_plain(text.as_bytes()) {
        out.push_str(text);
    } else {
        write_escaped(out, text);
    }
    out.push('"');
}

#[inline(never)]
fn write_escaped(out: &mut String, text: &str) {
    let mut done = 0;
    loop {
        let end = unescaped_end(text.as_bytes(), done);
        out.push_str(text.get(done..end).unwrap_or_default());
        let Some(special) = text.as_bytes().get(end) else { break };
        push_escaped(out, char::from(*special));
        done = end + 1;
    }
}

/// The length up to which [`is_short_plain`] looks at a text.
const SHORT_LENGTH: usize = 64;

/// Whether a text is short, as most names and ids are, and needs no escape.
#[inline]
fn is_short_plain(bytes: &[u8]) -> bool {
    match bytes.last_chunk::<8>() {
        None => !bytes.iter().any(|byte| is_special(*byte)),
        // The last word overlaps the one before it.
        Some(last) => {
            let (words, _) = bytes.as_chunks::<8>();
            bytes.len() <= SHORT_LENGTH
                && mark_special_bytes(*last) == 0
                && words.iter().all(|word| mark_special_bytes(*word) == 0)
        }
    }
}

/// The number of bytes that [`write_string`] writes for `text`.
#[must_use]
pub fn json_string_len(text: &str) -> usize {
    let mut length = text.len() + 2;
    let mut at = unescaped_end(text.as_bytes(), 0);
    while let Some(special) = text.as_bytes().get(at) {
        length += match special {
            b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 1,
            _ => 5,
        };
        at = unescaped_end(text.as_bytes(), at + 1);
    }
    length
}

/// Returns the offset of the first byte from `start` that ends a string or needs an escape: a quote, a backslash, a
/// control character. All are ASCII.
#[inline]
pub(super) fn unescaped_end(bytes: &[u8], start: usize) -> usize {
    // Most keys are short.
    match bytes.get(start..).and_then(<[u8]>::first_chunk::<8>) {
        Some(word) => match mark_special_bytes(*word) {
            0 => unescaped_end_long(bytes, start + 8),
            marks => start + first_marked_byte(marks),
        },
        None => unescaped_end_long(bytes, start),
    }
}

/// Number of 8-byte words that are tested one by one before the 64-byte blocks.
const SINGLE_WORDS: usize = 4;

#[inline(never)]
fn unescaped_end_long(bytes: &[u8], mut at: usize) -> usize {
    let (words, _) = bytes.get(at..).unwrap_or_default().as_chunks::<8>();
    for word in words.iter().take(SINGLE_WORDS) {
        let marks = mark_special_bytes(*word);
        if marks != 0 {
            return at + first_marked_byte(marks);
        }
        at += 8;
    }
    // 64-byte blocks, which compilers vectorize, as long as no byte of the block is special.
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<64>) {
        if block.iter().fold(false, |any, byte| any | is_special(*byte)) {
            break;
        }
        at += 64;
    }
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let marks = mark_special_bytes(*word);
        if marks != 0 {
            return at + first_marked_byte(marks);
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !is_special(*byte)) {
        at += 1;
    }
    at
}

const fn first_marked_byte(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// Marks the first special one of eight bytes at its highest bit; bytes after it may be marked wrongly.
///
/// A borrow out of a lower byte can only mark bytes above the first real hit, and bytes from 0x80 on are masked out, so
/// the lowest mark is always right.
#[inline]
const fn mark_special_bytes(word: [u8; 8]) -> u64 {
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

/// The first eight bytes of the text from `start` to `end` as a big-endian number, padded with zeros. The numbers sort
/// like the bytes. Texts with different numbers differ; since no text contains a zero byte, two texts below eight bytes
/// with the same number are equal.
#[inline]
pub(super) fn prefix_number(bytes: &[u8], start: usize, end: usize) -> u64 {
    let length = end - start;
    match bytes.get(start..).and_then(<[u8]>::first_chunk::<8>) {
        Some(eight) if length >= 8 => u64::from_be_bytes(*eight),
        // The bytes after the text are cleared.
        Some(eight) => u64::from_be_bytes(*eight) & !(u64::MAX >> (8 * length)),
        None => bytes.get(start..end).map_or(0, short_prefix_number),
    }
}

fn short_prefix_number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number >> 8 | u64::from(*byte) << 56)
}

/// Whether all bytes of a [`beginning`] are ASCII.
pub(super) const fn is_ascii_prefix(beginning: u64) -> bool {
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
        control @ '\0'..='\u{1f}' => push_unicode_escape(out, control as u16),
        other => out.push(other),
    }
}

fn push_unicode_escape(out: &mut String, unit: u16) {
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
    fn distinguishes_lone_surrogates() {
        assert_ne!(utf16_units(r"\ud800").collect::<Vec<_>>(), utf16_units(r"\ud801").collect::<Vec<_>>());
        assert_eq!(utf16_units(r"\ud83d\ude02").collect::<Vec<_>>(), utf16_units("😂").collect::<Vec<_>>());
        assert_eq!(utf16_units(r"aé\n").collect::<Vec<_>>(), [0x61, 0xe9, 0x0a]);
    }

    #[test]
    fn writes_the_shortest_escapes() {
        let mut out = String::new();
        write_string(&mut out, "\u{8}\t\n\u{c}\r\u{f}\"\\/é\u{7f}😂");
        assert_eq!(json_string_len("\u{8}\t\n\u{c}\r\u{f}\"\\/é\u{7f}😂"), out.len());
        assert_eq!(out, "\"\\b\\t\\n\\f\\r\\u000f\\\"\\\\/é\u{7f}😂\"");
        let mut canonical = String::new();
        write_canonical(&mut canonical, r"\b\t\n\f\r\u000F\u0022\\\/\u00E9\u007f\ud83d\uDE02");
        assert_eq!(canonical, out);
        let mut lone = String::new();
        write_canonical(&mut lone, r"\uD800");
        assert_eq!(lone, r#""\ud800""#);
    }

    #[test]
    fn special_bytes_are_found() {
        for special in ['"', '\\', '\0', '\u{1f}', '\n'] {
            for before in (0..40).chain([60, 63, 64, 65, 71, 72, 127, 128, 129, 200]) {
                for filler in ['a', ' ', '!', '#', '[', ']', '\u{7f}', 'é', '😂'] {
                    let plain = filler.to_string().repeat(before);
                    let text = format!("{plain}{special}{plain}\"");
                    assert_eq!(unescaped_end(text.as_bytes(), 0), plain.len(), "{text:?}");
                    assert!(!is_short_plain(text.as_bytes()), "{text:?}");
                    assert_eq!(is_short_plain(plain.as_bytes()), plain.len() <= SHORT_LENGTH, "{plain:?}");
                }
            }
        }
        assert_eq!(unescaped_end(b"no end at all, and long enough", 0), 30);
        assert_eq!(unescaped_end(b"", 0), 0);
    }

    #[test]
    fn prefixes_sort_like_the_texts() {
        let texts =
            ["", "a", "a!", "a!b", "a!bc", "a!bcd", "a!bcde", "a!bcdef", "a!bcdefg", "a\"", "b", "zzzzzzz", "é"];
        for behind in ["", "z", "zzzzzzzz"] {
            let beginnings: Vec<_> = texts
                .iter()
                .map(|text| prefix_number(format!("\"{text}{behind}").as_bytes(), 1, 1 + text.len()))
                .collect();
            assert!(beginnings.is_sorted_by(|left, right| left < right), "{beginnings:x?}");
        }
        assert_eq!(prefix_number(b"12345678", 0, 8), prefix_number(b"123456789", 0, 9));
    }
}
