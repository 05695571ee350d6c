//! The completion walk: drops strict nulls, fills defaults and clamps numbers, as edits of the text.

use super::ambiguous_nulls::{self, AmbiguousObject, ChosenReadings};
use super::clamp::{self, Clamp, Clamped};
use super::partial_defaults::SkippedDefaults;
use crate::annotation_plan::{AnnotationPlan, AppliedSchema, Certainty, NodeId};
use crate::member_edits;
use toolgate_json::{self, Edit, Kind, Node, Tape, pointer};

/// The largest number of bytes that defaults may add to one value. Nested defaults can multiply.
const MAX_FILLED_BYTES: usize = 1 << 16;

/// What happens to the nulls of arguments.
#[derive(Clone, Copy)]
pub(super) enum NullHandling<'p> {
    /// Every null is kept: the arguments are valid as received.
    Keep,
    /// Strict nulls are dropped, and ambiguous nulls are read as chosen.
    Read(&'p ChosenReadings),
    /// Strict nulls are dropped, and of ambiguous nulls those that are likeliest to mean absence.
    ReadLikeliest,
}

/// The kind of the walked value.
#[derive(Clone, Copy)]
enum WalkedValue<'p> {
    /// The arguments of a call: numbers are clamped.
    Arguments(NullHandling<'p>),
    /// Any other value; keeps its nulls.
    Value,
    /// A default; keeps its nulls. The enclosing defaults are not filled inside it again.
    Default,
}

/// A completion walk with its results.
pub(super) struct CompletionWalk<'p> {
    plan: &'p AnnotationPlan,
    clamps: &'p [Clamp],
    walked: WalkedValue<'p>,
    /// Schemas whose defaults enclose this walk: a default is never filled inside itself.
    enclosing_defaults: Vec<NodeId>,
    remaining_bytes: usize,
    /// Defaults that are not filled, by the JSON Pointers of their places.
    skipped: &'p SkippedDefaults,
    pub(super) edits: Vec<Edit>,
    pub(super) defaulted: Vec<String>,
    pub(super) clamped: Vec<Clamped>,
    /// Objects with a `null` that can be read in several ways.
    pub(super) ambiguous_objects: Vec<AmbiguousObject>,
}

/// Returns the text of a default with its nested defaults filled.
pub(crate) fn expand_default(plan: &AnnotationPlan, default: &Tape, applied: &[AppliedSchema]) -> String {
    CompletionWalk::for_default(plan, Vec::new(), MAX_FILLED_BYTES, &SkippedDefaults::new())
        .expand_text(default, applied)
}

impl<'p> CompletionWalk<'p> {
    pub(super) fn for_arguments(
        plan: &'p AnnotationPlan,
        clamps: &'p [Clamp],
        nulls: NullHandling<'p>,
        skipped: &'p SkippedDefaults,
    ) -> Self {
        Self { clamps, ..Self::new(plan, WalkedValue::Arguments(nulls), skipped) }
    }

    pub(super) fn for_value(plan: &'p AnnotationPlan, skipped: &'p SkippedDefaults) -> Self {
        Self::new(plan, WalkedValue::Value, skipped)
    }

    fn for_default(plan: &'p AnnotationPlan, around: Vec<NodeId>, budget: usize, skipped: &'p SkippedDefaults) -> Self {
        Self { enclosing_defaults: around, remaining_bytes: budget, ..Self::new(plan, WalkedValue::Default, skipped) }
    }

    fn new(plan: &'p AnnotationPlan, walked: WalkedValue<'p>, skipped: &'p SkippedDefaults) -> Self {
        Self {
            plan,
            clamps: &[],
            walked,
            skipped,
            enclosing_defaults: Vec::new(),
            remaining_bytes: MAX_FILLED_BYTES,
            edits: Vec::new(),
            defaulted: Vec::new(),
            clamped: Vec::new(),
            ambiguous_objects: Vec::new(),
        }
    }

