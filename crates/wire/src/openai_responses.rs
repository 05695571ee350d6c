//! The `OpenAI` Responses API: output items and stream events → calls.
//!
//! A call is returned when its item is done. A stream sends it twice (the item, then the whole response); both are one
//! call. A truncated call is returned with its truncated text: the service requires an output for it before the
//! conversation can continue.

use super::frame::{arguments_text, array_elements, object_member, provider_error, string_member};
use super::partial_call::{MAX_CALLS, PartialCall};
use super::{FrameResult, RecentMap, recent_map};
use toolgate_json::Node;

/// One conversation.
#[derive(Debug)]
pub(super) struct ResponsesReader {
    /// Calls whose item is not done, by their key in the output.
    partial_calls: Vec<(String, PartialCall)>,
    returned_ids: RecentMap<()>,
}

impl Default for ResponsesReader {
    fn default() -> Self {
        Self { partial_calls: Vec::new(), returned_ids: recent_map() }
    }
}

impl ResponsesReader {
    /// Whether a frame belongs to this API.
    pub(super) fn recognizes(frame: Node<'_>) -> bool {
        let kind = string_member(frame, "type").unwrap_or_default();
        kind.starts_with("response.")
            || matches!(&*kind, "function_call" | "error")
            || string_member(frame, "object").is_some_and(|object| object == "response")
            || array_elements(frame, "output").next().is_some()
    }

    /// Reads an event of a stream, a response, or an output item.
    pub(super) fn read(&mut self, frame: Node<'_>) -> FrameResult {
        let mut result = FrameResult::default();
        match string_member(frame, "type").as_deref() {
            Some("response.created") => self.partial_calls.clear(),
            Some("response.output_item.added") => self.begin_item(frame, &mut result),
            Some("response.function_call_arguments.delta") => self.append_delta(frame, &mut result),
            Some("response.function_call_arguments.done") => self.set_arguments(frame),
            Some("response.output_item.done") => {
                let draft = self.take_partial_call(&output_key(frame));
                if let Some(item) = object_member(frame, "item") {
                    self.read_item(item, draft, &mut result);
                } else {
                    result.problems.push("`response.output_item.done` has no item".to_owned());
                }
            }
            Some("response.completed" | "response.incomplete" | "response.failed" | "response.cancelled") => {
                self.end_response(frame, &mut result);
            }
            Some("function_call") => self.read_item(frame, None, &mut result),
            Some("error") => {
                let error = object_member(frame, "error").unwrap_or(frame);
                result.problems.push(provider_error("the service reports an error", Some(error)));
            }
            Some(_) => {}
            None => {
                self.read_response(frame, &mut result);
            }
        }
        result
    }

    fn begin_item(&mut self, event: Node<'_>, result: &mut FrameResult) {
        let Some(item) = object_member(event, "item").filter(|item| is_function_call(*item)) else { return };
        if self.partial_calls.len() >= MAX_CALLS {
            result
                .problems
                .push(format!("a response with more than {MAX_CALLS} unfinished calls: one is not collected"));
            return;
        }
        self.partial_calls.push((output_key(event), call_of_item(item)));
    }

    fn append_delta(&mut self, event: Node<'_>, result: &mut FrameResult) {
        let at = output_key(event);
        match self.partial_calls.iter_mut().find(|(place, _)| *place == at) {
            Some((_, draft)) => draft.append(&string_member(event, "delta").unwrap_or_default()),
            None => result.problems.push("a piece of arguments belongs to no call".to_owned()),
        }
    }

    fn set_arguments(&mut self, event: Node<'_>) {
        let at = output_key(event);
        if let Some((_, draft)) = self.partial_calls.iter_mut().find(|(place, _)| *place == at) {
            draft.args = arguments_text(event, "arguments");
        }
    }

    fn take_partial_call(&mut self, at: &str) -> Option<PartialCall> {
        let found = self.partial_calls.iter().position(|(place, _)| place == at)?;
        Some(self.partial_calls.remove(found).1)
    }

    fn end_response(&mut self, event: Node<'_>, result: &mut FrameResult) {
        let drafts = std::mem::take(&mut self.partial_calls);
        let Some(response) = object_member(event, "response") else {
            result.problems.push("the end of a response has no response".to_owned());
            return;
        };
        if !self.read_response(response, result) {
            return;
        }
        let is_cut = string_member(response, "status").is_some_and(|status| status == "incomplete");
        for (_, mut draft) in drafts {
            if is_cut {
                draft.mark_truncated();
            }
            self.return_call(draft, result);
        }
    }

    /// Reads the calls of a finished response; returns false if none of them may run.
    fn read_response(&mut self, response: Node<'_>, result: &mut FrameResult) -> bool {
        match string_member(response, "status").as_deref() {
            Some("failed") => {
                result.problems.push(provider_error("the response failed", object_member(response, "error")));
                return false;
            }
            Some("cancelled" | "queued" | "in_progress") => return false,
            _ => {}
        }
        for item in array_elements(response, "output") {
            self.read_item(item, None, result);
        }
        true
    }

    fn read_item(&mut self, item: Node<'_>, begun: Option<PartialCall>, result: &mut FrameResult) {
        let status = string_member(item, "status").unwrap_or_default();
        if !is_function_call(item) || status == "in_progress" {
            return;
        }
        let mut call = call_of_item(item);
        let begun = begun.unwrap_or_default();
        call.id = call.id.or(begun.id);
        call.name = call.name.or(begun.name);
        if call.args.is_empty() {
            call.args = begun.args;
        }
        if status == "incomplete" {
            call.mark_truncated();
        }
        self.return_call(call, result);
    }

    fn return_call(&mut self, draft: PartialCall, result: &mut FrameResult) {
        let Some(id) = draft.id.clone() else {
            result.problems.push("a function call without `call_id` is not run: it can't be answered".to_owned());
            return;
        };
        if self.returned_ids.contains(&id) {
            return;
        }
        if let Some(call) = draft.into_call(&id) {
            self.returned_ids.push(id, ());
            result.calls.push(call);
        } else {
            result.problems.push("a function call without a name is not run".to_owned());
        }
    }
}

/// The key of an event's item in the output: its index, else its id, since some servers change ids within a stream.
fn output_key(event: Node<'_>) -> String {
    let index = event.get("output_index").filter(|index| !index.is_null()).map(|index| index.raw().to_owned());
    let id = || {
        string_member(event, "item_id")
            .or_else(|| object_member(event, "item").and_then(|item| string_member(item, "id")))
    };
    index.or_else(|| id().map(std::borrow::Cow::into_owned)).unwrap_or_default()
}

fn call_of_item(item: Node<'_>) -> PartialCall {
    PartialCall {
        id: string_member(item, "call_id").map(std::borrow::Cow::into_owned),
        name: string_member(item, "name").map(std::borrow::Cow::into_owned),
        args: arguments_text(item, "arguments"),
    }
}

fn is_function_call(item: Node<'_>) -> bool {
    string_member(item, "type").is_some_and(|kind| kind == "function_call")
}
