//! The walk over a value: checks whether it is certainly valid, and collects the missing defaults.

use super::fill::MissingDefault;
use super::object::{AdditionalProperties, DefaultRule, ObjectRule, SeenProperties};
use super::rules::{ArrayRule, InPlaceRules, RuleId};
use super::{FastPath, ROOT, Valid};
use crate::undecided_part::UndecidedArray;
use toolgate_json::{Kind, Node, Tape};

/// The deepest recursion through schemas and values: far less than any thread's stack allows.
const MAX_DEPTH: u32 = 96;

/// The largest number of steps of a walk: a constant, and steps per byte of the text. Recursive alternatives could take
/// any number.
const BASE_STEPS: usize = 1000;
const STEPS_PER_BYTE: usize = 4;

/// The largest number of bytes that defaults may add on the fast path; above it, the plan decides which are omitted.
const MAX_FILLED_BYTES: usize = 1 << 14;

/// How a schema applies to a value, for completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchemaRole {
    /// Certainly, and no other schema does.
    Sole,
    /// Certainly, with other schemas.
    Shared,
    /// Possibly: it is an alternative. Its defaults are never filled.
    Alternative,
}

/// What a walk over arguments found.
pub(super) enum MissingOrUndecided<'q, 't> {
    /// The missing defaults. With them the arguments are valid, and completion changes nothing else.
    Missing(Vec<MissingDefault<'q, 't>>),
    /// The arguments are undetermined: these elements, and what is in no array, or all of them.
    Undecided(Option<Vec<UndecidedArray<'t>>>),
}

/// The undetermined places of arguments. The walk continues after each, so that what is certainly valid is known.
struct UndecidedPlaces<'t> {
    arrays: Vec<UndecidedArray<'t>>,
    /// Whether anything is undetermined.
    is_found: bool,
    /// Whether the walk is inside an array: an undetermined element is not divided further.
    is_in_array: bool,
}

pub(super) struct ValueWalk<'q, 't> {
    fast_path: &'q FastPath,
    /// Whether the value is to be completed and contains a `null`.
    must_interpret_null: bool,
    depth: u32,
    steps: usize,
    /// The total bytes of the defaults in `fills`.
    filled_bytes: usize,
    missing_defaults: Vec<MissingDefault<'q, 't>>,
    /// How many of them are required properties.
    missing_required: usize,
    /// `None` if the walk ends at the first undetermined place.
    undecided: Option<UndecidedPlaces<'t>>,
}

impl FastPath {
    /// Whether a value is certainly valid, without completion.
    pub(crate) fn check(&self, node: Node<'_>) -> Option<Valid> {
        self.check_against(ROOT, node)
    }

    /// The same, for one schema of the document.
    pub(super) fn check_against(&self, rule: RuleId, node: Node<'_>) -> Option<Valid> {
        ValueWalk::new(self, node.tape()).check_value(rule, node, SchemaRole::Alternative)
    }
}

impl<'q, 't> ValueWalk<'q, 't> {
    fn new(quick: &'q FastPath, tape: &Tape) -> Self {
        let steps = tape.text().len().saturating_mul(STEPS_PER_BYTE).saturating_add(BASE_STEPS);
        Self {
            fast_path: quick,
            must_interpret_null: false,
            depth: 0,
            steps,
            filled_bytes: 0,
            missing_defaults: Vec::new(),
            missing_required: 0,
            undecided: None,
        }
    }

    /// Walks over arguments.
    pub(super) fn missing_defaults(quick: &'q FastPath, tape: &'t Tape) -> MissingOrUndecided<'q, 't> {
        let must_interpret_null = tape.has_null();
        // The meaning of a `null` depends on the validity of all arguments.
        let undecided = (!must_interpret_null).then_some(UndecidedPlaces {
            arrays: Vec::new(),
            is_found: false,
            is_in_array: false,
        });
        let mut walk = Self { must_interpret_null, undecided, ..Self::new(quick, tape) };
        let told = walk.check_value(ROOT, tape.root(), SchemaRole::Sole);
        match (told, walk.undecided) {
            (Some(Valid), Some(UndecidedPlaces { is_found: false, .. }) | None) => {
                MissingOrUndecided::Missing(walk.missing_defaults)
            }
            (Some(Valid), Some(UndecidedPlaces { arrays, .. })) => MissingOrUndecided::Undecided(Some(arrays)),
            (None, _) => MissingOrUndecided::Undecided(None),
        }
    }

