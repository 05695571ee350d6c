//! Iterators over the contents of arrays and objects, in document order.

use std::borrow::Cow;

use super::entry::Tag;
use super::{Node, Tape};

/// Iterates over the contents of a container.
#[derive(Debug, Clone)]
struct ChildCursor<'t> {
    tape: &'t Tape,
    next: u32,
    end: u32,
}

impl<'t> ChildCursor<'t> {
    /// The contents of `node` if it is a container of that type; else nothing.
    fn new(node: Node<'t>, container: Tag) -> Self {
        let entry = node.entry();
        let end = if entry.tag() == container { entry.next } else { 0 };
        Self { tape: node.tape(), next: node.index() + 1, end }
    }

    /// Returns the current node and advances past the value `skip` entries after it.
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
    cursor: ChildCursor<'t>,
}

impl<'t> MemberNodes<'t> {
    pub(super) fn new(object: Node<'t>) -> Self {
        Self { cursor: ChildCursor::new(object, Tag::Object) }
    }
}

impl<'t> Iterator for MemberNodes<'t> {
    type Item = (Node<'t>, Node<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.cursor.step(1)?;
        Some((key, key.value_of_key()))
    }
}

/// Names and values of an object, in document order.
#[derive(Debug, Clone)]
pub struct Members<'t> {
    object: Node<'t>,
    nodes: MemberNodes<'t>,
}

impl<'t> Members<'t> {
    pub(super) fn new(object: Node<'t>) -> Self {
        Self { object, nodes: MemberNodes::new(object) }
    }

    /// The object that contains the members.
    #[must_use]
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
    cursor: ChildCursor<'t>,
}

impl<'t> Elements<'t> {
    pub(super) fn new(array: Node<'t>) -> Self {
        Self { array, cursor: ChildCursor::new(array, Tag::Array) }
    }

    /// The array that contains the elements.
    #[must_use]
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
