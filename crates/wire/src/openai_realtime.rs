//! The `OpenAI` Realtime API: server events → calls, and the time at which the model must be asked to continue.
//!
//! A call is returned only on `response.output_item.done` with the status `completed`, since
//! `response.function_call_arguments.done` is also sent for a cancelled response. The outputs of a response's calls are
//! sent to the conversation one by one; the model is asked to continue once, when the response is over, the last of its
//! calls is answered and no other response is active (the service refuses a second one). The model is not asked if the
//! response was cancelled or the user speaks: the user's speech starts the next response, which includes the outputs.
//!
//! Source: the Realtime API's reference of server events and its guide to function calling.

use super::frame::{arguments_text, array_elements, object_member, provider_error, string_member};
use super::{Frame, FrameReader, FrameResult, ProviderCall, RecentMap, recent_map};
use toolgate_json::Node;

/// The state of a call, with the id of its response.
#[derive(Debug)]
enum RealtimeCallState {
    Running(String),
    /// Reported as cancelled, not answered yet.
    Cancelled(String),
    Answered,
}

/// A response that is active, or that waits for answers.
#[derive(Debug, Default)]
struct RealtimeResponse {
    unanswered: usize,
    has_calls: bool,
    is_over: bool,
    /// Whether the model must not be asked to continue after this response.
    suppresses_continuation: bool,
}

/// Reads one Realtime connection.
#[derive(Debug)]
pub struct RealtimeReader {
    calls: RecentMap<RealtimeCallState>,
    responses: RecentMap<RealtimeResponse>,
    /// Whether answers were sent after which the model must be asked to continue.
    continuation_due: bool,
    /// Whether the model was asked, and its response has not begun yet.
    continuation_requested: bool,
}

impl Default for RealtimeReader {
    fn default() -> Self {
        Self { calls: recent_map(), responses: recent_map(), continuation_due: false, continuation_requested: false }
    }
}

impl FrameReader for RealtimeReader {
    fn read(&mut self, frame: &Frame) -> FrameResult {
        let event = frame.root();
        let mut result = FrameResult::default();
        match string_member(event, "type").as_deref() {
            Some("response.created") => self.begin_response(event),
            Some("response.output_item.done") => self.read_item(event, &mut result),
            Some("response.done") => self.end_response(event, &mut result),
            Some("input_audio_buffer.speech_started") => self.speech_started(&mut result),
            Some("error") => self.read_error(event, &mut result),
            Some(_) => {}
            None => result.problems.push("the event has no `type`".to_owned()),
        }
        result.asks_model = self.take_continuation();
        result
    }
}

impl RealtimeReader {
    /// Whether an answer to this call must be sent: false if one was already sent.
    #[must_use]
    pub fn wants_answer(&self, call_id: &str) -> bool {
        !matches!(self.calls.peek(call_id), Some(RealtimeCallState::Answered))
    }

    /// Records that the answer was sent. Returns true if the model must be asked to continue now.
    pub fn record_answer(&mut self, call_id: &str) -> bool {
        let state = self.calls.get_mut(call_id).map(|state| std::mem::replace(state, RealtimeCallState::Answered));
        if let Some(RealtimeCallState::Running(response) | RealtimeCallState::Cancelled(response)) = state {
            self.count_answer(&response);
        }
        self.take_continuation()
    }

    fn begin_response(&mut self, event: Node<'_>) {
        self.continuation_requested = false;
        if let Some(id) = object_member(event, "response").and_then(|response| string_member(response, "id")) {
            self.responses.push(id.into_owned(), RealtimeResponse::default());
        }
    }

    fn read_item(&mut self, event: Node<'_>, result: &mut FrameResult) {
        let Some(item) = object_member(event, "item") else {
            result.problems.push("`response.output_item.done` has no item".to_owned());
            return;
        };
        if !is_function_call(item) {
            return;
        }
        match string_member(item, "status").as_deref() {
            Some("completed") => {}
            Some("incomplete") => return,
            _ => {
                result.problems.push("a function call without a final status is not run".to_owned());
                return;
            }
        }
        let (Some(id), Some(name)) = (string_member(item, "call_id"), string_member(item, "name")) else {
            result
                .problems
                .push("a function call without `call_id` or `name` is not run: it can't be answered".to_owned());
            return;
        };
        if self.calls.contains(&*id) {
            return;
        }
        self.track_call(&id, self.response_id(event));
        result.calls.push(ProviderCall {
            id: id.as_ref().into(),
            name: name.into_owned(),
            args: arguments_text(item, "arguments"),
        });
    }

