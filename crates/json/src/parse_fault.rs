//! Creation of parse errors: the reason, and the JSON Pointer of the location.

use super::entry::Tag;
use super::error::{ParseError, ParseErrorKind, UnfinishedValue};
use super::parse::Parser;
use super::{pointer, string};

/// A parse error without its pointer, which the parser computes at the end.
pub(super) struct ParseFault {
    pub(super) kind: ParseErrorKind,
    pub(super) offset: usize,
    /// Whether the error is at a value (in an open array: the next element), not between two values.
    pub(super) at_value: bool,
}

/// Marks a failed parse. The parser holds the [`Fault`], which keeps the `Result` of every parse function small.
pub(super) struct ParseFailed(());

impl Parser<'_> {
    /// Records an unexpected character, or an incomplete text if the text ends here.
    #[cold]
    pub(super) fn unexpected(&mut self, at: usize, expected: &'static str, at_value: bool) -> ParseFailed {
        let found = self.text.get(at..).and_then(|rest| rest.chars().next());
        let kind = match found {
            Some(found) => ParseErrorKind::Syntax { expected, found },
            None => ParseErrorKind::Incomplete { within: self.unfinished_container() },
        };
        self.record_fault(kind, at, at_value)
    }

    #[cold]
    pub(super) fn incomplete(&mut self, within: UnfinishedValue) -> ParseFailed {
        self.record_fault(ParseErrorKind::Incomplete { within }, self.bytes.len(), true)
    }

    #[cold]
    pub(super) fn trailing(&mut self, at: usize) -> ParseFailed {
        self.record_fault(ParseErrorKind::TrailingText, at, false)
    }

    #[cold]
    pub(super) fn record_fault(&mut self, kind: ParseErrorKind, offset: usize, at_value: bool) -> ParseFailed {
        self.fault = Some(ParseFault { kind, offset, at_value });
        ParseFailed(())
    }

    fn unfinished_container(&self) -> UnfinishedValue {
        match self.entries.get(self.open as usize).map(|entry| entry.tag()) {
            Some(Tag::Object) => UnfinishedValue::Object,
            Some(_) => UnfinishedValue::Array,
            None => UnfinishedValue::Nothing,
        }
    }

    /// Adds the pointer: the path from the root through the open containers.
    pub(super) fn locate(&self, fault: ParseFault) -> ParseError {
        let mut containers = Vec::new();
        let mut index = self.open;
        while let Some(entry) = self.entries.get(index as usize) {
            containers.push(index);
            index = entry.next;
        }
        let mut pointer = String::new();
        while let Some(container) = containers.pop() {
            let child = containers.last().copied();
            self.push_child(&mut pointer, container, child, fault.at_value);
        }
        ParseError { kind: fault.kind, pointer, offset: fault.offset }
    }

    /// Appends the token from an open container to `child`, or to the value at the error if there is no child.
    fn push_child(&self, pointer: &mut String, container: u32, child: Option<u32>, at_value: bool) {
        let is_object = self.entries.get(container as usize).is_some_and(|entry| entry.tag() == Tag::Object);
        let mut position = 0;
        let mut index = container + 1;
        while let Some(entry) = self.entries.get(index as usize) {
            let value = if is_object { index + 1 } else { index };
            match self.entries.get(value as usize) {
                Some(done) if child != Some(value) => index = done.next,
                // The value is open, or only its name has been parsed.
                _ if is_object => {
                    let name = self.text.get(entry.start as usize..entry.end as usize).unwrap_or_default();
                    return pointer::push(pointer, &string::decode(name));
                }
                _ => return pointer::push_index(pointer, position),
            }
            position += 1;
        }
        if !is_object && at_value {
            pointer::push_index(pointer, position);
        }
    }
}
