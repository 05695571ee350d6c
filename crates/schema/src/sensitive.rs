//! Sensitive values (`"x-sensitive": true`), which must not appear in logs: masking and lookup.

use std::collections::HashSet;

use super::annotation_plan::{AnnotationPlan, AppliedSchema, Certainty};
use toolgate_json::{self, Edit, Kind, Node, Tape, pointer};

/// The replacement of a sensitive value.
pub const MASK: &str = "***";
/// [`MASK`] as JSON.
const MASK_JSON: &str = "\"***\"";

/// What a message may say of a value.
pub(super) struct Visibility {
    /// The length of the part of its path that the schema declares: it has no names of the arguments' own.
    pub(super) declared: usize,
    /// The length of the part of its path that may be shown; `None` if all of it may be, and the value as well.
    pub(super) shown: Option<usize>,
    /// Whether names that the schema does not declare are hidden.
    pub(super) hides_names: bool,
}

impl AnnotationPlan {
    /// Returns the text of a value with all sensitive values masked.
    pub(super) fn mask(&self, tape: &Tape) -> String {
        if !self.has_sensitive() {
            return tape.text().to_owned();
        }
        let root = tape.root();
        let applied = self.root();
        if self.is_sensitive_root(root, applied) {
            return MASK_JSON.to_owned();
        }
        let mut edits = Vec::new();
        self.for_each_sensitive(root, applied, &mut |_, value| edits.push(Edit::replace(value, MASK_JSON.to_owned())));
        toolgate_json::apply_edits(tape.text(), &mut edits)
    }

    /// Visits each outermost sensitive value below `node` with its member name; `None` for an element of a list.
    /// Recurses as deep as the value is nested, which the parser bounds.
    pub(super) fn for_each_sensitive<'a>(
        &self,
        node: Node<'a>,
        applied: &[AppliedSchema],
        visit: &mut impl FnMut(Option<&str>, Node<'a>),
    ) {
        if !self.reaches_sensitive(applied) {
            return;
        }
        let mut step = |name: Option<&str>, value: Node<'a>, below: &[AppliedSchema]| {
            if self.is_sensitive(applied, below) {
                visit(name, value);
            } else {
                self.for_each_sensitive(value, below, visit);
            }
        };
        match node.kind() {
            Kind::Object => {
                for (name, value) in node.members() {
                    step(Some(&name), value, &self.applied_to_member(applied, &name));
                }
            }
            Kind::Array => {
                for (index, value) in node.elements().enumerate() {
                    step(None, value, &self.applied_to_element(applied, index));
                }
            }
            _ => {}
        }
    }

    /// The names of all properties that the schema declares sensitive, at any depth.
    pub(super) fn sensitive_names(&self) -> impl Iterator<Item = &str> {
        let properties = self.nodes().flat_map(|node| &node.properties);
        properties.filter(|property| self.marks_sensitive(property.node)).map(|property| property.name.as_str())
    }

    /// The members of the root that are sensitive or have sensitive parts, each once. `None` if no value can be sensitive.
    pub(super) fn sensitive_parameters(&self) -> Option<Vec<&str>> {
        if !self.has_sensitive() {
            return None;
        }
        let root = self.root();
        let is_whole = self.marks_sensitive_root(root);
        let (mut names, mut seen) = (Vec::new(), HashSet::new());
        for property in root.iter().flat_map(|applied| &self.node(applied.node).properties) {
            let name = property.name.as_str();
            if seen.insert(name) && (is_whole || self.reaches_sensitive(&self.applied_to_member(root, name))) {
                names.push(name);
            }
        }
        Some(names)
    }

    /// What a message may say of the value at `path`. Where the schema has sensitive values, a name that it does not
    /// declare may be one of them, and a value of the wrong shape may contain one.
    pub(super) fn visibility(&self, root: Node<'_>, path: &str) -> Visibility {
        let mut applied = self.root().to_vec();
        let mut seen = Visibility { declared: 0, shown: None, hides_names: self.has_sensitive() };
        if seen.hides_names && self.is_sensitive_root(root, &applied) {
            seen.shown = Some(0);
        }
        let mut node = Some(root);
        let mut is_declared = true;
        let mut length = 0;
        for (token, name) in path.split('/').skip(1).zip(pointer::tokens(path)) {
            let start = length;
            length += 1 + token.len();
            let is_element = node.is_some_and(|node| node.kind() == Kind::Array);
            is_declared &= is_element || self.declares(&applied, &name);
            if is_declared {
                seen.declared = length;
            }
            let below = self.applied_to_child(node, &applied, &name);
            if seen.hides_names && seen.shown.is_none() {
                if !is_declared {
                    seen.shown = Some(start);
                } else if self.is_sensitive(&applied, &below) {
                    seen.shown = Some(length);
                }
            }
            node = node.and_then(|node| node.at(path.get(start..length).unwrap_or_default()));
            applied = below;
        }
        if self.reaches_sensitive(&applied) {
            seen.shown.get_or_insert(length);
        }
        seen
    }

    /// The part of a pointer that may be shown of arguments that could not be read: all of it, or up to the first name
    /// that the schema does not declare.
    pub(super) fn visible_pointer<'p>(&self, pointer: &'p str) -> &'p str {
        if !self.has_sensitive() {
            return pointer;
        }
        let mut applied = self.root().to_vec();
        let mut length = 0;
        for (token, name) in pointer.split('/').skip(1).zip(pointer::tokens(pointer)) {
            if !self.declares(&applied, &name) {
                break;
            }
            length += 1 + token.len();
            applied = self.applied_to_member(&applied, &name);
        }
        pointer.get(..length).unwrap_or_default()
    }

    fn declares(&self, applied: &[AppliedSchema], name: &str) -> bool {
        applied.iter().any(|applied| self.node(applied.node).property(name).is_some())
    }

    /// The property names that the schemas declare for the object at `path`.
    pub(super) fn declared_names_at(&self, root: Node<'_>, path: &str) -> Vec<&str> {
        self.declared_names(&self.applied_at(root, path))
    }

    /// The schemas that apply to the value at `path`.
    fn applied_at(&self, root: Node<'_>, path: &str) -> Vec<AppliedSchema> {
        let mut applied = self.root().to_vec();
        let mut node = Some(root);
        for name in pointer::tokens(path) {
            let mut step = String::new();
            pointer::push(&mut step, &name);
            applied = self.applied_to_child(node, &applied, &name);
            node = node.and_then(|node| node.at(&step));
        }
        applied
    }

    /// Whether the object around the value at `path` certainly requires it.
    pub(super) fn is_required_at(&self, root: Node<'_>, path: &str) -> bool {
        let Some((object, _)) = path.rsplit_once('/') else { return true };
        let name = pointer::tokens(path).last().unwrap_or_default();
        let applied = self.applied_at(root, object);
        let mut certain = applied.iter().filter(|applied| applied.certainty == Certainty::Certain);
        certain.any(|applied| self.node(applied.node).requires(&name))
    }

    /// The property names that these schemas declare, in their order.
    pub(super) fn declared_names(&self, applied: &[AppliedSchema]) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for applied in applied {
            for property in &self.node(applied.node).properties {
                if !names.contains(&property.name.as_str()) {
                    names.push(&property.name);
                }
            }
        }
        names
    }

    fn applied_to_child(&self, node: Option<Node<'_>>, applied: &[AppliedSchema], name: &str) -> Vec<AppliedSchema> {
        match node.map(|node| node.kind()) {
            Some(Kind::Array) => self.applied_to_element(applied, pointer::parse_index(name).unwrap_or_default()),
            _ => self.applied_to_member(applied, name),
        }
    }
}
