//! Text as people must see it: what is invisible, reorders its neighbours or passes for a plain space is written as an
//! escape. Every place that shows a foreign value to a person, or writes it to a log, uses these functions.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The isolates of Unicode Standard Annex 9: what stands between one and [`POP_ISOLATE`] does not reorder what stands around
/// it. With the direction of its first strong character, and from left to right.
const FIRST_STRONG_ISOLATE: char = '\u{2068}';
const LEFT_TO_RIGHT_ISOLATE: char = '\u{2066}';
const POP_ISOLATE: char = '\u{2069}';

/// Characters that have no visible form of their own, by code point, sorted: controls, spaces other than U+0020, format
/// characters (bidirectional controls and zero-width characters among them), fillers, line separators, variation
/// selectors, and tags.
const HIDDEN: [(u32, u32); 32] = [
    (0x0000, 0x001f),
    (0x007f, 0x00a0),
    (0x00ad, 0x00ad),
    (0x034f, 0x034f),
    (0x0600, 0x0605),
    (0x061c, 0x061c),
    (0x06dd, 0x06dd),
    (0x070f, 0x070f),
    (0x0890, 0x0891),
    (0x08e2, 0x08e2),
    (0x115f, 0x1160),
    (0x1680, 0x1680),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x2000, 0x200f),
    (0x2028, 0x202f),
    (0x205f, 0x206f),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d159, 0x1d159),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
    (0xf_fffe, 0x10_ffff),
];

/// The blocks of scripts that are written from right to left.
const RIGHT_TO_LEFT: [(u32, u32); 5] =
    [(0x0590, 0x08ff), (0xfb1d, 0xfdff), (0xfe70, 0xfefe), (0x10800, 0x10fff), (0x1e800, 0x1efff)];

fn is_within(ranges: &[(u32, u32)], character: char) -> bool {
    let code = u32::from(character);
    let after = ranges.partition_point(|(first, _)| *first <= code);
    after.checked_sub(1).and_then(|place| ranges.get(place)).is_some_and(|(_, last)| code <= *last)
}

/// Whether a character is shown as an escape.
fn is_hidden(character: char) -> bool {
    is_within(&HIDDEN, character)
}

/// Text with every hidden character as an escape of JSON: `\n`, `\t`, `\r`, or `\u202e`. The selector of the form of an emoji
/// stays behind its emoji.
#[must_use]
pub fn visible_text(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    for character in text.chars() {
        let selects_emoji = character == '\u{fe0f}' && before > '\u{2100}' && !before.is_alphanumeric();
        match character {
            '\n' => visible.push_str("\\n"),
            '\r' => visible.push_str("\\r"),
            '\t' => visible.push_str("\\t"),
            hidden if is_hidden(hidden) && !selects_emoji => push_escape(&mut visible, hidden),
            plain => visible.push(plain),
        }
        before = character;
    }
    Cow::Owned(visible)
}

fn push_escape(text: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        // Writing into a String cannot fail.
        let _ = write!(text, "\\u{unit:04x}");
    }
}

/// Whether text has characters that are written from right to left.
#[must_use]
pub fn has_right_to_left(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|character| is_within(&RIGHT_TO_LEFT, character))
}

/// Visible text between isolating controls, so that it can't reorder the text around it. With an escape in it, it is read
/// from left to right: otherwise the backslash would stand apart from its code.
#[must_use]
pub fn isolated_text(visible: &str) -> String {
    let open = if visible.contains('\\') { LEFT_TO_RIGHT_ISOLATE } else { FIRST_STRONG_ISOLATE };
    format!("{open}{visible}{POP_ISOLATE}")
}

/// JSON text with every hidden character in its strings as an escape of JSON: it is the same value, and shows all of it.
#[must_use]
pub fn visible_json(text: String) -> String {
    if text.is_ascii() && !text.contains('\u{7f}') {
        return text;
    }
    let mut visible = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) && character > ' ' {
            push_escape(&mut visible, character);
        } else {
            visible.push(character);
        }
    }
    visible
}

/// The characters that are escaped, as a class of a regular expression with the flag `u` (ECMA-262): a page has no addon to
/// call, and must escape the same ones.
#[must_use]
pub fn hidden_class() -> String {
    let mut class = "[".to_owned();
    for (first, last) in HIDDEN {
        // Writing into a String cannot fail.
        let _ = write!(class, "\\u{{{first:x}}}-\\u{{{last:x}}}");
    }
    class.push(']');
    class
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SELECTOR: char = '\u{fe0f}';

    #[test]
    fn hidden_characters_are_escaped() {
        let table = [
            ("plain text, élan, 東京, שלום", "plain text, élan, 東京, שלום"),
            ("a\u{202e}b\u{2066}c\u{200f}", "a\\u202eb\\u2066c\\u200f"),
            ("pay\u{200b}pal\u{feff}", "pay\\u200bpal\\ufeff"),
            ("one\ntwo\r\n\tthree\u{2028}\u{85}\u{b}", "one\\ntwo\\r\\n\\tthree\\u2028\\u0085\\u000b"),
            ("\u{1b}[2J\u{7f}\0", "\\u001b[2J\\u007f\\u0000"),
            ("a\u{a0}b\u{2003}c\u{3000}d e", "a\\u00a0b\\u2003c\\u3000d e"),
            ("\u{e0041}\u{e0100}\u{3164}", "\\udb40\\udc41\\udb40\\udd00\\u3164"),
            ("❤\u{fe0f} x\u{fe0f}", "❤\u{fe0f} x\\ufe0f"),
        ];
        for (text, expected) in table {
            assert_eq!(visible_text(text), expected);
        }
        assert_eq!(isolated_text("שלום"), "\u{2068}שלום\u{2069}");
        assert_eq!(isolated_text("שלום\\u202ex"), "\u{2066}שלום\\u202ex\u{2069}");
        assert!(has_right_to_left("a\u{5d0}") && has_right_to_left("\u{627}") && !has_right_to_left("aé東\u{202e}"));
    }

    #[test]
    fn ranges_are_sorted() {
        for ranges in [HIDDEN.as_slice(), RIGHT_TO_LEFT.as_slice()] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }

    proptest! {
        #[test]
        fn visible_json_is_the_same_value(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            let visible = visible_json(json.clone());
            prop_assert_eq!(serde_json::from_str::<String>(&visible).unwrap(), text);
            prop_assert!(!visible.chars().any(is_hidden));
            let shown = visible_text(&json);
            prop_assert!(!shown.chars().any(|shown| shown != SELECTOR && is_hidden(shown)));
        }
    }
}
