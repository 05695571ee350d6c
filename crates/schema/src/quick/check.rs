//! One walk over a value: is it certainly valid, and which defaults are missing?

use super::fill::Fill;
use super::object::{Default, ObjectRule, Others, Seen};
use super::rules::{InPlace, ListRule, RuleId};
use super::{Quick, ROOT, Valid};
use crate::proven::Proven;
use toolgate_json::{Kind, Node, Tape};

/// How many schemas and values may be open at once: far less than any thread's stack has room for.
const MAX_DEPTH: u32 = 96;

/// Steps that any walk may take, and for each byte of the text: alternatives that recurse could take any number.
const STEPS: usize = 1000;
const STEPS_PER_BYTE: usize = 4;

/// How much text defaults may add before another has to say which of them are left out.
const MAX_FILLED: usize = 1 << 14;

/// How a schema applies to a value, as completion sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Applies {
    /// For sure, and no other schema does.
    Alone,
    /// For sure, with others.
    Among,
    /// Perhaps: it is an alternative. Its defaults are never filled in.
    Perhaps,
}

/// What is known of arguments where a walk could not go on.
pub(super) struct GaveUp {
    pub(super) proven: Proven,
    pub(super) lacks_default: bool,
}

pub(super) struct Walk<'q, 't> {
    quick: &'q Quick,
    /// The value is to be completed, and somewhere in it is a `null`.
    minds_null: bool,
    depth: u32,
    steps: usize,
    /// How much text the defaults of `fills` have.
    filled: usize,
    fills: Vec<Fill<'q, 't>>,
    gave_up: GaveUp,
}

impl Quick {
    /// Whether a value is certainly valid as it is.
    pub(crate) fn check(&self, node: Node<'_>) -> Option<Valid> {
        self.check_against(ROOT, node)
    }

    /// The same, against one schema of the document.
    pub(super) fn check_against(&self, rule: RuleId, node: Node<'_>) -> Option<Valid> {
        Walk::new(self, node.tape()).value(rule, node, Applies::Perhaps)
    }
}

impl<'q, 't> Walk<'q, 't> {
    fn new(quick: &'q Quick, tape: &Tape) -> Self {
        let steps = tape.text().len().saturating_mul(STEPS_PER_BYTE).saturating_add(STEPS);
        let gave_up = GaveUp { proven: Proven::default(), lacks_default: false };
        Self { quick, minds_null: false, depth: 0, steps, filled: 0, fills: Vec::new(), gave_up }
    }

    /// The defaults that arguments lack; they are valid with these, and completing them changes nothing else.
    pub(super) fn fills(quick: &'q Quick, tape: &'t Tape) -> Result<Vec<Fill<'q, 't>>, GaveUp> {
        let mut walk = Self { minds_null: tape.has_null(), ..Self::new(quick, tape) };
        match walk.value(ROOT, tape.root(), Applies::Alone) {
            Some(Valid) => Ok(walk.fills),
            None => Err(walk.gave_up),
        }
    }

    /// Recurses no deeper than [`MAX_DEPTH`].
    fn value(&mut self, id: RuleId, node: Node<'t>, applies: Applies) -> Option<Valid> {
        self.steps = self.steps.checked_sub(1)?;
        let rule = self.quick.rule(id)?;
        let kind = node.kind();
        if !rule.kinds.hold(node, kind) {
            return None;
        }
        if let Some(among) = &rule.among
            && !among.iter().any(|scalar| scalar.is(node))
        {
            return None;
        }
        let here = match &rule.in_place {
            Some(in_place) => self.in_place(in_place, node, kind, applies)?,
            None => applies,
        };
        match kind {
            Kind::String => rule.text.as_ref().map_or(Some(Valid), |text| text.check(node)),
            Kind::Number => rule.number.as_ref().map_or(Some(Valid), |number| number.check(node)),
            Kind::Object => match &rule.object {
                Some(object) => self.deeper(|walk| walk.object(object, node, here)),
                None => Some(Valid),
            },
            Kind::Array => match &rule.list {
                Some(list) => self.deeper(|walk| walk.list(list, node, here)),
                None => Some(Valid),
            },
            Kind::Null | Kind::Bool => Some(Valid),
        }
    }

    fn deeper<T>(&mut self, go: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let outcome = go(self);
        self.depth -= 1;
        outcome
    }

    /// Checks against the schemas in place; how the schema that names them applies beside them.
    fn in_place(&mut self, in_place: &'q InPlace, node: Node<'t>, kind: Kind, applies: Applies) -> Option<Applies> {
        let here = match applies {
            Applies::Alone if !in_place.passes_on => Applies::Among,
            other => other,
        };
        // What a `null` in it stands for depends on all of the schemas together.
        if here != Applies::Alone && self.minds_null && matches!(kind, Kind::Object | Kind::Array) {
            return None;
        }
        self.deeper(|walk| {
            for id in &in_place.all {
                walk.value(*id, node, here)?;
            }
            let fits = |id: &RuleId| walk.value(*id, node, Applies::Perhaps).is_some();
            (in_place.any.is_empty() || in_place.any.iter().any(fits)).then_some(here)
        })
    }

    fn list(&mut self, list: &'q ListRule, array: Node<'t>, applies: Applies) -> Option<Valid> {
        if !list.takes_whole(array) {
            return None;
        }
        if list.items.is_none() && list.leading.is_empty() {
            return Some(Valid);
        }
        let mut leading = list.leading.iter().copied();
        for (place, element) in array.elements().enumerate() {
            let Some(id) = leading.next().or(list.items) else { continue };
            if self.value(id, element, applies).is_none() {
                if applies == Applies::Alone {
                    self.gave_up.proven.note(array, place);
                }
                return None;
            }
        }
        Some(Valid)
    }

    fn object(&mut self, rule: &'q ObjectRule, object: Node<'t>, applies: Applies) -> Option<Valid> {
        if !(rule.least..=rule.most).contains(&(object.len() as u64)) {
            return None;
        }
        let mut seen = Seen::default();
        let mut likely = 0;
        let mut last = None;
        for (key, value) in object.member_nodes() {
            last = Some(value);
            let mut schema = None;
            if let Some(place) = rule.place_of(key, likely) {
                let property = rule.properties.get(place)?;
                seen.add(property);
                schema = property.schema;
                likely = place + 1;
            }
            match (schema, rule.others) {
                (Some(id), _) | (None, Others::Fitting(id)) => {
                    self.value(id, value, applies)?;
                }
                (None, Others::Anything) => {}
                (None, Others::Refused) => return None,
            }
        }
        for property in rule.missing(seen) {
            match (&property.default, applies) {
                (_, Applies::Perhaps) if !property.is_required => {}
                // One member more may be one too many.
                (Default::Sure(text), Applies::Alone) if rule.most == u64::MAX => {
                    self.filled += text.len();
                    self.fills.push(Fill { object, last, name: &property.name, text });
                }
                (default, _) => {
                    self.gave_up.lacks_default = *default != Default::None;
                    return None;
                }
            }
        }
        if self.filled > MAX_FILLED {
            self.gave_up.lacks_default = true;
            return None;
        }
        Some(Valid)
    }
}
