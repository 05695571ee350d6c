//! Anthropic's Messages API: whole messages and stream events → calls.
//!
//! The calls of a message are returned together, at its end: only then is the stop reason known, and their results must
//! be sent together. After `max_tokens` the last block may be truncated. The calls of a refused message are not run.
//!
//! Source: the Messages API's pages on streaming, on stop reasons and on handling tool calls.

use super::anthropic_content_blocks::ContentBlocks;
use super::frame::{array_elements, object_member, provider_error, string_member};
use super::partial_call::{MAX_CALLS, PartialCall, TRUNCATED_ARGUMENTS};
use super::{Frame, FrameReader, FrameResult, RecentMap, recent_map};
use toolgate_json::Node;

/// Stop reasons after which the last block may be incomplete.
const TRUNCATING_STOP_REASONS: [&str; 2] = ["max_tokens", "model_context_window_exceeded"];

/// The received part of a `tool_use` block.
#[derive(Debug)]
struct ToolUseBlock {
    index: String,
    call: PartialCall,
    /// The input at the start of the block: `{}` unless a server sends the complete input there.
    input: String,
    is_closed: bool,
}

/// Reads one conversation.
#[derive(Debug)]
pub struct AnthropicReader {
    /// The calls of the current message.
    tool_uses: Vec<ToolUseBlock>,
    /// All blocks of the current message.
    content: ContentBlocks,
    /// Whether the last block of the current message is a call.
    ends_with_call: bool,
    stop_reason: Option<String>,
    returned_ids: RecentMap<()>,
}

impl Default for AnthropicReader {
    fn default() -> Self {
        Self {
            tool_uses: Vec::new(),
            content: ContentBlocks::default(),
            ends_with_call: false,
            stop_reason: None,
            returned_ids: recent_map(),
        }
    }
}

impl FrameReader for AnthropicReader {
    fn read(&mut self, frame: &Frame) -> FrameResult {
        let event = frame.root();
        let mut result = FrameResult::default();
        match string_member(event, "type").as_deref() {
            Some("message_start") => self.begin_message(&mut result),
            Some("content_block_start") => self.open_block(event, &mut result),
            Some("content_block_delta") => self.append_delta(event),
            Some("content_block_stop") => self.close_block(event),
            Some("message_delta") => {
                let reason = object_member(event, "delta").and_then(|delta| string_member(delta, "stop_reason"));
                self.stop_reason = reason.map(std::borrow::Cow::into_owned).or(self.stop_reason.take());
            }
            Some("message_stop") => self.end_message(&mut result),
            Some("error") => {
                self.reset();
                result.problems.push(provider_error("the service reports an error", object_member(event, "error")));
            }
            Some("message") | None => self.read_message(event, &mut result),
            Some(_) => {}
        }
        result
    }
}

impl AnthropicReader {
    fn begin_message(&mut self, result: &mut FrameResult) {
        if !self.tool_uses.is_empty() {
            result
                .problems
                .push("a message began before `message_stop`: the calls of the last one are not run".to_owned());
        }
        self.reset();
    }

    fn reset(&mut self) {
        self.tool_uses.clear();
        self.content = ContentBlocks::default();
        self.ends_with_call = false;
        self.stop_reason = None;
    }

    fn open_block(&mut self, event: Node<'_>, result: &mut FrameResult) {
        if let Some(block) = object_member(event, "content_block") {
            self.content.open_block(block_index(event), block);
        }
        let block = object_member(event, "content_block").filter(|block| is_tool_use(*block));
        self.ends_with_call = block.is_some();
        let Some(block) = block else { return };
        if self.tool_uses.len() >= MAX_CALLS {
            result.problems.push(format!("a message with more than {MAX_CALLS} tool calls: one is not run"));
            return;
        }
        let (draft, input) = (call_without_arguments(block), raw_input(block));
        self.tool_uses.push(ToolUseBlock { index: block_index(event), call: draft, input, is_closed: false });
    }

    /// Appends a delta. Deltas of the service's own tools have the same form; they match no block here.
    fn append_delta(&mut self, event: Node<'_>) {
        let at = block_index(event);
        let Some(delta) = object_member(event, "delta") else { return };
        self.content.append_delta(&at, delta);
        let piece = string_member(delta, "partial_json");
        if let Some(block) = self.tool_uses.iter_mut().rfind(|block| block.index == at) {
            block.call.append(&piece.unwrap_or_default());
        }
    }