    /// The places to note what is undetermined in a value, if the walk continues after it.
    fn places_if_divided(&mut self, applies: SchemaRole) -> Option<&mut UndecidedPlaces<'t>> {
        self.undecided.as_mut().filter(|places| applies == SchemaRole::Sole && !places.is_in_array)
    }

    /// Recurses no deeper than [`MAX_DEPTH`].
    fn check_value(&mut self, id: RuleId, node: Node<'t>, applies: SchemaRole) -> Option<Valid> {
        self.steps = self.steps.checked_sub(1)?;
        let rule = self.fast_path.rule(id)?;
        let kind = node.kind();
        if !rule.types.contains(node, kind) {
            return None;
        }
        if let Some(among) = &rule.allowed_values
            && !among.iter().any(|scalar| scalar.equals(node))
        {
            return None;
        }
        let here = match &rule.in_place {
            Some(in_place) => self.check_in_place(in_place, node, kind, applies)?,
            None => applies,
        };
        match kind {
            Kind::String => rule.string.as_ref().map_or(Some(Valid), |text| text.check(node)),
            Kind::Number => rule.number.as_ref().map_or(Some(Valid), |number| number.check(node)),
            Kind::Object => match &rule.object {
                Some(object) => self.descend(|walk| walk.check_object(object, node, here)),
                None => Some(Valid),
            },
            Kind::Array => match &rule.array {
                Some(list) => self.descend(|walk| walk.check_array(list, node, here)),
                None => Some(Valid),
            },
            Kind::Null | Kind::Bool => Some(Valid),
        }
    }

    fn descend<T>(&mut self, go: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let outcome = go(self);
        self.depth -= 1;
        outcome
    }

    /// Checks the in-place schemas. Returns the role of the schema that contains them.
    fn check_in_place(
        &mut self,
        in_place: &'q InPlaceRules,
        node: Node<'t>,
        kind: Kind,
        applies: SchemaRole,
    ) -> Option<SchemaRole> {
        let here = match applies {
            SchemaRole::Sole if !in_place.is_transparent => SchemaRole::Shared,
            other => other,
        };
        // The meaning of a `null` in the value depends on all of the schemas together.
        if here != SchemaRole::Sole && self.must_interpret_null && matches!(kind, Kind::Object | Kind::Array) {
            return None;
        }
        self.descend(|walk| {
            for id in &in_place.all {
                walk.check_value(*id, node, here)?;
            }
            let fits = |id: &RuleId| walk.check_value(*id, node, SchemaRole::Alternative).is_some();
            (in_place.any.is_empty() || in_place.any.iter().any(fits)).then_some(here)
        })
    }

    fn check_array(&mut self, list: &'q ArrayRule, array: Node<'t>, applies: SchemaRole) -> Option<Valid> {
        if !list.accepts_array(array) {
            return None;
        }
        if list.items.is_none() && list.prefix_items.is_empty() {
            return Some(Valid);
        }
        if let Some(id) = list.items.filter(|_| list.prefix_items.is_empty())
            && self.places_if_divided(applies).is_some()
        {
            self.check_each_element(id, list.min_items, array);
            return Some(Valid);
        }
        let mut leading = list.prefix_items.iter().copied();
        for element in array.elements() {
            let Some(id) = leading.next().or(list.items) else { continue };
            self.check_value(id, element, applies)?;
        }
        Some(Valid)
    }

    /// Checks the elements of an array, and notes those that are undetermined.
    fn check_each_element(&mut self, id: RuleId, min_items: u64, array: Node<'t>) {
        let mut kept = Vec::new();
        let mut is_found = false;
        self.set_in_array(true);
        for (index, element) in array.elements().enumerate() {
            let before = (self.missing_defaults.len(), self.filled_bytes, self.missing_required);
            if self.check_value(id, element, SchemaRole::Sole).is_none() {
                is_found = true;
                (self.filled_bytes, self.missing_required) = (before.1, before.2);
                self.missing_defaults.truncate(before.0);
                kept.push(index);
            } else if self.missing_required > before.2 {
                // As received, this element is not valid.
                kept.push(index);
            }
        }
        self.set_in_array(false);
        if let Some(places) = &mut self.undecided {
            places.is_found |= is_found;
            places.arrays.push(UndecidedArray { array, kept, min_items });
        }
    }

    fn set_in_array(&mut self, is_in_array: bool) {
        if let Some(places) = &mut self.undecided {
            places.is_in_array = is_in_array;
        }
    }

    fn check_object(&mut self, rule: &'q ObjectRule, object: Node<'t>, applies: SchemaRole) -> Option<Valid> {
        if self.places_if_divided(applies).is_none() {
            return self.check_members(rule, object, applies, false);
        }
        if self.check_members(rule, object, applies, true).is_none()
            && let Some(places) = &mut self.undecided
        {
            places.is_found = true;
        }
        Some(Valid)
    }

    /// Checks the number of members, then each; also after an undetermined one if the walk `continues`.
    fn check_members(
        &mut self,
        rule: &'q ObjectRule,
        object: Node<'t>,
        applies: SchemaRole,
        continues: bool,
    ) -> Option<Valid> {
        let mut told = (rule.min_members..=rule.max_members).contains(&(object.len() as u64)).then_some(Valid);
        let mut seen = SeenProperties::default();
        let mut likely = 0;
        let mut last = None;
        for (key, value) in object.member_nodes() {
            if told.is_none() && !continues {
                return None;
            }
            last = Some(value);
            let mut schema = None;
            if let Some(place) = rule.index_of(key, likely) {
                let property = rule.properties.get(place)?;
                seen.add(property);
                schema = property.schema;
                likely = place + 1;
            }
            let member = match (schema, rule.additional_properties) {
                (Some(id), _) | (None, AdditionalProperties::Matching(id)) => self.check_member(id, value, applies),
                (None, AdditionalProperties::Allowed) => Some(Valid),
                (None, AdditionalProperties::Refused) => None,
            };
            told = told.and(member);
        }
        for property in rule.missing(seen) {
            match (&property.default, applies) {
                (_, SchemaRole::Alternative) if !property.is_required => {}
                // With `maxProperties`, a filled member may be too many.
                (DefaultRule::Known(text), SchemaRole::Sole) if rule.max_members == u64::MAX => {
                    self.filled_bytes += text.len();
                    self.missing_required += usize::from(property.is_required);
                    self.missing_defaults.push(MissingDefault { object, last, name: &property.name, text });
                }
                _ => return None,
            }
        }
        told.filter(|Valid| self.filled_bytes <= MAX_FILLED_BYTES)
    }

    fn check_member(&mut self, id: RuleId, value: Node<'t>, applies: SchemaRole) -> Option<Valid> {
        let arrays = self.undecided.as_ref().map_or(0, |places| places.arrays.len());
        let told = self.check_value(id, value, applies);
        if told.is_none()
            && let Some(places) = &mut self.undecided
        {
            // An error of the value itself shows the value, so it must stay whole.
            places.arrays.truncate(arrays);
        }
        told
    }
}
