//! What comes from files as it may be shown in a terminal: nothing in it is a command to the terminal, ends a line or
//! turns round the text beside it.

use std::borrow::Cow;

/// The text with a visible sign for each such character. Characters stay as many as they were, so columns stay right.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    if text.chars().all(|letter| sign(letter) == letter) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(sign).collect())
}

fn sign(letter: char) -> char {
    match letter {
        '\t' => letter,
        // Unicode has a picture of each, in the same order.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(letter)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        // The second set of control characters, line and paragraph separators, and what overrides or isolates a direction.
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
        assert_eq!(harmless("\u{1b}[2J\u{9b}2J\r\n\u{202e}x\u{7f}\0"), "␛[2J\u{fffd}2J␍␊\u{fffd}x␡␀");
        assert!(matches!(harmless("a\té 👍🏽 שלום"), Cow::Borrowed(_)));
    }
}
