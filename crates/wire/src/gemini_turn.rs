//! Which of the function calls of one model turn are the same call. Gemini Live announces a call in `toolCall`, in the
//! model's content, or in both, with or without an id. Nothing here reads frames.

use super::draft::MAX_CALLS;
use super::{Call, Remembered, remembered};
use toolgate_json::canonical;

/// A function call as it stands in a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) args: String,
}

impl Seen {
    fn into_call(self, id: &str) -> Call {
        Call { id: id.into(), name: self.name, args: self.args }
    }

    /// A text that is equal for calls with equal names and arguments, whatever the order of their members.
    fn signature(&self) -> String {
        let args = canonical(&self.args).unwrap_or_else(|_| self.args.clone());
        serde_json::to_string(&[&self.name, &args]).unwrap_or_default()
    }
}

/// What came of a call in the model's content.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FromContent {
    /// It can run at once.
    Ready(Call),
    /// It waits for its `toolCall`, or is known already.
    Waits,
    /// No more can wait: it is not run.
    Full,
}

/// The calls of one turn.
#[derive(Debug)]
pub(super) struct Turn {
    /// Calls from content without an id, until `toolCall` or the turn's end says that they stand alone.
    held: Vec<(String, Seen)>,
    /// Ids that came in content first; `toolCall` repeats them.
    content_ids: Remembered<()>,
    /// Ids that came in `toolCall`; content repeats them. A second `toolCall` is no repetition: it wants an answer again.
    tool_call_ids: Remembered<()>,
    /// Signatures of calls that were passed on under the provider's id.
    numbered: Remembered<()>,
    /// Signature → made-up id of calls that were passed on without the provider's.
    unnumbered: Remembered<String>,
    /// Begins made-up ids, and how many there were.
    made_up: (String, u64),
}

impl Turn {
    pub(super) fn new(seed: &str) -> Self {
        Self {
            held: Vec::new(),
            content_ids: remembered(),
            tool_call_ids: remembered(),
            numbered: remembered(),
            unnumbered: remembered(),
            made_up: (format!("temp-{seed}"), 0),
        }
    }

    pub(super) fn in_content(&mut self, seen: Seen) -> FromContent {
        let signature = seen.signature();
        if let Some(id) = seen.id.clone() {
            if self.content_ids.contains(&id) || self.tool_call_ids.contains(&id) {
                return FromContent::Waits;
            }
            self.pass(signature);
            let call = seen.into_call(&id);
            self.content_ids.push(id, ());
            return FromContent::Ready(call);
        }
        let is_held = self.held.iter().any(|(held, _)| *held == signature);
        if is_held || self.numbered.contains(&signature) || self.unnumbered.contains(&signature) {
            return FromContent::Waits;
        }
        if self.held.len() >= MAX_CALLS {
            return FromContent::Full;
        }
        self.held.push((signature, seen));
        FromContent::Waits
    }

    /// The call with the made-up id under which it was passed on before; none where it was passed on under its own.
    pub(super) fn in_tool_call(&mut self, seen: Seen) -> Option<(Call, Option<String>)> {
        let signature = seen.signature();
        let Some(id) = seen.id.clone() else {
            self.held.retain(|(held, _)| *held != signature);
            let is_known = self.numbered.contains(&signature);
            return (!is_known).then(|| (self.number(signature, seen), None));
        };
        self.tool_call_ids.push(id.clone(), ());
        if self.content_ids.pop(&id).is_some() {
            return None;
        }
        let twin = self.unnumbered.pop(&signature);
        self.pass(signature);
        Some((seen.into_call(&id), twin))
    }

    pub(super) const fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// The held calls that no `toolCall` repeated, in their order, each with a made-up id.
    pub(super) fn release(&mut self) -> Vec<Call> {
        let held = std::mem::take(&mut self.held);
        held.into_iter().map(|(signature, seen)| self.number(signature, seen)).collect()
    }

    /// Forgets the turn. Held calls are dropped: after a barge-in nobody waits for them.
    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.content_ids.clear();
        self.tool_call_ids.clear();
        self.numbered.clear();
        self.unnumbered.clear();
    }

    fn pass(&mut self, signature: String) {
        self.held.retain(|(held, _)| *held != signature);
        self.numbered.push(signature, ());
    }

    /// Ids that hold `temp` are no idempotency keys: the gate then knows equal calls of a turn by their content.
    fn number(&mut self, signature: String, seen: Seen) -> Call {
        let (begin, count) = &mut self.made_up;
        *count += 1;
        let id = format!("{begin}-{count}");
        let call = seen.into_call(&id);
        self.unnumbered.push(signature, id);
        call
    }
}
