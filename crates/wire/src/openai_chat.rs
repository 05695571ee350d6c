//! `OpenAI` Chat Completions: whole messages and streamed chunks → calls.
//!
//! Also reads the JSON of compatible servers. Deltas are joined by index; the calls of a message are returned together,
//! when the finish reason arrives.

use std::collections::HashMap;

use super::frame::{arguments_text, array_elements, object_member, provider_error, string_member};
use super::partial_call::{MAX_CALLS, PartialCall};
use super::{AssistantMessage, FrameResult};
use toolgate_json::Node;

/// Finish reasons after which the last call may be incomplete.
const TRUNCATING_FINISH_REASONS: [&str; 2] = ["length", "content_filter"];

/// One conversation.
#[derive(Debug)]
pub(super) struct ChatCompletionsReader {
    partial_message: PartialMessage,
    /// The prefix of generated ids, for calls without an id, and their number.
    generated_ids: (String, u64),
}

/// The received part of an assistant message.
#[derive(Debug, Default)]
struct PartialMessage {
    by_index: HashMap<String, usize>,
    calls: Vec<PartialCall>,
    content: PartialCall,
    is_full: bool,
}

impl ChatCompletionsReader {
    pub(super) fn new(seed: &str) -> Self {
        Self { partial_message: PartialMessage::default(), generated_ids: (format!("temp-{seed}"), 0) }
    }

    /// Reads a completion, a chunk, or an assistant message.
    pub(super) fn read(&mut self, frame: Node<'_>) -> FrameResult {
        let mut result = FrameResult::default();
        if let Some(error) = object_member(frame, "error") {
            result.problems.push(provider_error("the service reports an error", Some(error)));
        }
        let choice = array_elements(frame, "choices").next();
        let finish = choice.and_then(|choice| string_member(choice, "finish_reason"));
        if let Some(delta) = choice.and_then(|choice| choice.get("delta")) {
            self.partial_message.append_delta(delta);
            if let Some(finish) = finish {
                let PartialMessage { calls: drafts, content, is_full, .. } = std::mem::take(&mut self.partial_message);
                self.return_calls(drafts, is_full, content.args, Some(&finish), &mut result);
            }
            return result;
        }
        let message = choice.and_then(|choice| choice.get("message")).unwrap_or(frame);
        let drafts: Vec<PartialCall> = array_elements(message, "tool_calls").map(complete_call).collect();
        let content = string_member(message, "content").unwrap_or_default().into_owned();
        self.return_calls(drafts, false, content, finish.as_deref(), &mut result);
        result
    }

    fn return_calls(
        &mut self,
        drafts: Vec<PartialCall>,
        is_full: bool,
        content: String,
        finish: Option<&str>,
        result: &mut FrameResult,
    ) {
        let came = drafts.len();
        let mut drafts: Vec<PartialCall> = drafts.into_iter().filter(|draft| draft.name.is_some()).collect();
        if drafts.len() < came {
            result.problems.push(format!("{} tool calls without a name are not run", came - drafts.len()));
        }
        if is_full {
            result.problems.push(format!("a message with more than {MAX_CALLS} tool calls: the others are not run"));
        }
        if let Some(last) = drafts.last_mut()
            && finish.is_some_and(|finish| TRUNCATING_FINISH_REASONS.contains(&finish))
        {
            last.mark_truncated();
        }
        for draft in drafts {
            let id = draft.id.clone().unwrap_or_else(|| self.generate_id());
            result.calls.extend(draft.into_call(&id));
        }
        if !result.calls.is_empty() {
            result.message = Some(AssistantMessage { content: Some(content).filter(|content| !content.is_empty()) });
        }
    }

    /// Generates an id. Ids with `temp` are not idempotency keys: the gate then recognizes equal calls of a turn by
    /// their content.
    fn generate_id(&mut self) -> String {
        let (seed, count) = &mut self.generated_ids;
        *count += 1;
        format!("{seed}-{count}")
    }
}

impl PartialMessage {
    fn append_delta(&mut self, delta: Node<'_>) {
        if let Some(content) = string_member(delta, "content") {
            self.content.append(&content);
        }
        for piece in array_elements(delta, "tool_calls") {
            let index = piece.get("index").map(|index| index.raw().to_owned()).unwrap_or_default();
            let id = string_member(piece, "id").map(std::borrow::Cow::into_owned);
            let Some(draft) = self.call_for_delta(index, id.as_deref()) else {
                self.is_full = true;
                continue;
            };
            draft.id = draft.id.take().or(id);
            if let Some(called) = object_member(piece, "function") {
                draft.name =
                    draft.name.take().or_else(|| string_member(called, "name").map(std::borrow::Cow::into_owned));
                draft.append(&string_member(called, "arguments").unwrap_or_default());
            }
        }
    }

    /// Finds or adds the call of a delta. Compatible servers send complete calls without an index, or all with the same
    /// index, so a new id begins a new call.
    fn call_for_delta(&mut self, index: String, id: Option<&str>) -> Option<&mut PartialCall> {
        let known = self.by_index.get(&index).copied().filter(|at| {
            let known = self.calls.get(*at).and_then(|draft| draft.id.as_deref());
            id.is_none() || known.is_none() || id == known
        });
        let at = match known {
            Some(at) => at,
            None if self.calls.len() < MAX_CALLS => {
                self.by_index.insert(index, self.calls.len());
                self.calls.push(PartialCall::default());
                self.calls.len() - 1
            }
            None => return None,
        };
        self.calls.get_mut(at)
    }
}

fn complete_call(call: Node<'_>) -> PartialCall {
    let called = object_member(call, "function");
    PartialCall {
        id: string_member(call, "id").map(std::borrow::Cow::into_owned),
        name: called.and_then(|called| string_member(called, "name")).map(std::borrow::Cow::into_owned),
        args: called.map(|called| arguments_text(called, "arguments")).unwrap_or_default(),
    }
}
