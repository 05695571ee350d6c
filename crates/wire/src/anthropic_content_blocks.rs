//! The blocks of an Anthropic message, joined from a stream's deltas, as the next request must repeat them before the
//! results. A thinking block must be repeated unchanged, with its signature, or the service refuses the request.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::frame::string_member;
use super::partial_call::{MAX_CALLS, PartialCall};
use toolgate_json::{Kind, Node, Tape, write_string};

/// Maximum number of blocks in a message that is repeated.
const MAX_BLOCKS: usize = 4 * MAX_CALLS;

/// A JSON value as its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawBlock(String);

impl Serialize for RawBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match RawValue::from_string(self.0.clone()) {
            Ok(raw) => raw.serialize(serializer),
            // The text has been parsed before; an error of serde must not lose the calls of the same result.
            Err(_) => serializer.serialize_unit(),
        }
    }
}

/// The received part of a block.
#[derive(Debug)]
struct ContentBlock {
    index: String,
    /// The members at the start of the block: name and JSON text.
    members: Vec<(String, String)>,
    /// Strings that deltas extend: the member's name and the collected text.
    texts: Vec<(&'static str, PartialCall)>,
    /// The input of a call, JSON text collected from deltas.
    input: PartialCall,
    citations: Vec<String>,
}

/// The blocks of a message.
#[derive(Debug, Default)]
pub(super) struct ContentBlocks {
    blocks: Vec<ContentBlock>,
    /// Whether the message has more than [`MAX_BLOCKS`] blocks.
    is_full: bool,
}

impl ContentBlocks {
    pub(super) fn open_block(&mut self, index: String, block: Node<'_>) {
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.push(ContentBlock::new(index, block));
        } else {
            self.is_full = true;
        }
    }

    pub(super) fn append_delta(&mut self, index: &str, delta: Node<'_>) {
        let Some(block) = self.blocks.iter_mut().rfind(|block| block.index == index) else { return };
        for name in ["text", "thinking", "signature"] {
            if let Some(piece) = string_member(delta, name) {
                block.append_text(name, &piece);
            }
        }
        if let Some(json) = string_member(delta, "partial_json") {
            block.input.append(&json);
        }
        if block.citations.len() < MAX_BLOCKS {
            block.citations.extend(delta.get("citation").map(|citation| citation.raw().to_owned()));
        }
    }

    /// Returns the blocks for the next request. Calls without a result are omitted. `None` if there are too many
    /// blocks.
    pub(super) fn into_request_blocks(self, is_answered: impl Fn(&str) -> bool) -> Option<Vec<RawBlock>> {
        let Self { blocks, is_full } = self;
        let kept = blocks.into_iter().filter(|block| match block.string_member("type").as_deref() {
            Some("tool_use") => block.string_member("id").is_some_and(|id| is_answered(&id)),
            // The service refuses an empty text block.
            Some("text") => block.string_member("text").is_some() || !block.texts.is_empty(),
            _ => true,
        });
        let repeated: Vec<RawBlock> = kept.map(ContentBlock::into_raw).collect();
        (!is_full).then_some(repeated)
    }
}

impl ContentBlock {
    fn new(index: String, block: Node<'_>) -> Self {
        let members = block.members().map(|(name, value)| (name.into_owned(), value.raw().to_owned())).collect();
        Self { index, members, texts: Vec::new(), input: PartialCall::default(), citations: Vec::new() }
    }

    /// The value of a nonempty string member.
    fn string_member(&self, name: &str) -> Option<String> {
        let (_, raw) = self.members.iter().find(|(known, _)| known == name)?;
        serde_json::from_str(raw).ok().filter(|text: &String| !text.is_empty())
    }

    /// Appends to a string member.
    fn append_text(&mut self, name: &'static str, piece: &str) {
        if let Some((_, text)) = self.texts.iter_mut().find(|(known, _)| *known == name) {
            return text.append(piece);
        }
        let mut text = PartialCall { args: self.string_member(name).unwrap_or_default(), ..PartialCall::default() };
        text.append(piece);
        self.texts.push((name, text));
    }

    fn set_member(&mut self, name: &str, raw: String) {
        match self.members.iter_mut().find(|(known, _)| known == name) {
            Some((_, value)) => *value = raw,
            None => self.members.push((name.to_owned(), raw)),
        }
    }

    fn into_raw(mut self) -> RawBlock {
        for (name, text) in std::mem::take(&mut self.texts) {
            self.set_member(name, json_quoted(&text.args));
        }
        if !self.citations.is_empty() {
            let citations = format!("[{}]", self.citations.join(","));
            self.set_member("citations", citations);
        }
        if self.members.iter().any(|(name, _)| name == "input") {
            // The service accepts only an object; the call's result reports the error in the input.
            let begun = self.members.iter().find(|(name, _)| name == "input").map(|(_, raw)| raw.clone());
            let input = if self.input.args.is_empty() { begun.unwrap_or_default() } else { self.input.args.clone() };
            self.set_member("input", if is_object(&input) { input } else { "{}".to_owned() });
        }
        let members: Vec<String> =
            self.members.iter().map(|(name, raw)| format!("{}:{raw}", json_quoted(name))).collect();
        RawBlock(format!("{{{}}}", members.join(",")))
    }
}

fn json_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    write_string(&mut quoted, text);
    quoted
}

fn is_object(text: &str) -> bool {
    Tape::parse(text, &super::frame::FRAME_LIMITS).is_ok_and(|tape| tape.root().kind() == Kind::Object)
}
