//! Values that no log may hold: those under `"x-sensitive": true`.

use super::plan::{Applied, Plan};
use toolgate_json::{self, Edit, Kind, Node, Tape, pointer};

/// What stands in place of a sensitive value, as JSON.
const MASK: &str = "\"***\"";

impl Plan {
    /// The text of a value with every sensitive one masked.
    pub(super) fn mask(&self, tape: &Tape) -> String {
        if !self.has_sensitive() {
            return tape.text().to_owned();
        }
        let root = tape.root();
        let applied = self.root();
        if self.is_sensitive_root(root, &applied) {
            return MASK.to_owned();
        }
        let mut edits = Vec::new();
        self.mask_below(root, &applied, &mut edits);
        toolgate_json::apply(tape.text(), &mut edits)
    }

    /// Recurses as deep as the value is nested, which the parser bounds.
    fn mask_below(&self, node: Node<'_>, applied: &[Applied], edits: &mut Vec<Edit>) {
        if !self.reaches_sensitive(applied) {
            return;
        }
        let mut visit = |value: Node<'_>, below: &[Applied]| {
            if self.is_sensitive(applied, below) {
                edits.push(Edit::replace(value, MASK.to_owned()));
            } else {
                self.mask_below(value, below, edits);
            }
        };
        match node.kind() {
            Kind::Object => {
                for (name, value) in node.members() {
                    visit(value, &self.of_member(applied, &name));
                }
            }
            Kind::Array => {
                for (index, value) in node.elements().enumerate() {
                    visit(value, &self.of_element(applied, index));
                }
            }
            _ => {}
        }
    }

    /// Where a pointer enters what is sensitive: the length of the pointer to the outermost sensitive value on its way.
    pub(super) fn sensitive_at(&self, root: Node<'_>, path: &str) -> Option<usize> {
        if !self.has_sensitive() {
            return None;
        }
        let mut applied = self.root();
        if self.is_sensitive_root(root, &applied) {
            return Some(0);
        }
        let mut node = Some(root);
        let mut length = 0;
        for (token, name) in path.split('/').skip(1).zip(pointer::tokens(path)) {
            length += 1 + token.len();
            let below = self.below(node, &applied, &name);
            if self.is_sensitive(&applied, &below) {
                return Some(length);
            }
            node = node.and_then(|node| node.at(path.get(length - token.len() - 1..length).unwrap_or_default()));
            applied = below;
        }
        None
    }

    /// The names that the schemas declare for the object that a pointer leads to.
    pub(super) fn names_at(&self, root: Node<'_>, path: &str) -> Vec<&str> {
        let mut applied = self.root();
        let mut node = Some(root);
        for name in pointer::tokens(path) {
            let mut step = String::new();
            pointer::push(&mut step, &name);
            applied = self.below(node, &applied, &name);
            node = node.and_then(|node| node.at(&step));
        }
        let mut names: Vec<&str> = Vec::new();
        for applied in &applied {
            for property in &self.node(applied.node).properties {
                if !names.contains(&property.name.as_str()) {
                    names.push(&property.name);
                }
            }
        }
        names
    }

    fn below(&self, node: Option<Node<'_>>, applied: &[Applied], name: &str) -> Vec<Applied> {
        match node.map(|node| node.kind()) {
            Some(Kind::Array) => self.of_element(applied, pointer::index(name).unwrap_or_default()),
            _ => self.of_member(applied, name),
        }
    }
}