    /// Whether strict nulls are dropped and numbers are clamped.
    fn is_arguments(&self) -> bool {
        matches!(self.walked, WalkedValue::Arguments(_))
    }

    /// Whether a null in the value may mean absence.
    fn reads_nulls(&self, node: Node<'_>) -> bool {
        self.is_arguments() && node.tape().has_null()
    }

    /// Recurses as deep as the value is nested, which the parser bounds.
    pub(super) fn walk(&mut self, node: Node<'_>, applied: &[AppliedSchema], path: &mut String) {
        match node.kind() {
            Kind::Object => self.complete_object(node, applied, path),
            Kind::Array => self.complete_array(node, applied, path),
            _ => {}
        }
    }

    fn complete_object(&mut self, object: Node<'_>, applied: &[AppliedSchema], path: &mut String) {
        let dropped = self.strict_nulls(object, applied, path);
        let is_dropped = |key: Node<'_>| dropped.contains(&key.index());
        let added = self.add_missing_members(object, applied, path, &is_dropped);
        if !dropped.is_empty() || !added.is_empty() {
            member_edits::edit_members(object, is_dropped, &added, &mut self.edits);
        }
        let may_clamp = self.is_arguments() && path.is_empty() && !self.clamps.is_empty();
        let descends = self.reads_nulls(object) || self.plan.reaches_default_below(applied);
        if !may_clamp && !descends {
            return;
        }
        for (key, value) in object.member_nodes() {
            let is_container = matches!(value.kind(), Kind::Object | Kind::Array);
            let name = || key.as_str().unwrap_or_default();
            if is_container && descends {
                let name = name();
                let below = self.plan.applied_to_member(applied, &name);
                self.descend(value, &below, path, |path| pointer::push(path, &name));
            } else if !is_container && may_clamp {
                self.clamp_member(&name(), value);
            }
        }
    }

    fn complete_array(&mut self, array: Node<'_>, applied: &[AppliedSchema], path: &mut String) {
        let leading = self.plan.prefix_length(applied);
        let others = if array.len() > leading { self.plan.applied_to_element(applied, leading) } else { Vec::new() };
        for (index, element) in array.elements().enumerate() {
            if index < leading {
                let below = self.plan.applied_to_element(applied, index);
                self.descend(element, &below, path, |path| pointer::push_index(path, index));
            } else {
                self.descend(element, &others, path, |path| pointer::push_index(path, index));
            }
        }
        self.add_missing_elements(array, applied, path);
    }

    /// Walks a child value if something may be filled or dropped in it.
    fn descend(
        &mut self,
        node: Node<'_>,
        applied: &[AppliedSchema],
        path: &mut String,
        push: impl FnOnce(&mut String),
    ) {
        let is_container = matches!(node.kind(), Kind::Object | Kind::Array);
        if !is_container || applied.is_empty() || !(self.reads_nulls(node) || self.plan.reaches_default(applied)) {
            return;
        }
        let length = path.len();
        push(path);
        self.walk(node, applied, path);
        path.truncate(length);
    }

    /// The keys (by index) whose `null` means absence.
    fn strict_nulls(&mut self, object: Node<'_>, applied: &[AppliedSchema], path: &str) -> Vec<u32> {
        match self.walked {
            WalkedValue::Arguments(NullHandling::Read(choices)) if object.tape().has_null() => {
                let place = (path, Some(choices));
                ambiguous_nulls::absent_keys(self.plan, object, applied, place, &mut self.ambiguous_objects)
            }
            WalkedValue::Arguments(NullHandling::ReadLikeliest) if object.tape().has_null() => {
                ambiguous_nulls::absent_keys(self.plan, object, applied, (path, None), &mut self.ambiguous_objects)
            }
            WalkedValue::Arguments(_) | WalkedValue::Value | WalkedValue::Default => Vec::new(),
        }
    }

