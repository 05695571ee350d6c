//! Anthropic's Messages API: whole messages and stream events → calls.
//!
//! The calls of a message come together, when it is over: only then is known why it ended, and their results go back
//! together as well. After `max_tokens` the last block may be cut. A refused message runs nothing.
//!
//! Source: the Messages API's pages on streaming, on stop reasons and on handling tool calls.

use super::anthropic_blocks::Blocks;
use super::draft::{CUT, Draft, MAX_CALLS};
use super::frame::{elements, object, provider_error, text};
use super::{Frame, Heard, Reader, Remembered, remembered};
use toolgate_json::Node;

/// Stop reasons after which the last block may be incomplete.
const CUT_SHORT: [&str; 2] = ["max_tokens", "model_context_window_exceeded"];

/// A tool call that is being written.
#[derive(Debug)]
struct Block {
    index: String,
    draft: Draft,
    /// The input that stood in the block when it began: `{}` unless a server sends it whole.
    input: String,
    is_closed: bool,
}

/// Reads one conversation.
#[derive(Debug)]
pub struct Anthropic {
    /// Its calls.
    blocks: Vec<Block>,
    /// All that the message holds.
    message: Blocks,
    /// Whether the block that began last is a call.
    ends_with_call: bool,
    stop_reason: Option<String>,
    given: Remembered<()>,
}

impl Default for Anthropic {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            message: Blocks::default(),
            ends_with_call: false,
            stop_reason: None,
            given: remembered(),
        }
    }
}

impl Reader for Anthropic {
    fn read(&mut self, frame: &Frame) -> Heard {
        let event = frame.root();
        let mut heard = Heard::default();
        match text(event, "type").as_deref() {
            Some("message_start") => self.begin(&mut heard),
            Some("content_block_start") => self.open(event, &mut heard),
            Some("content_block_delta") => self.piece(event),
            Some("content_block_stop") => self.close(event),
            Some("message_delta") => {
                let reason = object(event, "delta").and_then(|delta| text(delta, "stop_reason"));
                self.stop_reason = reason.map(std::borrow::Cow::into_owned).or(self.stop_reason.take());
            }
            Some("message_stop") => self.end(&mut heard),
            Some("error") => {
                self.forget();
                heard.problems.push(provider_error("the service reports an error", object(event, "error")));
            }
            Some("message") | None => self.message(event, &mut heard),
            Some(_) => {}
        }
        heard
    }
}

impl Anthropic {
    fn begin(&mut self, heard: &mut Heard) {
        if !self.blocks.is_empty() {
            heard
                .problems
                .push("a message began before `message_stop`: the calls of the last one are not run".to_owned());
        }
        self.forget();
    }

    fn forget(&mut self) {
        self.blocks.clear();
        self.message = Blocks::default();
        self.ends_with_call = false;
        self.stop_reason = None;
    }

    fn open(&mut self, event: Node<'_>, heard: &mut Heard) {
        if let Some(block) = object(event, "content_block") {
            self.message.open(index(event), block);
        }
        let block = object(event, "content_block").filter(|block| is_tool_use(*block));
        self.ends_with_call = block.is_some();
        let Some(block) = block else { return };
        if self.blocks.len() >= MAX_CALLS {
            heard.problems.push(format!("a message with more than {MAX_CALLS} tool calls: one is not run"));
            return;
        }
        let (draft, input) = (named(block), input(block));
        self.blocks.push(Block { index: index(event), draft, input, is_closed: false });
    }

    /// Blocks of the service's own tools are written in the same way; they are not ours.
    fn piece(&mut self, event: Node<'_>) {
        let at = index(event);
        let Some(delta) = object(event, "delta") else { return };
        self.message.piece(&at, delta);
        let piece = text(delta, "partial_json");
        if let Some(block) = self.blocks.iter_mut().rfind(|block| block.index == at) {
            block.draft.push(&piece.unwrap_or_default());
        }
    }

    fn close(&mut self, event: Node<'_>) {
        let at = index(event);
        if let Some(block) = self.blocks.iter_mut().rfind(|block| block.index == at) {
            block.is_closed = true;
        }
    }

    fn end(&mut self, heard: &mut Heard) {
        let (mut blocks, reason) = (std::mem::take(&mut self.blocks), self.stop_reason.take());
        let is_cut = self.ends_with_call && cuts(reason.as_deref());
        if let Some(last) = blocks.last_mut() {
            last.is_closed &= !is_cut;
        }
        let drafts = blocks.into_iter().map(|block| {
            let mut draft = block.draft;
            if !block.is_closed {
                draft.cut();
            }
            if draft.args.is_empty() {
                draft.args = block.input;
            }
            draft
        });
        let drafts = drafts.collect();
        let message = std::mem::take(&mut self.message);
        self.give(drafts, message, reason.as_deref(), heard);
        self.forget();
    }

    /// A message that came whole. Its inputs are objects, also the one that was cut: so that one is marked as cut.
    fn message(&mut self, message: Node<'_>, heard: &mut Heard) {
        if let Some(error) = object(message, "error") {
            heard.problems.push(provider_error("the service reports an error", Some(error)));
        }
        let reason = text(message, "stop_reason");
        let last = elements(message, "content").last().map(|block| block.index());
        let drafts = elements(message, "content").filter(|block| is_tool_use(*block)).map(|block| {
            let is_cut = cuts(reason.as_deref()) && Some(block.index()) == last;
            Draft { args: if is_cut { CUT.to_owned() } else { input(block) }, ..named(block) }
        });
        let drafts = drafts.collect();
        let mut blocks = Blocks::default();
        for block in elements(message, "content") {
            blocks.open(String::new(), block);
        }
        self.give(drafts, blocks, reason.as_deref(), heard);
    }

    fn give(&mut self, drafts: Vec<Draft>, message: Blocks, reason: Option<&str>, heard: &mut Heard) {
        if reason == Some("refusal") && !drafts.is_empty() {
            heard.problems.push("the model's message was refused: its tool calls are not run".to_owned());
            return;
        }
        for draft in drafts {
            let Some((id, call)) = draft.id.clone().and_then(|id| Some((id.clone(), draft.into_call(&id)?))) else {
                heard.problems.push("a tool call without `id` or `name` is not run: it can't be answered".to_owned());
                continue;
            };
            if self.given.push(id, ()).is_none_or(|(forgotten, ())| forgotten != call.id.as_str()) {
                heard.calls.push(call);
            }
        }
        if !heard.calls.is_empty() {
            heard.blocks = message.told(|id| heard.calls.iter().any(|call| call.id.as_str() == id));
        }
    }
}

fn cuts(reason: Option<&str>) -> bool {
    reason.is_some_and(|reason| CUT_SHORT.contains(&reason))
}

fn is_tool_use(block: Node<'_>) -> bool {
    text(block, "type").is_some_and(|kind| kind == "tool_use")
}

fn index(event: Node<'_>) -> String {
    event.get("index").map(|index| index.raw().to_owned()).unwrap_or_default()
}

/// A call without its arguments.
fn named(block: Node<'_>) -> Draft {
    let member = |key| text(block, key).map(std::borrow::Cow::into_owned);
    Draft { id: member("id"), name: member("name"), args: String::new() }
}

/// The input as it stands in the frame. A text is kept as JSON text, so that it is refused like every other non-object.
fn input(block: Node<'_>) -> String {
    block.get("input").filter(|input| !input.is_null()).map(|input| input.raw().to_owned()).unwrap_or_default()
}
