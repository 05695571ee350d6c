//! Gemini Live: server messages → calls and cancellations, and the id for each answer.
//!
//! Calls in `toolCall` are returned at once. The same call may also be in the model's content: with an id it is
//! returned at once and its repetition is dropped; without an id it is held until a `toolCall` or the end of
//! generation. Calls without an id get a generated id, which the gate does not use as a key and the provider never
//! receives.

use super::frame::{arguments_text, array_elements, object_member, string_member};
use super::gemini_function_calls::{ContentCallResult, GeminiFunctionCall, GeminiTurnState};
use super::partial_call::MAX_CALLS;
use super::{Frame, FrameReader, FrameResult, ProviderCall, RecentMap, recent_map};
use toolgate_json::{Kind, Node};

/// The way to send an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerRoute {
    /// Not at all: the call was cancelled.
    Never,
    /// With the provider's id.
    WithId(String),
    /// Without an id: the provider sent none.
    WithoutId,
}

/// Reads one Live session.
#[derive(Debug)]
pub struct GeminiLiveReader {
    turn: GeminiTurnState,
    /// Generated call id → the provider's id, `None` as long as it is unknown. Removed once answered.
    generated_ids: RecentMap<Option<String>>,
    /// The cancelled ids; true if the cancellation came before the call.
    cancelled: RecentMap<bool>,
    /// The ids of the calls so far.
    received: RecentMap<()>,
}

impl FrameReader for GeminiLiveReader {
    fn read(&mut self, frame: &Frame) -> FrameResult {
        let message = frame.root();
        let mut result = FrameResult::default();
        self.read_cancellations(message, &mut result);
        let content = object_member(message, "serverContent");
        let flag = |key| content.and_then(|content| content.get(key)).and_then(|value| value.as_bool()) == Some(true);
        let parts = content.and_then(|content| object_member(content, "modelTurn")).into_iter();
        for part in parts.flat_map(|turn| array_elements(turn, "parts")) {
            if let Some(call) = part.get("functionCall").and_then(|call| read_function_call(call, &mut result)) {
                self.take_content_call(call, &mut result);
            }
        }
        if let Some(tool_call) = message.get("toolCall").filter(|value| !value.is_null()) {
            if tool_call.get("functionCalls").is_none_or(|calls| calls.kind() != Kind::Array) {
                result.problems.push("`toolCall` has no list of function calls".to_owned());
            }
            for call in array_elements(tool_call, "functionCalls") {
                let call = read_function_call(call, &mut result).and_then(|call| self.take_announced_call(call));
                result.calls.extend(call);
            }
            result.calls.extend(self.release_held_calls());
        }
        if flag("interrupted") {
            self.turn.clear();
        }
        if flag("generationComplete") || flag("turnComplete") {
            result.calls.extend(self.release_held_calls());
        }
        if flag("turnComplete") {
            self.turn.clear();
        }
        for call in &result.calls {
            self.received.push(call.id.clone(), ());
            match self.cancelled.peek_mut(call.id.as_str()) {
                // The cancellation means this call: it is not answered. If it is made again, it is.
                Some(is_early @ true) => *is_early = false,
                Some(false) => drop(self.cancelled.pop(call.id.as_str())),
                None => {}
            }
        }
        result
    }
}

impl GeminiLiveReader {
    /// Creates a reader. Generated ids contain `seed`, which must be unique per session.
    #[must_use]
    pub fn new(seed: &str) -> Self {
        Self {
            turn: GeminiTurnState::new(seed),
            generated_ids: recent_map(),
            cancelled: recent_map(),
            received: recent_map(),
        }
    }

    /// Whether a call without an id is held for its `toolCall`. If no `toolCall` follows, the model waits for the
    /// answer.
    #[must_use]
    pub const fn has_held_calls(&self) -> bool {
        self.turn.has_held_calls()
    }

    /// Releases the held calls, after the host's timeout. A later `toolCall` with the same calls is a repetition.
    pub fn release_held_calls(&mut self) -> Vec<ProviderCall> {
        let calls = self.turn.release_held_calls();
        for call in &calls {
            self.generated_ids.push(call.id.clone(), None);
            self.received.push(call.id.clone(), ());
        }
        calls
    }

    /// Returns the way to send the answer to a call, once per call.
    pub fn take_answer_route(&mut self, call_id: &str) -> AnswerRoute {
        if self.cancelled.pop(call_id).is_some() {
            return AnswerRoute::Never;
        }
        match self.generated_ids.pop(call_id) {
            Some(Some(id)) => AnswerRoute::WithId(id),
            Some(None) => AnswerRoute::WithoutId,
            None => AnswerRoute::WithId(call_id.to_owned()),
        }
    }

    fn read_cancellations(&mut self, message: Node<'_>, result: &mut FrameResult) {
        let ids = object_member(message, "toolCallCancellation")
            .into_iter()
            .flat_map(|cancelled| array_elements(cancelled, "ids"));
        for id in ids.filter_map(|id| id.as_str()).filter(|id| !id.is_empty()) {
            let made_up = self.generated_ids.iter().find(|(_, provider)| provider.as_deref() == Some(&*id));
            let id = made_up.map_or_else(|| id.to_string(), |(made_up, _)| made_up.clone());
            result.cancelled.push(id.as_str().into());
            let is_early = !self.received.contains(&id);
            self.cancelled.push(id, is_early);
        }
    }

    fn take_content_call(&mut self, call: GeminiFunctionCall, result: &mut FrameResult) {
        match self.turn.take_content_call(call) {
            ContentCallResult::Ready(call) => result.calls.push(call),
            ContentCallResult::HeldOrRepeated => {}
            ContentCallResult::TooManyHeld => {
                result
                    .problems
                    .push(format!("more than {MAX_CALLS} function calls wait for their ids: one is not run"));
            }
        }
    }

    /// Takes a call from `toolCall`. If the same call is unanswered under a generated id, it is not returned again: its
    /// answer gets the provider's id.
    fn take_announced_call(&mut self, seen: GeminiFunctionCall) -> Option<ProviderCall> {
        let id = seen.id.clone();
        let (mut call, generated_id) = self.turn.take_announced_call(seen)?;
        if id.is_none() {
            self.generated_ids.push(call.id.clone(), None);
        }
        if let Some(generated_id) = generated_id {
            let is_unanswered = self.generated_ids.contains(&generated_id);
            call.id = generated_id.as_str().into();
            self.generated_ids.push(generated_id, id);
            return (!is_unanswered).then_some(call);
        }
        Some(call)
    }
}

/// Reads a function call. Missing arguments become `{}`.
fn read_function_call(call: Node<'_>, result: &mut FrameResult) -> Option<GeminiFunctionCall> {
    if call.is_null() {
        return None;
    }
    let name = if call.kind() == Kind::Object { string_member(call, "name") } else { None };
    let Some(name) = name else {
        result.problems.push("a function call without a name is not run".to_owned());
        return None;
    };
    let has_args = call.get("args").is_some_and(|args| !args.is_null());
    Some(GeminiFunctionCall {
        id: string_member(call, "id").map(std::borrow::Cow::into_owned),
        name: name.into_owned(),
        args: if has_args { arguments_text(call, "args") } else { "{}".to_owned() },
    })
}
