//! Completes arguments that are valid except for missing defaults, and clamps their numbers.

use super::check::{MissingOrUndecided, ValueWalk};
use super::{FastPath, Undetermined};
use crate::complete::{Clamp, Clamped, Completed, clamp_number};
use crate::member_edits::members_text;
use crate::undecided_part::UndecidedPart;
use toolgate_json::{Edit, Kind, Limits, Node, Tape, pointer};

/// A default that is missing in an object.
pub(super) struct MissingDefault<'q, 't> {
    pub(super) object: Node<'t>,
    /// Its last member.
    pub(super) last: Option<Node<'t>>,
    pub(super) name: &'q str,
    pub(super) text: &'q str,
}

/// The undetermined part of arguments, if it is known.
type PartIfKnown = Option<UndecidedPart>;

#[derive(Default)]
struct CompletionEdits {
    edits: Vec<Edit>,
    defaulted: Vec<String>,
    clamped: Vec<Clamped>,
}

impl FastPath {
    /// Completes arguments if they are certainly valid after completion.
    ///
    /// # Errors
    /// The unchanged arguments, if their validity is unknown.
    pub(crate) fn complete(&self, tape: Tape, clamps: &[Clamp]) -> Result<Completed, Undetermined> {
        let CompletionEdits { edits, defaulted, clamped } = match self.completion_edits(&tape, clamps) {
            Ok(edits) => edits,
            Err(part) => return Err(Undetermined { tape, part }),
        };
        if edits.is_empty() {
            return Ok(Completed::unchanged(tape));
        }
        // Defaults are valid, but the schema may refuse a clamped number.
        let edited = tape.edited(edits).filter(|tape| clamped.is_empty() || self.check(tape.root()).is_some());
        match edited {
            Some(tape) => Ok(Completed { tape, changed: true, defaulted, clamped }),
            None => Err(Undetermined { tape, part: None }),
        }
    }

    fn completion_edits(&self, tape: &Tape, clamps: &[Clamp]) -> Result<CompletionEdits, PartIfKnown> {
        let mut fills = match ValueWalk::missing_defaults(self, tape) {
            MissingOrUndecided::Missing(fills) => fills,
            MissingOrUndecided::Undecided(arrays) => {
                return Err(arrays.and_then(|arrays| UndecidedPart::cut(tape, arrays)));
            }
        };
        // Containers before their content. The stable sort keeps the schema's order in each object.
        fills.sort_by_key(|fill| fill.object.index());
        let mut changes = CompletionEdits::default();
        for of_object in fills.chunk_by(|one, other| one.object.index() == other.object.index()) {
            changes.add_defaults(of_object, clamps);
        }
        changes.clamp_members(tape.root(), clamps);
        let mut filled = DefaultPaths { pending: &fills, path: String::new(), paths: Vec::new() };
        filled.collect(tape.root());
        changes.defaulted = filled.paths;
        Ok(changes)
    }
}

impl CompletionEdits {
    /// Adds the missing defaults of one object.
    fn add_defaults(&mut self, fills: &[MissingDefault<'_, '_>], clamps: &[Clamp]) {
        let Some(MissingDefault { object, last, .. }) = fills.first() else { return };
        let is_root = object.index() == 0;
        let mut members = Vec::with_capacity(fills.len());
        for MissingDefault { name, text, .. } in fills {
            let clamped = if is_root { self.clamp_default(name, text, clamps) } else { None };
            members.push((*name, clamped.unwrap_or_else(|| (*text).to_owned())));
        }
        let start = last.map_or(object.span().0 + 1, |last| last.span().1);
        self.edits.push(Edit::add_members(start, members_text(&members, last.is_some())));
    }

    fn clamp_default(&mut self, name: &str, text: &str, clamps: &[Clamp]) -> Option<String> {
        if clamps.is_empty() {
            return None;
        }
        let tape = Tape::parse(text, &Limits::widest()).ok()?;
        let (text, record) = clamp_number(clamps, name, tape.root())?;
        self.clamped.push(record);
        Some(text)
    }

    fn clamp_members(&mut self, root: Node<'_>, clamps: &[Clamp]) {
        if clamps.is_empty() {
            return;
        }
        for (key, value) in root.member_nodes().filter(|(_, value)| value.kind() == Kind::Number) {
            if let Some((text, record)) = clamp_number(clamps, &key.as_str().unwrap_or_default(), value) {
                self.edits.push(Edit::replace(value, text));
                self.clamped.push(record);
            }
        }
    }
}

/// Collects the JSON Pointers of the filled defaults, in one walk that skips values without defaults.
struct DefaultPaths<'f, 'q, 't> {
    /// The defaults without a pointer yet, in the order of the walk.
    pending: &'f [MissingDefault<'q, 't>],
    path: String,
    paths: Vec<String>,
}

impl DefaultPaths<'_, '_, '_> {
    /// Recurses as deep as filled objects are nested.
    fn collect(&mut self, node: Node<'_>) {
        while let Some((fill, rest)) =
            self.pending.split_first().filter(|(fill, _)| fill.object.index() == node.index())
        {
            let mut path = self.path.clone();
            pointer::push(&mut path, fill.name);
            self.paths.push(path);
            self.pending = rest;
        }
        for (key, value) in node.member_nodes() {
            self.descend(value, |path| pointer::push(path, &key.as_str().unwrap_or_default()));
        }
        for (place, element) in node.elements().enumerate() {
            self.descend(element, |path| pointer::push_index(path, place));
        }
    }

    fn descend(&mut self, node: Node<'_>, push: impl FnOnce(&mut String)) {
        if self.pending.first().is_some_and(|fill| fill.object.index() < node.end_index()) {
            let length = self.path.len();
            push(&mut self.path);
            self.collect(node);
            self.path.truncate(length);
        }
    }
}
