//! Completing arguments that are valid but for the defaults that they lack, and clamping their numbers.

use super::check::{GaveUp, Walk};
use super::{Quick, Untold};
use crate::complete::{Clamp, Clamped, Completed, clamped};
use crate::edit::members_text;
use crate::proven::Proven;
use toolgate_json::{Edit, Kind, Limits, Node, Tape, pointer};

/// A default that an object lacks.
pub(super) struct Fill<'q, 't> {
    pub(super) object: Node<'t>,
    /// Its last member.
    pub(super) last: Option<Node<'t>>,
    pub(super) name: &'q str,
    pub(super) text: &'q str,
}

#[derive(Default)]
struct Changes {
    edits: Vec<Edit>,
    defaulted: Vec<String>,
    clamped: Vec<Clamped>,
}

impl Quick {
    /// Completes arguments that are certainly valid when they are complete.
    ///
    /// # Errors
    /// The arguments as they came, where that is not known.
    pub(crate) fn complete(&self, tape: Tape, clamps: &[Clamp]) -> Result<Completed, Untold> {
        let Changes { edits, defaulted, clamped } = match self.changes(&tape, clamps) {
            Ok(changes) => changes,
            Err(GaveUp { proven, lacks_default }) => return Err(Untold { tape, proven, lacks_default }),
        };
        if edits.is_empty() {
            return Ok(Completed::unchanged(tape));
        }
        // A default is valid where it stands; a largest value may be one that the schema refuses.
        let edited = tape.edited(edits).filter(|tape| clamped.is_empty() || self.check(tape.root()).is_some());
        edited.map(|tape| Completed { tape, changed: true, defaulted, clamped }).ok_or_else(|| Untold {
            tape,
            proven: Proven::default(),
            lacks_default: false,
        })
    }

    fn changes(&self, tape: &Tape, clamps: &[Clamp]) -> Result<Changes, GaveUp> {
        let mut fills = Walk::fills(self, tape)?;
        // Containers before what they hold; in each, the order of the schema stays.
        fills.sort_by_key(|fill| fill.object.index());
        let mut changes = Changes::default();
        for of_object in fills.chunk_by(|one, other| one.object.index() == other.object.index()) {
            changes.fill(of_object, clamps);
        }
        changes.clamp(tape.root(), clamps);
        let mut telling = Telling { fills: &fills, path: String::new(), told: Vec::new() };
        telling.tell(tape.root());
        changes.defaulted = telling.told;
        Ok(changes)
    }
}

impl Changes {
    /// Adds what one object lacks.
    fn fill(&mut self, fills: &[Fill<'_, '_>], clamps: &[Clamp]) {
        let Some(Fill { object, last, .. }) = fills.first() else { return };
        let is_root = object.index() == 0;
        let mut members = Vec::with_capacity(fills.len());
        for Fill { name, text, .. } in fills {
            let clamped = if is_root { self.clamped_default(name, text, clamps) } else { None };
            members.push((*name, clamped.unwrap_or_else(|| (*text).to_owned())));
        }
        let start = last.map_or(object.span().0 + 1, |last| last.span().1);
        self.edits.push(Edit::add_members(start, members_text(&members, last.is_some())));
    }

    fn clamped_default(&mut self, name: &str, text: &str, clamps: &[Clamp]) -> Option<String> {
        if clamps.is_empty() {
            return None;
        }
        let tape = Tape::parse(text, &Limits::widest()).ok()?;
        let (text, record) = clamped(clamps, name, tape.root())?;
        self.clamped.push(record);
        Some(text)
    }

    fn clamp(&mut self, root: Node<'_>, clamps: &[Clamp]) {
        if clamps.is_empty() {
            return;
        }
        for (key, value) in root.member_nodes().filter(|(_, value)| value.kind() == Kind::Number) {
            if let Some((text, record)) = clamped(clamps, &key.as_str().unwrap_or_default(), value) {
                self.edits.push(Edit::replace(value, text));
                self.clamped.push(record);
            }
        }
    }
}

/// Finds the JSON Pointers of what is filled in, in one walk along the way to it.
struct Telling<'f, 'q, 't> {
    /// What is not told yet.
    fills: &'f [Fill<'q, 't>],
    path: String,
    told: Vec<String>,
}

impl Telling<'_, '_, '_> {
    /// Recurses as deep as the value is nested where something is filled in.
    fn tell(&mut self, node: Node<'_>) {
        while let Some((fill, rest)) = self.fills.split_first().filter(|(fill, _)| fill.object.index() == node.index())
        {
            let mut path = self.path.clone();
            pointer::push(&mut path, fill.name);
            self.told.push(path);
            self.fills = rest;
        }
        for (key, value) in node.member_nodes() {
            self.go(value, |path| pointer::push(path, &key.as_str().unwrap_or_default()));
        }
        for (place, element) in node.elements().enumerate() {
            self.go(element, |path| pointer::push_index(path, place));
        }
    }

    fn go(&mut self, node: Node<'_>, push: impl FnOnce(&mut String)) {
        if self.fills.first().is_some_and(|fill| fill.object.index() < node.end_index()) {
            let length = self.path.len();
            push(&mut self.path);
            self.tell(node);
            self.path.truncate(length);
        }
    }
}
