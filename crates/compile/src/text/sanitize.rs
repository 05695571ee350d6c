//! Sanitizes text from files for a terminal: removes control characters, line separators and bidirectional overrides.

use std::borrow::Cow;

/// Replaces each unsafe character by one visible character. The number of characters is unchanged, so columns stay
/// right.
pub(crate) fn sanitize_for_terminal(text: &str) -> Cow<'_, str> {
    if text.chars().all(|letter| visible_char(letter) == letter) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(visible_char).collect())
}

fn visible_char(letter: char) -> char {
    match letter {
        '\t' => letter,
        // The Unicode block Control Pictures has the same order.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(letter)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        // C1 control characters, line and paragraph separators, bidirectional overrides and isolates.
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_a_terminal_are_pictures() {
        assert_eq!(sanitize_for_terminal("\u{1b}[2J\u{9b}2J\r\n\u{202e}x\u{7f}\0"), "␛[2J\u{fffd}2J␍␊\u{fffd}x␡␀");
        assert!(matches!(sanitize_for_terminal("a\té 👍🏽 שלום"), Cow::Borrowed(_)));
    }
}
