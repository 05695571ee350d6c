//! Maps byte offsets of a decoded JSON string to offsets in its escaped source.

use std::ops::Range;

/// The byte range of a JSON string literal (quotes included) that encodes a byte range of the decoded text.
pub(crate) fn span_in_json_string(string: &str, part: &Range<usize>) -> Range<usize> {
    let start = escaped_offset(string, part.start);
    start..escaped_offset(string, part.end).max(start)
}

/// The offset in a JSON string literal of the byte `decoded` of the decoded text.
fn escaped_offset(string: &str, decoded: usize) -> usize {
    // After the opening quote.
    let (mut at, mut done) = (1, 0);
    while done < decoded {
        let Some((written, meant)) = string.get(at..).and_then(character_lengths) else { break };
        at += written;
        done += meant;
    }
    at
}

/// The byte lengths of the next character: as written, and as UTF-8.
fn character_lengths(rest: &str) -> Option<(usize, usize)> {
    let mut characters = rest.chars();
    match characters.next()? {
        '"' => None,
        '\\' if characters.next()? == 'u' => Some(match code_unit(rest)? {
            // A surrogate pair is one character.
            0xd800..=0xdbff => (12, 4),
            unit => (6, char::from_u32(unit).map_or(3, char::len_utf8)),
        }),
        '\\' => Some((2, 1)),
        plain => Some((plain.len_utf8(), plain.len_utf8())),
    }
}

fn code_unit(escape: &str) -> Option<u32> {
    u32::from_str_radix(escape.get(2..6)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_counted_as_what_they_mean() {
        let string = r#""a\\d\u00e9é\ud83d\ude00z""#;
        let text: String = serde_json::from_str(string).unwrap();
        let part = |wanted: &str| {
            let start = text.find(wanted).unwrap();
            string.get(span_in_json_string(string, &(start..start + wanted.len()))).unwrap().to_owned()
        };
        assert_eq!(part("a"), "a");
        assert_eq!(part("\\d"), r"\\d");
        assert_eq!(part("éé"), r"\u00e9é");
        assert_eq!(part("😀"), r"\ud83d\ude00");
        assert_eq!(part("z"), "z");
        assert_eq!(span_in_json_string("\"ab\"", &(1..99)), 2..3);
    }
}
