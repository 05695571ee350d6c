//! The warning about members of a result that the response does not have: they are dropped, and never silently.

use crate::json::{Kind, Node};

/// The members of a result, in both of its forms.
const RESULT_MEMBERS: [&str; 6] = ["ok", "success", "data", "error", "intents", "meta"];
/// The members of a failure's error.
const ERROR_MEMBERS: [&str; 9] = [
    "type",
    "message",
    "retryable",
    "partialSideEffects",
    "details",
    "suggestion",
    "retryAfterMs",
    "retryAfter",
    "idempotencyRequired",
];
/// The number of names in the warning, and the length of each in characters.
const MAX_NAMES: usize = 5;
const MAX_NAME_CHARS: usize = 40;

/// The warning about a result's unknown members, and about those of its error.
pub(super) fn warning(root: Node<'_>) -> Option<String> {
    let mut unknown = UnknownNames::default();
    unknown.collect(root, "", &RESULT_MEMBERS);
    if let Some(error) = root.get("error").filter(|error| error.kind() == Kind::Object) {
        unknown.collect(error, "error.", &ERROR_MEMBERS);
    }
    unknown.into_warning()
}

#[derive(Default)]
struct UnknownNames {
    names: Vec<String>,
    more: usize,
}

impl UnknownNames {
    fn collect(&mut self, holder: Node<'_>, prefix: &str, known: &[&str]) {
        for (name, _) in holder.members() {
            if known.contains(&&*name) {
                continue;
            }
            if self.names.len() == MAX_NAMES {
                self.more += 1;
            } else {
                let name: String = name.chars().take(MAX_NAME_CHARS).collect();
                self.names.push(format!("`{prefix}{name}`"));
            }
        }
    }

    fn into_warning(self) -> Option<String> {
        let names = self.names.join(", ");
        let names = if self.more > 0 { format!("{names} and {} more", self.more) } else { names };
        (!names.is_empty()).then(|| format!("members that a result does not have were dropped: {names}; use `data`"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::json::{Limits, Tape};

    fn warned(result: &Value) -> Option<String> {
        warning(Tape::parse(result.to_string(), &Limits::widest()).unwrap().root())
    }

    #[test]
    fn known_members_are_no_warning() {
        let error = json!({ "type": "PERMANENT", "message": "m", "retryable": false, "partialSideEffects": false,
            "details": 1, "suggestion": "s", "retryAfterMs": 1, "retryAfter": 1, "idempotencyRequired": true });
        assert_eq!(warned(&json!({ "ok": true, "data": { "stream": 1 }, "intents": [], "meta": {} })), None);
        assert_eq!(warned(&json!({ "success": false, "error": error })), None);
    }

    #[test]
    fn unknown_members_are_named_and_counted() {
        let one =
            json!({ "ok": false, "stream": true, "error": { "type": "PERMANENT", "message": "m", "stack": "s" } });
        let expected = "members that a result does not have were dropped: `stream`, `error.stack`; use `data`";
        assert_eq!(warned(&one).as_deref(), Some(expected));
        let many: serde_json::Map<String, Value> =
            (0..1000).map(|n| (format!("{n}{}", "x".repeat(10_000)), json!(n))).collect();
        let warning = warned(&Value::Object(many)).unwrap();
        assert!(warning.contains(" and 995 more;") && warning.len() < 400, "{warning}");
    }
}
