//! Walking a value along its schema: dropping strict nulls and filling defaults, as edits of the text.

use super::clamp::{self, Clamp, Clamped};
use super::doubt::{self, Choices, Doubt};
use crate::edit;
use crate::plan::{Applied, Certainty, NodeId, Plan};
use toolgate_json::{self, Edit, Kind, Node, Tape, pointer};

/// How much text defaults may add to one value, in bytes. Defaults that hold defaults can multiply.
const MAX_FILLED: usize = 1 << 16;

/// What is walked.
#[derive(Clone, Copy)]
enum Text<'p> {
    /// The arguments of a call: numbers are clamped, strict nulls dropped, and doubtful ones read in this way.
    Arguments(&'p Choices),
    /// Any other value, whose nulls are meant.
    Value,
    /// A default, whose nulls its author meant; what stands around it is not filled in it once more.
    Default,
}

/// One walk and what came of it.
pub(super) struct Filling<'p> {
    plan: &'p Plan,
    clamps: &'p [Clamp],
    text: Text<'p>,
    /// Schemas whose defaults are being filled around this walk: a default is never filled inside itself.
    around: Vec<NodeId>,
    budget: usize,
    pub(super) edits: Vec<Edit>,
    pub(super) defaulted: Vec<String>,
    pub(super) clamped: Vec<Clamped>,
    /// Objects with a `null` that can be read in several ways.
    pub(super) doubts: Vec<Doubt>,
}

/// A default's text with the defaults that it holds itself.
pub(crate) fn filled_default(plan: &Plan, default: &Tape, applied: &[Applied]) -> String {
    Filling::of_default(plan, Vec::new(), MAX_FILLED).default_text(default, applied)
}

impl<'p> Filling<'p> {
    pub(super) fn of_arguments(plan: &'p Plan, clamps: &'p [Clamp], choices: &'p Choices) -> Self {
        Self { clamps, ..Self::new(plan, Text::Arguments(choices)) }
    }

    pub(super) fn of_value(plan: &'p Plan) -> Self {
        Self::new(plan, Text::Value)
    }

    fn of_default(plan: &'p Plan, around: Vec<NodeId>, budget: usize) -> Self {
        Self { around, budget, ..Self::new(plan, Text::Default) }
    }

    fn new(plan: &'p Plan, text: Text<'p>) -> Self {
        Self {
            plan,
            clamps: &[],
            text,
            around: Vec::new(),
            budget: MAX_FILLED,
            edits: Vec::new(),
            defaulted: Vec::new(),
            clamped: Vec::new(),
            doubts: Vec::new(),
        }
    }

    /// Whether strict nulls are dropped, and numbers clamped.
    fn is_call(&self) -> bool {
        matches!(self.text, Text::Arguments(_))
    }

    /// Recurses as deep as the value is nested, which the parser bounds.
    pub(super) fn walk(&mut self, node: Node<'_>, applied: &[Applied], path: &mut String) {
        match node.kind() {
            Kind::Object => self.object(node, applied, path),
            Kind::Array => self.array(node, applied, path),
            _ => {}
        }
    }

    fn object(&mut self, object: Node<'_>, applied: &[Applied], path: &mut String) {
        let dropped = self.strict_nulls(object, applied, path);
        let is_dropped = |key: Node<'_>| dropped.contains(&key.index());
        let added = self.missing_members(object, applied, path, &is_dropped);
        if !dropped.is_empty() || !added.is_empty() {
            edit::edit_members(object, is_dropped, &added, &mut self.edits);
        }
        let may_clamp = self.is_call() && path.is_empty() && !self.clamps.is_empty();
        for (key, value) in object.member_nodes() {
            let is_container = matches!(value.kind(), Kind::Object | Kind::Array);
            if !is_container && !may_clamp {
                continue;
            }
            let name = key.as_str().unwrap_or_default();
            if !is_container {
                self.clamp(&name, value);
                continue;
            }
            let below = self.plan.of_member(applied, &name);
            self.descend(value, &below, path, |path| pointer::push(path, &name));
        }
    }

    fn array(&mut self, array: Node<'_>, applied: &[Applied], path: &mut String) {
        let leading = self.plan.leading_elements(applied);
        let others = if array.len() > leading { self.plan.of_element(applied, leading) } else { Vec::new() };
        for (index, element) in array.elements().enumerate() {
            if index < leading {
                let below = self.plan.of_element(applied, index);
                self.descend(element, &below, path, |path| pointer::push_index(path, index));
            } else {
                self.descend(element, &others, path, |path| pointer::push_index(path, index));
            }
        }
        self.missing_elements(array, applied, path);
    }

