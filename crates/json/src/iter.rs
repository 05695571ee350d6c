//! Walking what arrays and objects hold, in document order.

use std::borrow::Cow;

use super::entry::Tag;
use super::{Node, Tape};

/// Walks what a container holds.
#[derive(Debug, Clone)]
struct Cursor<'t> {
    tape: &'t Tape,
    next: u32,
    end: u32,
}

impl<'t> Cursor<'t> {
    /// What `node` holds, where it is a container of that kind; else nothing.
    fn inside(node: Node<'t>, container: Tag) -> Self {
        let entry = node.entry();
        let end = if entry.tag() == container { entry.next } else { 0 };
        Self { tape: node.tape(), next: node.index() + 1, end }
    }

    /// The node here; goes on behind what `skip` entries from here holds.
    fn step(&mut self, skip: u32) -> Option<Node<'t>> {
        if self.next >= self.end {
            return None;
        }
        let node = Node::new(self.tape, self.next);
        self.next = self.tape.entry(self.next + skip).next;
        Some(node)
    }
}

/// Keys and values of an object, keys as nodes.
#[derive(Debug, Clone)]
pub struct MemberNodes<'t> {
    cursor: Cursor<'t>,
}

impl<'t> MemberNodes<'t> {
    pub(super) fn of(object: Node<'t>) -> Self {
        Self { cursor: Cursor::inside(object, Tag::Object) }
    }
}

impl<'t> Iterator for MemberNodes<'t> {
    type Item = (Node<'t>, Node<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.cursor.step(1)?;
        Some((key, key.following()))
    }
}

/// Names and values of an object, in document order.
#[derive(Debug, Clone)]
pub struct Members<'t> {
    object: Node<'t>,
    nodes: MemberNodes<'t>,
}

impl<'t> Members<'t> {
    pub(super) fn of(object: Node<'t>) -> Self {
        Self { object, nodes: MemberNodes::of(object) }
    }

    /// The object that the members are of.
    pub const fn container(&self) -> Node<'t> {
        self.object
    }
}

impl<'t> Iterator for Members<'t> {
    type Item = (Cow<'t, str>, Node<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.nodes.next()?;
        Some((key.as_str().unwrap_or_default(), value))
    }
}

/// Elements of an array, in order.
#[derive(Debug, Clone)]
pub struct Elements<'t> {
    array: Node<'t>,
    cursor: Cursor<'t>,
}

impl<'t> Elements<'t> {
    pub(super) fn of(array: Node<'t>) -> Self {
        Self { array, cursor: Cursor::inside(array, Tag::Array) }
    }

    /// The array that the elements are of.
    pub const fn container(&self) -> Node<'t> {
        self.array
    }
}

impl<'t> Iterator for Elements<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        self.cursor.step(0)
    }
}
