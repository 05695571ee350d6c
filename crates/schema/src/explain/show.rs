//! Formats values and names for messages: exact, in backticks, and truncated.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

use toolgate_json::{Kind, Node, visible_text};

/// The longest value or name in a message, in characters.
const MAX_SHOWN_CHARS: usize = 80;

/// The largest number of names or values that a message lists.
pub(super) const MAX_LISTED: usize = 12;

/// Escapes hidden characters, and truncates a long text, with an ellipsis.
pub(super) fn truncate(text: &str) -> Cow<'_, str> {
    let visible = match text.char_indices().nth(MAX_SHOWN_CHARS + 1) {
        Some((end, _)) => visible_text(text.get(..end).unwrap_or_default()),
        None => visible_text(text),
    };
    match visible.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", visible.get(..end).unwrap_or_default())),
        None => visible,
    }
}

/// The name of a type with its article.
pub(super) const fn type_with_article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// A value with its type. The content of an array or object is never shown: it may be sensitive.
pub(super) fn value(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Bool => format!("`{}`", node.raw()),
        Kind::Number => format!("the number `{}`", truncate(node.raw())),
        Kind::String => format!("the string `{}`", truncate(node.raw())),
        container @ (Kind::Array | Kind::Object) => type_with_article(container).to_owned(),
    }
}

/// A value from the schema.
pub(super) fn literal(value: &Value) -> String {
    format!("`{}`", truncate(&value.to_string()))
}

/// Joins names or values with commas; at most [`LISTED`] of them.
pub(super) fn list(mut shown: impl ExactSizeIterator<Item = String>) -> String {
    let left_out = shown.len().saturating_sub(MAX_LISTED);
    let mut text = shown.by_ref().take(MAX_LISTED).collect::<Vec<_>>().join(", ");
    if left_out > 0 {
        // Writing into a String cannot fail.
        let _ = write!(text, " and {left_out} more");
    }
    text
}

/// Joins words as `a, b or c`.
pub(super) fn join_with_or(mut words: Vec<String>) -> String {
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => String::new(),
    }
}

/// A count with its noun.
pub(super) fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_between_characters() {
        assert_eq!(truncate("short"), "short");
        let long = "é".repeat(MAX_SHOWN_CHARS + 1);
        assert_eq!(truncate(&long), format!("{}…", "é".repeat(MAX_SHOWN_CHARS)));
        let fitting = "é".repeat(MAX_SHOWN_CHARS);
        assert_eq!(truncate(&fitting), fitting);
    }

    #[test]
    fn lists_are_short() {
        assert_eq!(list(["`a`", "`b`"].map(str::to_owned).into_iter()), "`a`, `b`");
        let many: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert_eq!(list(many.into_iter()), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more");
    }
}
