//! `OpenAI` Chat Completions: whole messages and streamed chunks → calls.
//!
//! Works on what the service sends and on the same JSON from any compatible server. A chunk's pieces are put together by
//! index; the calls of a message come together, when the finish reason arrives.

use std::collections::HashMap;

use super::draft::{Draft, MAX_CALLS};
use super::frame::{arguments, elements, object, provider_error, text};
use super::{Heard, Message};
use toolgate_json::Node;

/// Finish reasons after which the last call may be incomplete.
const CUT_SHORT: [&str; 2] = ["length", "content_filter"];

/// One conversation.
#[derive(Debug)]
pub(super) struct Chat {
    pieces: Pieces,
    /// Begins the ids of calls that came without one, and how many there were.
    made_up: (String, u64),
}

/// One assistant message, as far as its chunks have come.
#[derive(Debug, Default)]
struct Pieces {
    by_index: HashMap<String, usize>,
    drafts: Vec<Draft>,
    content: Draft,
    is_full: bool,
}

impl Chat {
    pub(super) fn new(seed: &str) -> Self {
        Self { pieces: Pieces::default(), made_up: (format!("temp-{seed}"), 0) }
    }

    /// Takes a completion, a chunk of one, or an assistant message.
    pub(super) fn read(&mut self, frame: Node<'_>) -> Heard {
        let mut heard = Heard::default();
        if let Some(error) = object(frame, "error") {
            heard.problems.push(provider_error("the service reports an error", Some(error)));
        }
        let choice = elements(frame, "choices").next();
        let finish = choice.and_then(|choice| text(choice, "finish_reason"));
        if let Some(delta) = choice.and_then(|choice| choice.get("delta")) {
            self.pieces.add(delta);
            if let Some(finish) = finish {
                let Pieces { drafts, content, is_full, .. } = std::mem::take(&mut self.pieces);
                self.give(drafts, is_full, content.args, Some(&finish), &mut heard);
            }
            return heard;
        }
        let message = choice.and_then(|choice| choice.get("message")).unwrap_or(frame);
        let drafts: Vec<Draft> = elements(message, "tool_calls").map(whole).collect();
        let content = text(message, "content").unwrap_or_default().into_owned();
        self.give(drafts, false, content, finish.as_deref(), &mut heard);
        heard
    }

    fn give(&mut self, drafts: Vec<Draft>, is_full: bool, content: String, finish: Option<&str>, heard: &mut Heard) {
        let came = drafts.len();
        let mut drafts: Vec<Draft> = drafts.into_iter().filter(|draft| draft.name.is_some()).collect();
        if drafts.len() < came {
            heard.problems.push(format!("{} tool calls without a name are not run", came - drafts.len()));
        }
        if is_full {
            heard.problems.push(format!("a message with more than {MAX_CALLS} tool calls: the others are not run"));
        }
        if let Some(last) = drafts.last_mut()
            && finish.is_some_and(|finish| CUT_SHORT.contains(&finish))
        {
            last.cut();
        }
        for draft in drafts {
            let id = draft.id.clone().unwrap_or_else(|| self.make_up());
            heard.calls.extend(draft.into_call(&id));
        }
        if !heard.calls.is_empty() {
            heard.message = Some(Message { content: Some(content).filter(|content| !content.is_empty()) });
        }
    }

    /// Ids that hold `temp` are no idempotency keys: the gate then knows equal calls of a turn by their content.
    fn make_up(&mut self) -> String {
        let (seed, count) = &mut self.made_up;
        *count += 1;
        format!("{seed}-{count}")
    }
}

impl Pieces {
    fn add(&mut self, delta: Node<'_>) {
        if let Some(content) = text(delta, "content") {
            self.content.push(&content);
        }
        for piece in elements(delta, "tool_calls") {
            let index = piece.get("index").map(|index| index.raw().to_owned()).unwrap_or_default();
            let id = text(piece, "id").map(std::borrow::Cow::into_owned);
            let Some(draft) = self.draft(index, id.as_deref()) else {
                self.is_full = true;
                continue;
            };
            draft.id = draft.id.take().or(id);
            if let Some(called) = object(piece, "function") {
                draft.name = draft.name.take().or_else(|| text(called, "name").map(std::borrow::Cow::into_owned));
                draft.push(&text(called, "arguments").unwrap_or_default());
            }
        }
    }

    /// Compatible servers send whole calls without an index, or all under the same one: a new id is a new call.
    fn draft(&mut self, index: String, id: Option<&str>) -> Option<&mut Draft> {
        let known = self.by_index.get(&index).copied().filter(|at| {
            let known = self.drafts.get(*at).and_then(|draft| draft.id.as_deref());
            id.is_none() || known.is_none() || id == known
        });
        let at = match known {
            Some(at) => at,
            None if self.drafts.len() < MAX_CALLS => {
                self.by_index.insert(index, self.drafts.len());
                self.drafts.push(Draft::default());
                self.drafts.len() - 1
            }
            None => return None,
        };
        self.drafts.get_mut(at)
    }
}

fn whole(call: Node<'_>) -> Draft {
    let called = object(call, "function");
    Draft {
        id: text(call, "id").map(std::borrow::Cow::into_owned),
        name: called.and_then(|called| text(called, "name")).map(std::borrow::Cow::into_owned),
        args: called.map(|called| arguments(called, "arguments")).unwrap_or_default(),
    }
}
