//! Deduplicates the function calls of one model turn. Gemini Live announces a call in `toolCall`, in the model's
//! content, or in both, with or without an id. This module does not read frames.

use super::partial_call::MAX_CALLS;
use super::{ProviderCall, RecentMap, recent_map};
use toolgate_json::canonicalize;

/// A function call as received in a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GeminiFunctionCall {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) args: String,
}

impl GeminiFunctionCall {
    fn into_call(self, id: &str) -> ProviderCall {
        ProviderCall { id: id.into(), name: self.name, args: self.args }
    }

    /// The name and the canonical arguments: equal for equal calls, whatever the order of members.
    fn signature(&self) -> String {
        let args = canonicalize(&self.args).unwrap_or_else(|_| self.args.clone());
        serde_json::to_string(&[&self.name, &args]).unwrap_or_default()
    }
}

/// The result of a call in the model's content.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ContentCallResult {
    /// The call can run at once.
    Ready(ProviderCall),
    /// The call is held for its `toolCall`, or is a repetition.
    HeldOrRepeated,
    /// Too many calls are held: the call is not run.
    TooManyHeld,
}

/// The calls of one turn.
#[derive(Debug)]
pub(super) struct GeminiTurnState {
    /// Calls from content without an id, with their signature, held until `toolCall` or the end of the turn.
    held: Vec<(String, GeminiFunctionCall)>,
    /// Ids that were in content first; `toolCall` repeats them.
    content_ids: RecentMap<()>,
    /// Ids that were in `toolCall`; content repeats them. A second `toolCall` is not a repetition: it needs an answer.
    tool_call_ids: RecentMap<()>,
    /// Signatures of calls that were returned with the provider's id.
    returned_with_id: RecentMap<()>,
    /// Signature → generated id of calls that were returned without the provider's id.
    returned_without_id: RecentMap<String>,
    /// The prefix of generated ids, and their number.
    generated_ids: (String, u64),
}

impl GeminiTurnState {
    pub(super) fn new(seed: &str) -> Self {
        Self {
            held: Vec::new(),
            content_ids: recent_map(),
            tool_call_ids: recent_map(),
            returned_with_id: recent_map(),
            returned_without_id: recent_map(),
            generated_ids: (format!("temp-{seed}"), 0),
        }
    }

    pub(super) fn take_content_call(&mut self, seen: GeminiFunctionCall) -> ContentCallResult {
        let signature = seen.signature();
        if let Some(id) = seen.id.clone() {
            if self.content_ids.contains(&id) || self.tool_call_ids.contains(&id) {
                return ContentCallResult::HeldOrRepeated;
            }
            self.note_returned(signature);
            let call = seen.into_call(&id);
            self.content_ids.push(id, ());
            return ContentCallResult::Ready(call);
        }
        let is_held = self.held.iter().any(|(held, _)| *held == signature);
        if is_held || self.returned_with_id.contains(&signature) || self.returned_without_id.contains(&signature) {
            return ContentCallResult::HeldOrRepeated;
        }
        if self.held.len() >= MAX_CALLS {
            return ContentCallResult::TooManyHeld;
        }
        self.held.push((signature, seen));
        ContentCallResult::HeldOrRepeated
    }

    /// Takes a call from `toolCall`. Returns it with the generated id under which it was returned before, if any;
    /// `None` if it was returned with the provider's id.
    pub(super) fn take_announced_call(&mut self, seen: GeminiFunctionCall) -> Option<(ProviderCall, Option<String>)> {
        let signature = seen.signature();
        let Some(id) = seen.id.clone() else {
            self.held.retain(|(held, _)| *held != signature);
            let is_known = self.returned_with_id.contains(&signature);
            return (!is_known).then(|| (self.generate_id(signature, seen), None));
        };
        self.tool_call_ids.push(id.clone(), ());
        if self.content_ids.pop(&id).is_some() {
            return None;
        }
        let generated_id = self.returned_without_id.pop(&signature);
        self.note_returned(signature);
        Some((seen.into_call(&id), generated_id))
    }

    pub(super) const fn has_held_calls(&self) -> bool {
        !self.held.is_empty()
    }

    /// Releases the held calls that no `toolCall` repeated, in order, each with a generated id.
    pub(super) fn release_held_calls(&mut self) -> Vec<ProviderCall> {
        let held = std::mem::take(&mut self.held);
        held.into_iter().map(|(signature, seen)| self.generate_id(signature, seen)).collect()
    }

    /// Resets the turn. Held calls are dropped: after a barge-in the model does not wait for them.
    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.content_ids.clear();
        self.tool_call_ids.clear();
        self.returned_with_id.clear();
        self.returned_without_id.clear();
    }

    fn note_returned(&mut self, signature: String) {
        self.held.retain(|(held, _)| *held != signature);
        self.returned_with_id.push(signature, ());
    }

    /// Generates the id of a call. Ids with `temp` are not idempotency keys: the gate then recognizes equal calls of a
    /// turn by their content.
    fn generate_id(&mut self, signature: String, seen: GeminiFunctionCall) -> ProviderCall {
        let (begin, count) = &mut self.generated_ids;
        *count += 1;
        let id = format!("{begin}-{count}");
        let call = seen.into_call(&id);
        self.returned_without_id.push(signature, id);
        call
    }
}
