//! A call that is still being written: its pieces put together, within bounds.

use super::Call;

/// `OpenAI` allows 128 tools in a request; more calls in one message are no answer to it.
pub(super) const MAX_CALLS: usize = 128;
/// Far beyond what the gate takes: more is not collected, and the cut text is refused there.
pub(super) const MAX_ARGUMENT_BYTES: usize = 16 * 1024 * 1024;
/// Stands for arguments that were cut before their first character: no JSON, so that the gate refuses them.
pub(super) const CUT: &str = "{";

/// What has come of a call.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) args: String,
}

impl Draft {
    /// Takes a piece of the arguments' text, as far as there is room.
    pub(super) fn push(&mut self, piece: &str) {
        let room = MAX_ARGUMENT_BYTES.saturating_sub(self.args.len()).min(piece.len());
        let end = (0..=room).rev().find(|end| piece.is_char_boundary(*end)).unwrap_or_default();
        self.args.push_str(piece.get(..end).unwrap_or_default());
    }

    /// Says that no more is coming although the provider was not at its end.
    pub(super) fn cut(&mut self) {
        if self.args.is_empty() {
            CUT.clone_into(&mut self.args);
        }
    }

    /// The call, where it has a name.
    pub(super) fn into_call(self, id: &str) -> Option<Call> {
        Some(Call { id: id.into(), name: self.name?, args: self.args })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_collected_than_there_is_room_for_and_no_character_is_split() {
        let mut draft = Draft::default();
        draft.push(&"x".repeat(MAX_ARGUMENT_BYTES - 3));
        draft.push("éé");
        assert!(draft.args.ends_with("xé"));
        assert_eq!(draft.args.len(), MAX_ARGUMENT_BYTES - 1);
        draft.push("ab");
        draft.push("c");
        assert_eq!(draft.args.len(), MAX_ARGUMENT_BYTES);
        assert!(draft.args.ends_with('a'));
    }

    #[test]
    fn text_that_was_cut_is_never_taken_for_none() {
        let (mut empty, mut begun) = (Draft::default(), Draft { args: "{\"a".to_owned(), ..Draft::default() });
        empty.cut();
        begun.cut();
        assert_eq!((&*empty.args, &*begun.args), ("{", "{\"a"));
    }
}