    /// The id of an event's response; if absent, the id of the active response.
    fn response_id(&self, event: Node<'_>) -> String {
        let current = || self.responses.iter().find(|(_, response)| !response.is_over).map(|(id, _)| id.clone());
        string_member(event, "response_id").map(std::borrow::Cow::into_owned).or_else(current).unwrap_or_default()
    }

    fn track_call(&mut self, call_id: &str, response: String) {
        let entry = self.responses.get_or_insert_mut(response.clone(), RealtimeResponse::default);
        entry.has_calls = true;
        entry.unanswered += 1;
        // A response without an id has no matching end event.
        entry.is_over |= response.is_empty();
        let forgotten = self.calls.push(call_id.to_owned(), RealtimeCallState::Running(response));
        if let Some((_, RealtimeCallState::Running(response) | RealtimeCallState::Cancelled(response))) = forgotten {
            self.count_answer(&response);
        }
    }

    fn end_response(&mut self, event: Node<'_>, result: &mut FrameResult) {
        let Some(response) = object_member(event, "response") else {
            result.problems.push("`response.done` has no response".to_owned());
            return;
        };
        let id = string_member(response, "id").unwrap_or_default().into_owned();
        let status = string_member(response, "status").unwrap_or_default();
        if status == "cancelled" {
            self.cancel_calls(Some(&id), result);
        }
        if status == "failed" {
            let error = object_member(response, "status_details").and_then(|details| object_member(details, "error"));
            result.problems.push(provider_error("the response failed", error));
        }
        if status == "completed" {
            let lost = array_elements(response, "output")
                .filter(|item| is_function_call(*item))
                .filter(|item| string_member(*item, "call_id").is_none_or(|id| !self.calls.contains(&*id)))
                .count();
            if lost > 0 {
                result
                    .problems
                    .push(format!("{lost} function calls of a response came without `output_item.done`: not run"));
            }
        }
        // A refused request to continue can be repeated.
        self.continuation_requested &= !self.continuation_due;
        if let Some(entry) = self.responses.peek_mut(&id) {
            entry.is_over = true;
            self.remove_if_complete(&id);
        }
    }

    fn speech_started(&mut self, result: &mut FrameResult) {
        self.cancel_calls(None, result);
        self.continuation_due = false;
    }

    /// Cancels the running calls of one response or of all; the model is not asked to continue after these responses.
    fn cancel_calls(&mut self, of: Option<&str>, result: &mut FrameResult) {
        let is_meant = |response: &str| of.is_none_or(|of| of == response);
        for (id, response) in &mut self.responses {
            response.suppresses_continuation |= is_meant(id);
        }
        // The cache iterates from the newest; cancellations are reported in the order of the calls.
        for (id, state) in self.calls.iter_mut().rev() {
            if let RealtimeCallState::Running(response) = state
                && is_meant(response)
            {
                *state = RealtimeCallState::Cancelled(std::mem::take(response));
                result.cancelled.push(id.as_str().into());
            }
        }
    }

    fn read_error(&mut self, event: Node<'_>, result: &mut FrameResult) {
        let error = object_member(event, "error");
        let code = error.and_then(|error| string_member(error, "code"));
        if self.continuation_requested && code.as_deref() == Some("conversation_already_has_active_response") {
            // Another response began first: the request is repeated when that response is over.
            self.continuation_due = true;
        } else {
            self.continuation_requested = false;
        }
        result.problems.push(provider_error("the service reports an error", error));
    }

    fn count_answer(&mut self, response: &str) {
        if let Some(entry) = self.responses.peek_mut(response) {
            entry.unanswered = entry.unanswered.saturating_sub(1);
            self.remove_if_complete(response);
        }
    }

    /// Removes a response that is over and fully answered.
    fn remove_if_complete(&mut self, id: &str) {
        if self.responses.peek(id).is_some_and(|response| response.is_over && response.unanswered == 0)
            && let Some(response) = self.responses.pop(id)
        {
            self.continuation_due |= response.has_calls && !response.suppresses_continuation;
        }
    }

    fn take_continuation(&mut self) -> bool {
        let is_free = !self.continuation_requested && self.responses.iter().all(|(_, response)| response.is_over);
        let asks = self.continuation_due && is_free;
        if asks {
            self.continuation_due = false;
            self.continuation_requested = true;
        }
        asks
    }
}

fn is_function_call(item: Node<'_>) -> bool {
    string_member(item, "type").is_some_and(|kind| kind == "function_call")
}
