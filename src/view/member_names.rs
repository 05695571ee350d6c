//! Member names: which denote machine-readable values, titles or texts, and how a name is spoken.

/// Last words of names with machine-readable values.
const MACHINE_NAMES: &[&str] = &[
    "base64",
    "cursor",
    "digest",
    "etag",
    "guid",
    "hash",
    "href",
    "html",
    "id",
    "ids",
    "key",
    "link",
    "links",
    "path",
    "pointer",
    "raw",
    "secret",
    "sha",
    "sha256",
    "signature",
    "slug",
    "token",
    "uid",
    "uri",
    "uris",
    "url",
    "urls",
    "uuid",
];

/// Members with a sentence to speak; the first one present is used.
pub(super) const SENTENCES: &[&str] =
    &["speech", "answer", "message", "textResponse", "text_response", "finalMessage", "final_message"];
/// Members with the title of their object; the first one present is used.
pub(super) const TITLES: &[&str] =
    &["title", "name", "subject", "heading", "label", "question", "displayName", "display_name"];
/// Members with the text of their object; the first one present is used.
pub(super) const TEXTS: &[&str] = &["summary", "description", "text", "content", "body", "snippet"];
/// Members used in place of a missing title.
pub(super) const TIMES: &[&str] = &["start", "date", "time", "at", "end", "until"];

/// Whether a member's name denotes a machine-readable value: an id, an address, a secret, encoded text.
pub(super) fn names_machine_value(name: &str) -> bool {
    split_words(name).last().is_some_and(|last| MACHINE_NAMES.contains(&last.as_str()))
}

/// A member's name as it is spoken: `freeSlots` and `free_slots` are `free slots`.
pub(super) fn as_words(name: &str) -> String {
    split_words(name).join(" ")
}

/// The singular of a list's name. English only: tool authors name members in English.
pub(super) fn singular(name: &str) -> String {
    let ends = [("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ss", "ss"), ("s", "")];
    let found = ends.iter().find_map(|(many, one)| name.strip_suffix(many).map(|stem| format!("{stem}{one}")));
    found.unwrap_or_else(|| name.to_owned())
}

fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut begins = true;
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            begins = true;
            continue;
        }
        if begins || (c.is_uppercase() && was_lower) {
            words.push(String::new());
            begins = false;
        }
        was_lower = c.is_lowercase() || c.is_numeric();
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_machine_values_are_known_by_their_last_word() {
        for name in ["id", "event_id", "eventId", "iCalUID", "htmlUrl", "URL", "nextCursor", "kb-ids", "sha256"] {
            assert!(names_machine_value(name), "{name}");
        }
        for name in ["title", "paid", "idea", "keyboard", "idNumberText", "", "_"] {
            assert!(!names_machine_value(name), "{name}");
        }
    }

    #[test]
    fn names_are_said_in_words() {
        assert_eq!(
            (as_words("freeSlots"), as_words("free_slots"), as_words("HTTP status")),
            ("free slots".to_owned(), "free slots".to_owned(), "http status".to_owned())
        );
        for (many, one) in [
            ("results", "result"),
            ("entries", "entry"),
            ("matches", "match"),
            ("class", "class"),
            ("news", "new"),
            ("data", "data"),
        ] {
            assert_eq!(singular(many), one);
        }
    }
}