    /// The defaults of absent properties, in the order of the schemas; the first default of a property is used.
    fn add_missing_members(
        &mut self,
        object: Node<'_>,
        applied: &[AppliedSchema],
        path: &mut String,
        is_dropped: &impl Fn(Node<'_>) -> bool,
    ) -> Vec<(&'p str, String)> {
        let plan = self.plan;
        let mut added: Vec<(&'p str, String)> = Vec::new();
        for id in fillable_schemas(applied, &self.enclosing_defaults) {
            for property in &plan.node(id).properties {
                let Some(default) = &property.default else { continue };
                let name = property.name.as_str();
                let is_there = object.member_nodes().any(|(key, _)| key.equals_str(name) && !is_dropped(key));
                if is_there || added.iter().any(|(other, _)| *other == name) {
                    continue;
                }
                let below = plan.applied_to_member(applied, name);
                let length = path.len();
                pointer::push(path, name);
                if let Some(text) = self.fill_default(default, &below, applied, path) {
                    added.push((name, self.clamp_default(name, path, text)));
                }
                path.truncate(length);
            }
        }
        added
    }

    /// Adds the defaults of missing elements at the end of a tuple.
    fn add_missing_elements(&mut self, array: Node<'_>, applied: &[AppliedSchema], path: &mut String) {
        let plan = self.plan;
        let mut count = array.len();
        let mut text = String::new();
        for id in fillable_schemas(applied, &self.enclosing_defaults) {
            while let Some(default) = plan.node(id).prefix_items.get(count).and_then(|element| element.default.as_ref())
            {
                let below = plan.applied_to_element(applied, count);
                let length = path.len();
                pointer::push_index(path, count);
                let filled = self.fill_default(default, &below, applied, path);
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

    /// Returns the text of a default for `path`; `None` if it is skipped or exceeds the remaining size.
    fn fill_default(
        &mut self,
        default: &Tape,
        below: &[AppliedSchema],
        applied: &[AppliedSchema],
        path: &str,
    ) -> Option<String> {
        if !matches!(self.walked, WalkedValue::Default) && self.skipped.contains(path) {
            return None;
        }
        let mut around = self.enclosing_defaults.clone();
        if matches!(self.walked, WalkedValue::Default) {
            around.extend(applied.iter().map(|applied| applied.node));
        }
        let text = CompletionWalk::for_default(self.plan, around, self.remaining_bytes, self.skipped)
            .expand_text(default, below);
        self.remaining_bytes = self.remaining_bytes.checked_sub(text.len())?;
        self.defaulted.push(path.to_owned());
        Some(text)
    }

    fn expand_text(mut self, default: &Tape, applied: &[AppliedSchema]) -> String {
        if !self.plan.reaches_default(applied) {
            return default.text().to_owned();
        }
        self.walk(default.root(), applied, &mut String::new());
        toolgate_json::apply_edits(default.text(), &mut self.edits)
    }

    fn clamp_member(&mut self, name: &str, value: Node<'_>) {
        if let Some((text, record)) = clamp::clamp_number(self.clamps, name, value) {
            self.edits.push(Edit::replace(value, text));
            self.clamped.push(record);
        }
    }

    /// Returns the text of a default filled at `path`, clamped if it is a top-level argument.
    fn clamp_default(&mut self, name: &str, path: &str, text: String) -> String {
        let is_top_level = self.is_arguments() && pointer::tokens(path).count() == 1;
        if !is_top_level || self.clamps.iter().all(|clamp| clamp.property != name) {
            return text;
        }
        let Ok(tape) = Tape::parse(text.as_str(), &toolgate_json::Limits::widest()) else { return text };
        match clamp::clamp_number(self.clamps, name, tape.root()) {
            Some((clamped, record)) => {
                self.clamped.push(record);
                clamped
            }
            None => text,
        }
    }
}

/// Returns the schemas that certainly apply and whose defaults do not enclose this walk.
fn fillable_schemas(applied: &[AppliedSchema], around: &[NodeId]) -> Vec<NodeId> {
    let certain = applied.iter().filter(|applied| applied.certainty == Certainty::Certain);
    certain.map(|applied| applied.node).filter(|id| !around.contains(id)).collect()
}
