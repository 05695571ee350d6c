//! The members of a result. Those that a response does not have are dropped, and never silently.

use crate::json::{Kind, Node};

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

/// The members of a result, in both of its forms, each found in one pass.
#[derive(Default)]
pub(super) struct ResultMembers<'t> {
    pub(super) ok: Option<Node<'t>>,
    pub(super) success: Option<Node<'t>>,
    pub(super) data: Option<Node<'t>>,
    /// Not `null`.
    pub(super) error: Option<Node<'t>>,
    /// Not `null`.
    pub(super) intents: Option<Node<'t>>,
    pub(super) meta: Option<Node<'t>>,
    unknown: UnknownNames,
}

impl<'t> ResultMembers<'t> {
    /// Finds the members of an object.
    pub(super) fn read(root: Node<'t>) -> Self {
        let mut found = Self::default();
        for (name, value) in root.members() {
            match &*name {
                "ok" => found.ok = Some(value),
                "success" => found.success = Some(value),
                "data" => found.data = Some(value),
                "error" => found.error = Some(value).filter(|error| !error.is_null()),
                "intents" => found.intents = Some(value).filter(|intents| !intents.is_null()),
                "meta" => found.meta = Some(value),
                other => found.unknown.add("", other),
            }
        }
        found
    }

    /// Whether the result is an answer of the gate: each says which tool was called.
    pub(super) fn is_of_the_gate(&self) -> bool {
        let mut meta = self.meta.iter().flat_map(Node::members);
        meta.any(|(name, value)| name == "toolId" && value.as_str().is_some())
    }

    /// The warning about unknown members of the result, and of its error.
    pub(super) fn unknown_warning(&self) -> Option<String> {
        let own = self.error.filter(|error| error.kind() == Kind::Object && !self.is_of_the_gate());
        let Some(error) = own else {
            return self.unknown.warning();
        };
        let mut unknown = self.unknown.clone();
        for (name, _) in error.members().filter(|(name, _)| !ERROR_MEMBERS.contains(&&**name)) {
            unknown.add("error.", &name);
        }
        unknown.warning()
    }
}

#[derive(Default, Clone)]
struct UnknownNames {
    names: Vec<String>,
    more: usize,
}

impl UnknownNames {
    fn add(&mut self, prefix: &str, name: &str) {
        if self.names.len() == MAX_NAMES {
            self.more += 1;
        } else {
            let name: String = name.chars().take(MAX_NAME_CHARS).collect();
            self.names.push(format!("`{prefix}{name}`"));
        }
    }

    fn warning(&self) -> Option<String> {
        if self.names.is_empty() {
            return None;
        }
        let names = self.names.join(", ");
        let names = if self.more > 0 { format!("{names} and {} more", self.more) } else { names };
        Some(format!("members that a result does not have were dropped: {names}; use `data`"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::json::{Limits, Tape};

    fn warned(result: &Value) -> Option<String> {
        let tape = Tape::parse(result.to_string(), &Limits::widest()).unwrap();
        ResultMembers::read(tape.root()).unknown_warning()
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
