//! Splits text and identifiers into stemmed terms.

use frostem::{Algorithm, Stemmer};

/// Maximum length of an indexed word in bytes: longer ones are data such as base64 and not words.
const MAX_WORD_BYTES: usize = 64;

/// English function words. Verbs of a request ("get", "find", "show") stay: tools are named by them.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "before", "being",
    "both", "but", "by", "can", "could", "d", "did", "do", "does", "doing", "don", "for", "from", "had", "has", "have",
    "having", "he", "her", "here", "hers", "him", "his", "how", "i", "id", "if", "im", "in", "into", "is", "it", "its",
    "just", "let", "ll", "m", "me", "more", "most", "my", "no", "nor", "not", "now", "of", "off", "on", "once", "only",
    "or", "other", "our", "out", "over", "own", "please", "re", "s", "same", "she", "should", "so", "some", "such",
    "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through", "to",
    "too", "under", "up", "us", "ve", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who",
    "whom", "why", "will", "with", "would", "you", "your", "yours",
];

/// Turns text into terms: words of identifiers apart, lower case, without stop words, stemmed.
pub(crate) struct TermReader {
    stemmer: Stemmer,
}

impl TermReader {
    pub(crate) fn new() -> Self {
        Self { stemmer: Stemmer::new(Algorithm::English) }
    }

    /// Calls `take` with each term of a text, in the text's order.
    pub(crate) fn for_each_term(&self, text: &str, mut take: impl FnMut(&str)) {
        for_each_word(text, |word| {
            if word.len() > MAX_WORD_BYTES {
                return;
            }
            let word = word.to_lowercase();
            if STOP_WORDS.binary_search(&word.as_str()).is_err() {
                take(&self.stemmer.stem(&word));
            }
        });
    }

    /// The terms of a text, in the text's order.
    pub(crate) fn terms(&self, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        self.for_each_term(text, |term| terms.push(term.to_owned()));
        terms
    }

    /// The stem of one lower-case word.
    pub(crate) fn stem(&self, word: &str) -> String {
        self.stemmer.stem(word).into_owned()
    }
}

/// Calls `take` with each word: a run of letters and digits, split where an identifier's words meet.
fn for_each_word(text: &str, mut take: impl FnMut(&str)) {
    let mut start = None;
    let mut before = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let after = characters.peek().map(|(_, next)| *next);
        let is_word = character.is_alphanumeric();
        if let Some(from) = start
            && (!is_word || before.is_some_and(|before| is_boundary(before, character, after)))
        {
            take(text.get(from..at).unwrap_or_default());
            start = None;
        }
        if is_word && start.is_none() {
            start = Some(at);
        }
        before = Some(character);
    }
    if let Some(from) = start {
        take(text.get(from..).unwrap_or_default());
    }
}

/// Whether a word ends between two characters of a run: `getUser`, `HTTPServer`, `page2`, and around each character of
/// a script without spaces.
fn is_boundary(before: char, character: char, after: Option<char>) -> bool {
    is_unspaced(before)
        || is_unspaced(character)
        || (character.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()))
        || (before.is_uppercase() && character.is_uppercase() && after.is_some_and(char::is_lowercase))
        || (before.is_alphabetic() && character.is_ascii_digit())
}

/// Whether a character belongs to a script that is written without spaces: Thai, kana, Han.
const fn is_unspaced(character: char) -> bool {
    matches!(
        character,
        '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn splits_identifiers() {
        assert_eq!(words("getUserById"), ["get", "User", "By", "Id"]);
        assert_eq!(words("kb_search"), ["kb", "search"]);
        assert_eq!(words("HTTPServer-v2.listAPIs"), ["HTTP", "Server", "v", "2", "list", "AP", "Is"]);
        assert_eq!(words("at 5pm, in Zürich"), ["at", "5pm", "in", "Zürich"]);
        assert_eq!(words("天気を調べる"), ["天", "気", "を", "調", "べ", "る"]);
        assert_eq!(words("  \u{1f600} "), Vec::<String>::new());
    }

    #[test]
    fn terms_are_stemmed_without_stop_words() {
        assert_eq!(TermReader::new().terms("Searching the Calendars"), ["search", "calendar"]);
        assert!(TermReader::new().terms(&"x".repeat(MAX_WORD_BYTES + 1)).is_empty());
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
