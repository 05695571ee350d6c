//! How values and names appear in messages: exact, in backticks, and never long.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

use toolgate_json::{Kind, Node};

/// Longest value or name that a message shows, in characters.
const SHOWN: usize = 80;

/// How many names or values a message lists.
pub(super) const LISTED: usize = 12;

/// The beginning of a text, with dots where it goes on.
pub(super) fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// A type with its article.
pub(super) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// A value with its type. What an array or object holds is never shown: it may hold something sensitive.
pub(super) fn value(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Bool => format!("`{}`", node.raw()),
        Kind::Number => format!("the number `{}`", cut(node.raw())),
        Kind::String => format!("the string `{}`", cut(node.raw())),
        container @ (Kind::Array | Kind::Object) => kind(container).to_owned(),
    }
}

/// A value of the schema.
pub(super) fn literal(value: &Value) -> String {
    format!("`{}`", cut(&value.to_string()))
}

/// Names or values joined by commas; the first ones where they are many.
pub(super) fn list(mut shown: impl ExactSizeIterator<Item = String>) -> String {
    let left_out = shown.len().saturating_sub(LISTED);
    let mut text = shown.by_ref().take(LISTED).collect::<Vec<_>>().join(", ");
    if left_out > 0 {
        // Writing into a String cannot fail.
        let _ = write!(text, " and {left_out} more");
    }
    text
}

/// `a, b or c`
pub(super) fn either(mut words: Vec<String>) -> String {
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
        assert_eq!(cut("short"), "short");
        let long = "é".repeat(SHOWN + 1);
        assert_eq!(cut(&long), format!("{}…", "é".repeat(SHOWN)));
        let fitting = "é".repeat(SHOWN);
        assert_eq!(cut(&fitting), fitting);
    }

    #[test]
    fn lists_are_short() {
        assert_eq!(list(["`a`", "`b`"].map(str::to_owned).into_iter()), "`a`, `b`");
        let many: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert_eq!(list(many.into_iter()), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more");
    }
}
