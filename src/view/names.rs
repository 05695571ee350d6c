//! What the names of members say: which hold what only machines read, which hold a title, and how a name is said.

/// Last words of names whose values are for machines.
const MACHINE: &[&str] = &[
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

/// Members that are a sentence to say, the first that is there.
pub(super) const SENTENCES: &[&str] =
    &["speech", "answer", "message", "textResponse", "text_response", "finalMessage", "final_message"];
/// Members that name their object, the first that is there.
pub(super) const TITLES: &[&str] =
    &["title", "name", "subject", "heading", "label", "question", "displayName", "display_name"];
/// Members that tell what their object says, the first that is there.
pub(super) const TEXTS: &[&str] = &["summary", "description", "text", "content", "body", "snippet"];
/// Members that stand for a title where there is none.
pub(super) const TIMES: &[&str] = &["start", "date", "time", "at", "end", "until"];

/// Whether a member's value is for machines: an id, an address, a secret, a text in some code.
pub(super) fn is_for_machines(name: &str) -> bool {
    words(name).last().is_some_and(|last| MACHINE.contains(&last.as_str()))
}

/// A member's name as it is said: `freeSlots` and `free_slots` are `free slots`.
pub(super) fn said(name: &str) -> String {
    words(name).join(" ")
}

/// A list's name for one of its elements. English alone: tool authors name members in it.
pub(super) fn singular(name: &str) -> String {
    let ends = [("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ss", "ss"), ("s", "")];
    let found = ends.iter().find_map(|(many, one)| name.strip_suffix(many).map(|stem| format!("{stem}{one}")));
    found.unwrap_or_else(|| name.to_owned())
}

fn words(name: &str) -> Vec<String> {
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
            assert!(is_for_machines(name), "{name}");
        }
        for name in ["title", "paid", "idea", "keyboard", "idNumberText", "", "_"] {
            assert!(!is_for_machines(name), "{name}");
        }
    }

    #[test]
    fn names_are_said_in_words() {
        assert_eq!(
            (said("freeSlots"), said("free_slots"), said("HTTP status")),
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
