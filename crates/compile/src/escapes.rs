//! Where a part of a text stands in the JSON string that it was written as.

use std::ops::Range;

/// The bytes of a JSON string, quotes included, that stand for a range of bytes of its text.
pub(super) fn written(string: &str, part: &Range<usize>) -> Range<usize> {
    let start = offset(string, part.start);
    start..offset(string, part.end).max(start)
}

/// The offset in a JSON string at which so many bytes of its text are written.
fn offset(string: &str, decoded: usize) -> usize {
    // After the quote.
    let (mut at, mut done) = (1, 0);
    while done < decoded {
        let Some((written, meant)) = string.get(at..).and_then(unit) else { break };
        at += written;
        done += meant;
    }
    at
}

/// How many bytes the next character is written as, and how many it has as UTF-8.
fn unit(rest: &str) -> Option<(usize, usize)> {
    let mut characters = rest.chars();
    match characters.next()? {
        '"' => None,
        '\\' if characters.next()? == 'u' => Some(match code_unit(rest)? {
            // A pair of surrogates is one character.
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
            string.get(written(string, &(start..start + wanted.len()))).unwrap().to_owned()
        };
        assert_eq!(part("a"), "a");
        assert_eq!(part("\\d"), r"\\d");
        assert_eq!(part("éé"), r"\u00e9é");
        assert_eq!(part("😀"), r"\ud83d\ude00");
        assert_eq!(part("z"), "z");
        assert_eq!(written("\"ab\"", &(1..99)), 2..3);
    }
}