    /// Goes on below where something may be filled or dropped there.
    fn descend(&mut self, node: Node<'_>, applied: &[Applied], path: &mut String, push: impl FnOnce(&mut String)) {
        let has_nulls = self.is_call() && node.tape().has_null();
        let is_container = matches!(node.kind(), Kind::Object | Kind::Array);
        if !is_container || applied.is_empty() || !(has_nulls || self.plan.reaches_default(applied)) {
            return;
        }
        let length = path.len();
        push(path);
        self.walk(node, applied, path);
        path.truncate(length);
    }

    /// Keys (by index) whose `null` stands for absence.
    fn strict_nulls(&mut self, object: Node<'_>, applied: &[Applied], path: &str) -> Vec<u32> {
        match self.text {
            Text::Arguments(choices) if object.tape().has_null() => {
                doubt::absent(self.plan, object, applied, path, choices, &mut self.doubts)
            }
            Text::Arguments(_) | Text::Value | Text::Default => Vec::new(),
        }
    }

    /// Defaults of properties that are absent, in the order of the schemas; the first one counts.
    fn missing_members(
        &mut self,
        object: Node<'_>,
        applied: &[Applied],
        path: &mut String,
        is_dropped: &impl Fn(Node<'_>) -> bool,
    ) -> Vec<(&'p str, String)> {
        let plan = self.plan;
        let mut added: Vec<(&'p str, String)> = Vec::new();
        for id in fillable(applied, &self.around) {
            for property in &plan.node(id).properties {
                let Some(default) = &property.default else { continue };
                let name = property.name.as_str();
                let is_there = object.member_nodes().any(|(key, _)| key.is_string(name) && !is_dropped(key));
                if is_there || added.iter().any(|(other, _)| *other == name) {
                    continue;
                }
                let below = plan.of_member(applied, name);
                let length = path.len();
                pointer::push(path, name);
                if let Some(text) = self.fill(default, &below, applied, path) {
                    added.push((name, self.clamp_default(name, path, text)));
                }
                path.truncate(length);
            }
        }
        added
    }

    /// Defaults of elements that are missing at the end of a tuple.
    fn missing_elements(&mut self, array: Node<'_>, applied: &[Applied], path: &mut String) {
        let plan = self.plan;
        let mut count = array.len();
        let mut text = String::new();
        for id in fillable(applied, &self.around) {
            while let Some(default) = plan.node(id).leading.get(count).and_then(|element| element.default.as_ref()) {
                let below = plan.of_element(applied, count);
                let length = path.len();
                pointer::push_index(path, count);
                let filled = self.fill(default, &below, applied, path);
                path.truncate(length);
                let Some(filled) = filled else { return };
                if count > 0 {
                    text.push(',');
                }
                text.push_str(&filled);
                count += 1;
            }
        }
        if !text.is_empty() {
            let start = array.elements().last().map_or(array.span().0 + 1, |last| last.span().1);
            self.edits.push(Edit::add_elements(start, text));
        }
    }

    /// The text of a default for `path`, unless that would be too much.
    fn fill(&mut self, default: &Tape, below: &[Applied], applied: &[Applied], path: &str) -> Option<String> {
        let mut around = self.around.clone();
        if matches!(self.text, Text::Default) {
            around.extend(applied.iter().map(|applied| applied.node));
        }
        let text = Filling::of_default(self.plan, around, self.budget).default_text(default, below);
        self.budget = self.budget.checked_sub(text.len())?;
        self.defaulted.push(path.to_owned());
        Some(text)
    }

    fn default_text(mut self, default: &Tape, applied: &[Applied]) -> String {
        if !self.plan.reaches_default(applied) {
            return default.text().to_owned();
        }
        self.walk(default.root(), applied, &mut String::new());
        toolgate_json::apply(default.text(), &mut self.edits)
    }

    fn clamp(&mut self, name: &str, value: Node<'_>) {
        if let Some((text, record)) = clamp::clamped(self.clamps, name, value) {
            self.edits.push(Edit::replace(value, text));
            self.clamped.push(record);
        }
    }

    /// The text of a default that has just been filled in at `path`, clamped where it is a top-level argument.
    fn clamp_default(&mut self, name: &str, path: &str, text: String) -> String {
        let is_top_level = self.is_call() && pointer::tokens(path).count() == 1;
        let Some(tape) = Tape::parse(text.as_str(), &toolgate_json::Limits::widest()).ok().filter(|_| is_top_level)
        else {
            return text;
        };
        match clamp::clamped(self.clamps, name, tape.root()) {
            Some((clamped, record)) => {
                self.clamped.push(record);
                clamped
            }
            None => text,
        }
    }
}

/// The schemas that apply for sure and are not being filled around this place.
fn fillable(applied: &[Applied], around: &[NodeId]) -> Vec<NodeId> {
    let certain = applied.iter().filter(|applied| applied.certainty == Certainty::Certain);
    certain.map(|applied| applied.node).filter(|id| !around.contains(id)).collect()
}
