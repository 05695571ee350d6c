//! The `OpenAI` Realtime API: server events → calls, and when the model is to be asked to go on.
//!
//! A call runs on `response.output_item.done` with the status `completed` alone: `response.function_call_arguments.done`
//! is also sent for a response that was cancelled. The outputs of a response's calls go to the conversation one by one;
//! the model is asked to go on once, when the response is over, the last of its calls is answered and no other response
//! is being made (the service refuses a second one). Nobody asks where the response was cancelled or the user speaks:
//! what the user says makes the next response, and that one sees the outputs.
//!
//! Source: the Realtime API's reference of server events and its guide to function calling.

use super::frame::{arguments, elements, object, provider_error, text};
use super::{Call, Frame, Heard, Reader, Remembered, remembered};
use toolgate_json::Node;

/// What became of a call, with the response that it belongs to.
#[derive(Debug)]
enum State {
    Running(String),
    /// Told as cancelled, not answered yet.
    Cancelled(String),
    Answered,
}

/// A response that is being made, or that waits for answers.
#[derive(Debug, Default)]
struct Response {
    unanswered: usize,
    has_calls: bool,
    is_over: bool,
    /// The model is not to be asked to go on after it.
    is_dropped: bool,
}

/// Reads one Realtime connection.
#[derive(Debug)]
pub struct Realtime {
    calls: Remembered<State>,
    responses: Remembered<Response>,
    /// Answers wait for the model to be asked.
    is_due: bool,
    /// The model was asked, and its response has not begun yet.
    is_asked: bool,
}

impl Default for Realtime {
    fn default() -> Self {
        Self { calls: remembered(), responses: remembered(), is_due: false, is_asked: false }
    }
}

impl Reader for Realtime {
    fn read(&mut self, frame: &Frame) -> Heard {
        let event = frame.root();
        let mut heard = Heard::default();
        match text(event, "type").as_deref() {
            Some("response.created") => self.begin(event),
            Some("response.output_item.done") => self.item(event, &mut heard),
            Some("response.done") => self.end(event, &mut heard),
            Some("input_audio_buffer.speech_started") => self.user_speaks(&mut heard),
            Some("error") => self.error(event, &mut heard),
            Some(_) => {}
            None => heard.problems.push("the event has no `type`".to_owned()),
        }
        heard.asks_model = self.ask();
        heard
    }
}

impl Realtime {
    /// Whether an answer to this call is to be sent: not where one was sent before.
    #[must_use]
    pub fn wants_answer(&self, call_id: &str) -> bool {
        !matches!(self.calls.peek(call_id), Some(State::Answered))
    }

    /// Notes that the answer was sent. True where the model is to be asked to go on now.
    pub fn answered(&mut self, call_id: &str) -> bool {
        let state = self.calls.get_mut(call_id).map(|state| std::mem::replace(state, State::Answered));
        if let Some(State::Running(response) | State::Cancelled(response)) = state {
            self.release(&response);
        }
        self.ask()
    }

    fn begin(&mut self, event: Node<'_>) {
        self.is_asked = false;
        if let Some(id) = object(event, "response").and_then(|response| text(response, "id")) {
            self.responses.push(id.into_owned(), Response::default());
        }
    }

    fn item(&mut self, event: Node<'_>, heard: &mut Heard) {
        let Some(item) = object(event, "item") else {
            heard.problems.push("`response.output_item.done` has no item".to_owned());
            return;
        };
        if !is_function_call(item) {
            return;
        }
        match text(item, "status").as_deref() {
            Some("completed") => {}
            Some("incomplete") => return,
            _ => {
                heard.problems.push("a function call without a final status is not run".to_owned());
                return;
            }
        }
        let (Some(id), Some(name)) = (text(item, "call_id"), text(item, "name")) else {
            heard
                .problems
                .push("a function call without `call_id` or `name` is not run: it can't be answered".to_owned());
            return;
        };
        if self.calls.contains(&*id) {
            return;
        }
        self.note(&id, self.response_of(event));
        heard.calls.push(Call { id: id.as_ref().into(), name: name.into_owned(), args: arguments(item, "arguments") });
    }

