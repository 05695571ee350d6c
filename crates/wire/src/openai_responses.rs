//! The `OpenAI` Responses API: output items and stream events → calls.
//!
//! A call comes when its item is done. What a stream tells twice (the item, then the whole response) is one call. A call
//! that was cut goes on with its cut text: the service wants an output for it before the conversation can go on.

use super::draft::{Draft, MAX_CALLS};
use super::frame::{arguments, elements, object, provider_error, text};
use super::{Heard, Remembered, remembered};
use toolgate_json::Node;

/// One conversation.
#[derive(Debug)]
pub(super) struct Responses {
    /// Calls whose item is not done, by their place in the output.
    drafts: Vec<(String, Draft)>,
    given: Remembered<()>,
}

impl Default for Responses {
    fn default() -> Self {
        Self { drafts: Vec::new(), given: remembered() }
    }
}

impl Responses {
    /// Whether a frame is one of this API's.
    pub(super) fn knows(frame: Node<'_>) -> bool {
        let kind = text(frame, "type").unwrap_or_default();
        kind.starts_with("response.")
            || matches!(&*kind, "function_call" | "error")
            || text(frame, "object").is_some_and(|object| object == "response")
            || elements(frame, "output").next().is_some()
    }

    /// Takes an event of a stream, a response, or one of its output items.
    pub(super) fn read(&mut self, frame: Node<'_>) -> Heard {
        let mut heard = Heard::default();
        match text(frame, "type").as_deref() {
            Some("response.created") => self.drafts.clear(),
            Some("response.output_item.added") => self.begin(frame, &mut heard),
            Some("response.function_call_arguments.delta") => self.piece(frame, &mut heard),
            Some("response.function_call_arguments.done") => self.whole_arguments(frame),
            Some("response.output_item.done") => {
                let draft = self.take(&place(frame));
                if let Some(item) = object(frame, "item") {
                    self.item(item, draft, &mut heard);
                } else {
                    heard.problems.push("`response.output_item.done` has no item".to_owned());
                }
            }
            Some("response.completed" | "response.incomplete" | "response.failed" | "response.cancelled") => {
                self.end(frame, &mut heard);
            }
            Some("function_call") => self.item(frame, None, &mut heard),
            Some("error") => {
                let error = object(frame, "error").unwrap_or(frame);
                heard.problems.push(provider_error("the service reports an error", Some(error)));
            }
            Some(_) => {}
            None => {
                self.response(frame, &mut heard);
            }
        }
        heard
    }

    fn begin(&mut self, event: Node<'_>, heard: &mut Heard) {
        let Some(item) = object(event, "item").filter(|item| is_function_call(*item)) else { return };
        if self.drafts.len() >= MAX_CALLS {
            heard
                .problems
                .push(format!("a response with more than {MAX_CALLS} unfinished calls: one is not collected"));
            return;
        }
        self.drafts.push((place(event), draft(item)));
    }

    fn piece(&mut self, event: Node<'_>, heard: &mut Heard) {
        let at = place(event);
        match self.drafts.iter_mut().find(|(place, _)| *place == at) {
            Some((_, draft)) => draft.push(&text(event, "delta").unwrap_or_default()),
            None => heard.problems.push("a piece of arguments belongs to no call".to_owned()),
        }
    }

    fn whole_arguments(&mut self, event: Node<'_>) {
        let at = place(event);
        if let Some((_, draft)) = self.drafts.iter_mut().find(|(place, _)| *place == at) {
            draft.args = arguments(event, "arguments");
        }
    }

    fn take(&mut self, at: &str) -> Option<Draft> {
        let found = self.drafts.iter().position(|(place, _)| place == at)?;
        Some(self.drafts.remove(found).1)
    }

    fn end(&mut self, event: Node<'_>, heard: &mut Heard) {
        let drafts = std::mem::take(&mut self.drafts);
        let Some(response) = object(event, "response") else {
            heard.problems.push("the end of a response has no response".to_owned());
            return;
        };
        if !self.response(response, heard) {
            return;
        }
        let is_cut = text(response, "status").is_some_and(|status| status == "incomplete");
        for (_, mut draft) in drafts {
            if is_cut {
                draft.cut();
            }
            self.give(draft, heard);
        }
    }

    /// The calls of a response that nothing more will be added to; false where none of them is to run.
    fn response(&mut self, response: Node<'_>, heard: &mut Heard) -> bool {
        match text(response, "status").as_deref() {
            Some("failed") => {
                heard.problems.push(provider_error("the response failed", object(response, "error")));
                return false;
            }
            Some("cancelled" | "queued" | "in_progress") => return false,
            _ => {}
        }
        for item in elements(response, "output") {
            self.item(item, None, heard);
        }
        true
    }

    fn item(&mut self, item: Node<'_>, begun: Option<Draft>, heard: &mut Heard) {
        let status = text(item, "status").unwrap_or_default();
        if !is_function_call(item) || status == "in_progress" {
            return;
        }
        let mut call = draft(item);
        let begun = begun.unwrap_or_default();
        call.id = call.id.or(begun.id);
        call.name = call.name.or(begun.name);
        if call.args.is_empty() {
            call.args = begun.args;
        }
        if status == "incomplete" {
            call.cut();
        }
        self.give(call, heard);
    }

    fn give(&mut self, draft: Draft, heard: &mut Heard) {
        let Some(id) = draft.id.clone() else {
            heard.problems.push("a function call without `call_id` is not run: it can't be answered".to_owned());
            return;
        };
        if self.given.contains(&id) {
            return;
        }
        if let Some(call) = draft.into_call(&id) {
            self.given.push(id, ());
            heard.calls.push(call);
        } else {
            heard.problems.push("a function call without a name is not run".to_owned());
        }
    }
}

/// Where in the output an event's item stands. The place is asked before the id: some servers change ids on the way.
fn place(event: Node<'_>) -> String {
    let index = event.get("output_index").filter(|index| !index.is_null()).map(|index| index.raw().to_owned());
    let id = || text(event, "item_id").or_else(|| object(event, "item").and_then(|item| text(item, "id")));
    index.or_else(|| id().map(std::borrow::Cow::into_owned)).unwrap_or_default()
}

fn draft(item: Node<'_>) -> Draft {
    Draft {
        id: text(item, "call_id").map(std::borrow::Cow::into_owned),
        name: text(item, "name").map(std::borrow::Cow::into_owned),
        args: arguments(item, "arguments"),
    }
}

fn is_function_call(item: Node<'_>) -> bool {
    text(item, "type").is_some_and(|kind| kind == "function_call")
}
