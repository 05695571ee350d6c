//! An Anthropic message as the next request has to repeat it before the results: all of its blocks, put together from a
//! stream's pieces. A thinking block goes back as it came, signature and all, or the service refuses the request.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::draft::{Draft, MAX_CALLS};
use super::frame::text;
use toolgate_json::{Kind, Node, Tape, write_string};

/// More blocks than this are no message that anybody repeats.
const MAX_BLOCKS: usize = 4 * MAX_CALLS;

/// A JSON value as its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw(String);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match RawValue::from_string(self.0.clone()) {
            Ok(raw) => raw.serialize(serializer),
            // It was read as JSON before; whatever serde minds of it must not cost the calls beside it.
            Err(_) => serializer.serialize_unit(),
        }
    }
}

/// One block of a message, as far as its pieces have come.
#[derive(Debug)]
struct Block {
    index: String,
    /// The block as it began: name and JSON text of each member.
    members: Vec<(String, String)>,
    /// Texts that go on: a member's name and its pieces.
    texts: Vec<(&'static str, Draft)>,
    /// The input of a call, JSON text in pieces.
    input: Draft,
    citations: Vec<String>,
}

/// A message's blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    /// There were more than anybody repeats.
    is_full: bool,
}

impl Blocks {
    pub(super) fn open(&mut self, index: String, block: Node<'_>) {
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.push(Block::of(index, block));
        } else {
            self.is_full = true;
        }
    }

    pub(super) fn piece(&mut self, index: &str, delta: Node<'_>) {
        let Some(block) = self.blocks.iter_mut().rfind(|block| block.index == index) else { return };
        for name in ["text", "thinking", "signature"] {
            if let Some(piece) = text(delta, name) {
                block.go_on(name, &piece);
            }
        }
        if let Some(json) = text(delta, "partial_json") {
            block.input.push(&json);
        }
        if block.citations.len() < MAX_BLOCKS {
            block.citations.extend(delta.get("citation").map(|citation| citation.raw().to_owned()));
        }
    }

    /// The blocks as they go back; of the calls those with these ids, for the others have no result. `None` where there
    /// were too many.
    pub(super) fn told(self, is_answered: impl Fn(&str) -> bool) -> Option<Vec<Raw>> {
        let Self { blocks, is_full } = self;
        let kept = blocks.into_iter().filter(|block| match block.member("type").as_deref() {
            Some("tool_use") => block.member("id").is_some_and(|id| is_answered(&id)),
            // The service takes no text back that is empty.
            Some("text") => block.member("text").is_some() || !block.texts.is_empty(),
            _ => true,
        });
        let told: Vec<Raw> = kept.map(Block::into_raw).collect();
        (!is_full).then_some(told)
    }
}

impl Block {
    fn of(index: String, block: Node<'_>) -> Self {
        let members = block.members().map(|(name, value)| (name.into_owned(), value.raw().to_owned())).collect();
        Self { index, members, texts: Vec::new(), input: Draft::default(), citations: Vec::new() }
    }

    /// A member that is a text, and not an empty one.
    fn member(&self, name: &str) -> Option<String> {
        let (_, raw) = self.members.iter().find(|(known, _)| known == name)?;
        serde_json::from_str(raw).ok().filter(|text: &String| !text.is_empty())
    }

    /// A text goes on.
    fn go_on(&mut self, name: &'static str, piece: &str) {
        if let Some((_, text)) = self.texts.iter_mut().find(|(known, _)| *known == name) {
            return text.push(piece);
        }
        let mut text = Draft { args: self.member(name).unwrap_or_default(), ..Draft::default() };
        text.push(piece);
        self.texts.push((name, text));
    }

    fn set(&mut self, name: &str, raw: String) {
        match self.members.iter_mut().find(|(known, _)| known == name) {
            Some((_, value)) => *value = raw,
            None => self.members.push((name.to_owned(), raw)),
        }
    }

    fn into_raw(mut self) -> Raw {
        for (name, text) in std::mem::take(&mut self.texts) {
            self.set(name, quoted(&text.args));
        }
        if !self.citations.is_empty() {
            let citations = format!("[{}]", self.citations.join(","));
            self.set("citations", citations);
        }
        if self.members.iter().any(|(name, _)| name == "input") {
            // The service takes an object back and nothing else; what was wrong with it, the call's result says.
            let begun = self.members.iter().find(|(name, _)| name == "input").map(|(_, raw)| raw.clone());
            let input = if self.input.args.is_empty() { begun.unwrap_or_default() } else { self.input.args.clone() };
            self.set("input", if is_object(&input) { input } else { "{}".to_owned() });
        }
        let members: Vec<String> = self.members.iter().map(|(name, raw)| format!("{}:{raw}", quoted(name))).collect();
        Raw(format!("{{{}}}", members.join(",")))
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    write_string(&mut quoted, text);
    quoted
}

fn is_object(text: &str) -> bool {
    Tape::parse(text, &super::frame::LIMITS).is_ok_and(|tape| tape.root().kind() == Kind::Object)
}
