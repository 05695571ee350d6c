//! Where the parser stopped, and what it says about that.

use super::entry::Tag;
use super::error::{ParseError, ParseErrorKind, Within};
use super::parse::Parser;
use super::{pointer, string};

/// An error without its pointer, which only the parser can tell.
pub(super) struct Fault {
    pub(super) kind: ParseErrorKind,
    pub(super) offset: usize,
    /// Whether it is at a value (of the open array: the next one), not between two.
    pub(super) at_value: bool,
}

/// A fault was found, and noted in the parser: what is handed up at every step of the way is no larger than it must be.
pub(super) struct Faulty(());

impl Parser<'_> {
    /// The character here cannot stand here; where there is none, the text ends too early.
    #[cold]
    pub(super) fn unexpected(&mut self, at: usize, expected: &'static str, at_value: bool) -> Faulty {
        let found = self.text.get(at..).and_then(|rest| rest.chars().next());
        let kind = match found {
            Some(found) => ParseErrorKind::Syntax { expected, found },
            None => ParseErrorKind::Incomplete { within: self.within() },
        };
        self.note(kind, at, at_value)
    }

    #[cold]
    pub(super) fn incomplete(&mut self, within: Within) -> Faulty {
        self.note(ParseErrorKind::Incomplete { within }, self.bytes.len(), true)
    }

    #[cold]
    pub(super) fn trailing(&mut self, at: usize) -> Faulty {
        self.note(ParseErrorKind::Trailing, at, false)
    }

    #[cold]
    pub(super) fn note(&mut self, kind: ParseErrorKind, offset: usize, at_value: bool) -> Faulty {
        self.fault = Some(Fault { kind, offset, at_value });
        Faulty(())
    }

    fn within(&self) -> Within {
        match self.entries.get(self.open as usize).map(|entry| entry.tag()) {
            Some(Tag::Object) => Within::Object,
            Some(_) => Within::Array,
            None => Within::Nothing,
        }
    }

    /// Adds where the fault is: the way from the root into the containers that were open.
    pub(super) fn locate(&self, fault: Fault) -> ParseError {
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

    /// Appends the token that leads from an open container to `child`, or to what is being read where there is none.
    fn push_child(&self, pointer: &mut String, container: u32, child: Option<u32>, at_value: bool) {
        let is_object = self.entries.get(container as usize).is_some_and(|entry| entry.tag() == Tag::Object);
        let mut position = 0;
        let mut index = container + 1;
        while let Some(entry) = self.entries.get(index as usize) {
            let value = if is_object { index + 1 } else { index };
            match self.entries.get(value as usize) {
                Some(done) if child != Some(value) => index = done.next,
                // The value is open, or its name is read and it is not.
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