    fn close_block(&mut self, event: Node<'_>) {
        let at = block_index(event);
        if let Some(block) = self.tool_uses.iter_mut().rfind(|block| block.index == at) {
            block.is_closed = true;
        }
    }

    fn end_message(&mut self, result: &mut FrameResult) {
        let (mut blocks, reason) = (std::mem::take(&mut self.tool_uses), self.stop_reason.take());
        let is_cut = self.ends_with_call && is_truncating(reason.as_deref());
        if let Some(last) = blocks.last_mut() {
            last.is_closed &= !is_cut;
        }
        let drafts = blocks.into_iter().map(|block| {
            let mut draft = block.call;
            if !block.is_closed {
                draft.mark_truncated();
            }
            if draft.args.is_empty() {
                draft.args = block.input;
            }
            draft
        });
        let drafts = drafts.collect();
        let message = std::mem::take(&mut self.content);
        self.return_calls(drafts, message, reason.as_deref(), result);
        self.reset();
    }

    /// Reads a complete message. Even a truncated input is an object there, so it is replaced by [`CUT`].
    fn read_message(&mut self, message: Node<'_>, result: &mut FrameResult) {
        if let Some(error) = object_member(message, "error") {
            result.problems.push(provider_error("the service reports an error", Some(error)));
        }
        let reason = string_member(message, "stop_reason");
        let last = array_elements(message, "content").last().map(|block| block.index());
        let drafts = array_elements(message, "content").filter(|block| is_tool_use(*block)).map(|block| {
            let is_cut = is_truncating(reason.as_deref()) && Some(block.index()) == last;
            PartialCall {
                args: if is_cut { TRUNCATED_ARGUMENTS.to_owned() } else { raw_input(block) },
                ..call_without_arguments(block)
            }
        });
        let drafts = drafts.collect();
        let mut blocks = ContentBlocks::default();
        for block in array_elements(message, "content") {
            blocks.open_block(String::new(), block);
        }
        self.return_calls(drafts, blocks, reason.as_deref(), result);
    }

    fn return_calls(
        &mut self,
        drafts: Vec<PartialCall>,
        message: ContentBlocks,
        reason: Option<&str>,
        result: &mut FrameResult,
    ) {
        if reason == Some("refusal") && !drafts.is_empty() {
            result.problems.push("the model's message was refused: its tool calls are not run".to_owned());
            return;
        }
        for draft in drafts {
            let Some((id, call)) = draft.id.clone().and_then(|id| Some((id.clone(), draft.into_call(&id)?))) else {
                result.problems.push("a tool call without `id` or `name` is not run: it can't be answered".to_owned());
                continue;
            };
            if self.returned_ids.push(id, ()).is_none_or(|(forgotten, ())| forgotten != call.id.as_str()) {
                result.calls.push(call);
            }
        }
        if !result.calls.is_empty() {
            result.blocks = message.into_request_blocks(|id| result.calls.iter().any(|call| call.id.as_str() == id));
        }
    }
}

fn is_truncating(reason: Option<&str>) -> bool {
    reason.is_some_and(|reason| TRUNCATING_STOP_REASONS.contains(&reason))
}

fn is_tool_use(block: Node<'_>) -> bool {
    string_member(block, "type").is_some_and(|kind| kind == "tool_use")
}

fn block_index(event: Node<'_>) -> String {
    event.get("index").map(|index| index.raw().to_owned()).unwrap_or_default()
}

/// The id and the name of a call, without its arguments.
fn call_without_arguments(block: Node<'_>) -> PartialCall {
    let member = |key| string_member(block, key).map(std::borrow::Cow::into_owned);
    PartialCall { id: member("id"), name: member("name"), args: String::new() }
}

/// The raw input of a block. A string stays JSON text, so that the gate refuses it like every other non-object.
fn raw_input(block: Node<'_>) -> String {
    block.get("input").filter(|input| !input.is_null()).map(|input| input.raw().to_owned()).unwrap_or_default()
}
