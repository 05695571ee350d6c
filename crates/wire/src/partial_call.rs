//! A streamed call: accumulates its deltas within bounds.

use super::ProviderCall;

/// Maximum number of calls in a message: `OpenAI` allows 128 tools in a request.
pub(super) const MAX_CALLS: usize = 128;
/// Maximum length of collected arguments. Far above the gate's limit, so the gate refuses the truncated text.
pub(super) const MAX_ARGUMENT_BYTES: usize = 16 * 1024 * 1024;
/// Replaces arguments that were truncated before their first character. Not JSON, so the gate refuses them.
pub(super) const TRUNCATED_ARGUMENTS: &str = "{";

/// The received part of a call.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct PartialCall {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) args: String,
}

impl PartialCall {
    /// Appends a delta of the arguments' text, up to the maximum length.
    pub(super) fn append(&mut self, piece: &str) {
        let room = MAX_ARGUMENT_BYTES.saturating_sub(self.args.len()).min(piece.len());
        let end = (0..=room).rev().find(|end| piece.is_char_boundary(*end)).unwrap_or_default();
        self.args.push_str(piece.get(..end).unwrap_or_default());
    }

    /// Marks the arguments as truncated.
    pub(super) fn mark_truncated(&mut self) {
        if self.args.is_empty() {
            TRUNCATED_ARGUMENTS.clone_into(&mut self.args);
        }
    }

    /// Converts to a call; `None` without a name.
    pub(super) fn into_call(self, id: &str) -> Option<ProviderCall> {
        Some(ProviderCall { id: id.into(), name: self.name?, args: self.args })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collected_text_is_bounded_at_a_character_boundary() {
        let mut draft = PartialCall::default();
        draft.append(&"x".repeat(MAX_ARGUMENT_BYTES - 3));
        draft.append("éé");
        assert!(draft.args.ends_with("xé"));
        assert_eq!(draft.args.len(), MAX_ARGUMENT_BYTES - 1);
        draft.append("ab");
        draft.append("c");
        assert_eq!(draft.args.len(), MAX_ARGUMENT_BYTES);
        assert!(draft.args.ends_with('a'));
    }

    #[test]
    fn truncated_arguments_are_never_empty() {
        let (mut empty, mut begun) =
            (PartialCall::default(), PartialCall { args: "{\"a".to_owned(), ..PartialCall::default() });
        empty.mark_truncated();
        begun.mark_truncated();
        assert_eq!((&*empty.args, &*begun.args), ("{", "{\"a"));
    }
}