    /// The response that an event is about; where it names none, the one that is being made.
    fn response_of(&self, event: Node<'_>) -> String {
        let current = || self.responses.iter().find(|(_, response)| !response.is_over).map(|(id, _)| id.clone());
        text(event, "response_id").map(std::borrow::Cow::into_owned).or_else(current).unwrap_or_default()
    }

    fn note(&mut self, call_id: &str, response: String) {
        let entry = self.responses.get_or_insert_mut(response.clone(), Response::default);
        entry.has_calls = true;
        entry.unanswered += 1;
        // A response without a name has no end that could be told.
        entry.is_over |= response.is_empty();
        let forgotten = self.calls.push(call_id.to_owned(), State::Running(response));
        if let Some((_, State::Running(response) | State::Cancelled(response))) = forgotten {
            self.release(&response);
        }
    }

    fn end(&mut self, event: Node<'_>, heard: &mut Heard) {
        let Some(response) = object(event, "response") else {
            heard.problems.push("`response.done` has no response".to_owned());
            return;
        };
        let id = text(response, "id").unwrap_or_default().into_owned();
        let status = text(response, "status").unwrap_or_default();
        if status == "cancelled" {
            self.drop_calls(Some(&id), heard);
        }
        if status == "failed" {
            let error = object(response, "status_details").and_then(|details| object(details, "error"));
            heard.problems.push(provider_error("the response failed", error));
        }
        if status == "completed" {
            let lost = elements(response, "output")
                .filter(|item| is_function_call(*item))
                .filter(|item| text(*item, "call_id").is_none_or(|id| !self.calls.contains(&*id)))
                .count();
            if lost > 0 {
                heard
                    .problems
                    .push(format!("{lost} function calls of a response came without `output_item.done`: not run"));
            }
        }
        // A refused question can be asked again.
        self.is_asked &= !self.is_due;
        if let Some(entry) = self.responses.peek_mut(&id) {
            entry.is_over = true;
            self.settle(&id);
        }
    }

    fn user_speaks(&mut self, heard: &mut Heard) {
        self.drop_calls(None, heard);
        self.is_due = false;
    }

    /// Cancels what still runs, of one response or of all; the model is not asked to go on after them.
    fn drop_calls(&mut self, of: Option<&str>, heard: &mut Heard) {
        let is_meant = |response: &str| of.is_none_or(|of| of == response);
        for (id, response) in &mut self.responses {
            response.is_dropped |= is_meant(id);
        }
        // The newest is first; they are told in the order in which they came.
        for (id, state) in self.calls.iter_mut().rev() {
            if let State::Running(response) = state
                && is_meant(response)
            {
                *state = State::Cancelled(std::mem::take(response));
                heard.cancelled.push(id.as_str().into());
            }
        }
    }

    fn error(&mut self, event: Node<'_>, heard: &mut Heard) {
        let error = object(event, "error");
        let code = error.and_then(|error| text(error, "code"));
        if self.is_asked && code.as_deref() == Some("conversation_already_has_active_response") {
            // Another response began before ours: ours is asked for again when that one is over, and not before.
            self.is_due = true;
        } else {
            self.is_asked = false;
        }
        heard.problems.push(provider_error("the service reports an error", error));
    }

    fn release(&mut self, response: &str) {
        if let Some(entry) = self.responses.peek_mut(response) {
            entry.unanswered = entry.unanswered.saturating_sub(1);
            self.settle(response);
        }
    }

    /// Lets go of a response that is over and fully answered.
    fn settle(&mut self, id: &str) {
        if self.responses.peek(id).is_some_and(|response| response.is_over && response.unanswered == 0)
            && let Some(response) = self.responses.pop(id)
        {
            self.is_due |= response.has_calls && !response.is_dropped;
        }
    }

    fn ask(&mut self) -> bool {
        let is_free = !self.is_asked && self.responses.iter().all(|(_, response)| response.is_over);
        let asks = self.is_due && is_free;
        if asks {
            self.is_due = false;
            self.is_asked = true;
        }
        asks
    }
}

fn is_function_call(item: Node<'_>) -> bool {
    text(item, "type").is_some_and(|kind| kind == "function_call")
}
