//! Gemini Live: server messages → calls and cancellations, and under which id an answer goes back.
//!
//! Calls in `toolCall` run at once. The same call may also stand in the model's content: with an id it runs at once and its
//! repetition is dropped; without one it waits for a `toolCall` or the end of generation. Calls without an id get one that
//! the gate does not trust as a key; the provider never sees it.

use super::draft::MAX_CALLS;
use super::frame::{arguments, elements, object, text};
use super::gemini_turn::{FromContent, Seen, Turn};
use super::{Call, Frame, Heard, Reader, Remembered, remembered};
use toolgate_json::{Kind, Node};

/// How an answer goes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The call was cancelled: nothing is sent.
    Never,
    /// Under the provider's id.
    Under(String),
    /// Without an id: the provider gave none.
    WithoutId,
}

/// Reads one Live session.
#[derive(Debug)]
pub struct GeminiLive {
    turn: Turn,
    /// Made-up call id → the provider's, none while there is none. Gone once answered.
    unanswered: Remembered<Option<String>>,
    cancelled: Remembered<()>,
}

impl Reader for GeminiLive {
    fn read(&mut self, frame: &Frame) -> Heard {
        let message = frame.root();
        let mut heard = Heard::default();
        self.cancellations(message, &mut heard);
        let content = object(message, "serverContent");
        let says = |key| content.and_then(|content| content.get(key)).and_then(|value| value.as_bool()) == Some(true);
        let parts = content.and_then(|content| object(content, "modelTurn")).into_iter();
        for part in parts.flat_map(|turn| elements(turn, "parts")) {
            if let Some(call) = part.get("functionCall").and_then(|call| seen(call, &mut heard)) {
                self.in_content(call, &mut heard);
            }
        }
        if let Some(tool_call) = object(message, "toolCall") {
            for call in elements(tool_call, "functionCalls") {
                let call = seen(call, &mut heard).and_then(|call| self.in_tool_call(call));
                heard.calls.extend(call);
            }
            heard.calls.extend(self.release());
        }
        if says("interrupted") {
            self.turn.clear();
        }
        if says("generationComplete") || says("turnComplete") {
            heard.calls.extend(self.release());
        }
        if says("turnComplete") {
            self.turn.clear();
        }
        for call in &heard.calls {
            self.cancelled.pop(call.id.as_str());
        }
        heard
    }
}

impl GeminiLive {
    /// `seed` is in the ids of calls that come without one: no two sessions may have the same.
    #[must_use]
    pub fn new(seed: &str) -> Self {
        Self { turn: Turn::new(seed), unanswered: remembered(), cancelled: remembered() }
    }

    /// Whether a call without an id waits for its `toolCall`. A model that announces it nowhere else is waiting too.
    #[must_use]
    pub const fn holds(&self) -> bool {
        self.turn.holds()
    }

    /// The waiting calls, for a host that has waited long enough. A later `toolCall` of theirs runs nothing again.
    pub fn release(&mut self) -> Vec<Call> {
        let calls = self.turn.release();
        for call in &calls {
            self.unanswered.push(call.id.to_string(), None);
        }
        calls
    }

    /// How the answer to a call goes back; a call is answered once.
    pub fn answer(&mut self, call_id: &str) -> Answer {
        if self.cancelled.pop(call_id).is_some() {
            return Answer::Never;
        }
        match self.unanswered.pop(call_id) {
            Some(Some(id)) => Answer::Under(id),
            Some(None) => Answer::WithoutId,
            None => Answer::Under(call_id.to_owned()),
        }
    }

    fn cancellations(&mut self, message: Node<'_>, heard: &mut Heard) {
        let ids = object(message, "toolCallCancellation").into_iter().flat_map(|told| elements(told, "ids"));
        for id in ids.filter_map(|id| id.as_str()).filter(|id| !id.is_empty()) {
            let made_up = self.unanswered.iter().find(|(_, provider)| provider.as_deref() == Some(&*id));
            let id = made_up.map_or_else(|| id.to_string(), |(made_up, _)| made_up.clone());
            heard.cancelled.push(id.as_str().into());
            self.cancelled.push(id, ());
        }
    }

    fn in_content(&mut self, call: Seen, heard: &mut Heard) {
        match self.turn.in_content(call) {
            FromContent::Ready(call) => heard.calls.push(call),
            FromContent::Waits => {}
            FromContent::Full => {
                heard.problems.push(format!("more than {MAX_CALLS} function calls wait for their ids: one is not run"));
            }
        }
    }

    /// A twin of a call that waits for its answer needs no second run: the answer just gets the id.
    fn in_tool_call(&mut self, seen: Seen) -> Option<Call> {
        let id = seen.id.clone();
        let (mut call, twin) = self.turn.in_tool_call(seen)?;
        if id.is_none() {
            self.unanswered.push(call.id.to_string(), None);
        }
        if let Some(twin) = twin {
            let is_waiting = self.unanswered.contains(&twin);
            call.id = twin.as_str().into();
            self.unanswered.push(twin, id);
            return (!is_waiting).then_some(call);
        }
        Some(call)
    }
}

/// A function call, where it is one. Missing arguments are none.
fn seen(call: Node<'_>, heard: &mut Heard) -> Option<Seen> {
    if call.is_null() {
        return None;
    }
    let name = if call.kind() == Kind::Object { text(call, "name") } else { None };
    let Some(name) = name else {
        heard.problems.push("a function call without a name is not run".to_owned());
        return None;
    };
    let has_args = call.get("args").is_some_and(|args| !args.is_null());
    Some(Seen {
        id: text(call, "id").map(std::borrow::Cow::into_owned),
        name: name.into_owned(),
        args: if has_args { arguments(call, "args") } else { "{}".to_owned() },
    })
}
