//! Checks, at compile time, whether a property's own schema accepts its default and `null`.
//!
//! One validator runs all checks of a document at once: it validates an array of the checked values, each element
//! against its own schema.

use std::collections::HashSet;

use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::static_checks::{statically_accepts, statically_rejects_null};
use super::{AnnotationPlan, AppliedSchema, Certainty, NodeId, PlanProperty};
use crate::SchemaError;
use crate::complete::expand_default;
use crate::document::Document;
use crate::pattern_steps::run_with_steps;
use crate::tape_json::TapeJson;
use toolgate_json::{Limits, Tape, pointer};

/// The largest number of rounds. Defaults are checked with their nested defaults filled, so a result can change the
/// value of another check. Schemas without a fixed point after this many rounds contradict themselves.
const MAX_ROUNDS: usize = 4;

/// The position of a checked property or prefix item: its node and its index there.
type PropertyIndex = (NodeId, usize);

enum CheckedValue {
    Null,
    PropertyDefault(Tape),
    ElementDefault(Tape),
}

/// The schema of an acceptance check.
pub(super) struct CheckedSchema<'d> {
    pub(super) schema: &'d Value,
    /// Its JSON Pointer; `None` if the document is self-contained, so that a copy of the schema is enough.
    pub(super) pointer: Option<String>,
}

struct AcceptanceCheck<'d> {
    index: PropertyIndex,
    value: CheckedValue,
    target: CheckedSchema<'d>,
}

/// The acceptance checks of a document.
#[derive(Default)]
pub(super) struct AcceptanceChecks<'d> {
    checks: Vec<AcceptanceCheck<'d>>,
    /// Results known without the validator: properties that reject `null`, and accepted defaults.
    null_rejecting: Vec<PropertyIndex>,
    accepted_defaults: Vec<(PropertyIndex, CheckedValue)>,
}

impl<'d> AcceptanceChecks<'d> {
    pub(super) fn add_property(&mut self, slot: PropertyIndex, asked: CheckedSchema<'d>, is_required: bool) {
        let CheckedSchema { schema, pointer } = asked;
        if let Some(default) = schema.get("default") {
            self.add_default(
                slot,
                CheckedSchema { schema, pointer: pointer.clone() },
                default,
                CheckedValue::PropertyDefault,
            );
        }
        match statically_rejects_null(schema) {
            Some(true) => self.null_rejecting.push(slot),
            // A null for a required property is never dropped.
            Some(false) => {}
            None if is_required => {}
            None => self.checks.push(AcceptanceCheck {
                index: slot,
                value: CheckedValue::Null,
                target: CheckedSchema { schema, pointer },
            }),
        }
    }

    pub(super) fn add_element(&mut self, slot: PropertyIndex, asked: CheckedSchema<'d>) {
        if let Some(default) = asked.schema.get("default") {
            self.add_default(slot, asked, default, CheckedValue::ElementDefault);
        }
    }

    fn add_default(
        &mut self,
        slot: PropertyIndex,
        asked: CheckedSchema<'d>,
        default: &Value,
        subject: fn(Tape) -> CheckedValue,
    ) {
        let Some(subject) = to_tape(default).map(subject) else { return };
        if statically_accepts(asked.schema, default) {
            self.accepted_defaults.push((slot, subject));
        } else {
            self.checks.push(AcceptanceCheck { index: slot, value: subject, target: asked });
        }
    }

    /// Runs all checks and stores their results in the plan.
    pub(super) fn resolve_into(self, document: &Document<'_>, plan: &mut AnnotationPlan) -> Result<(), SchemaError> {
        for slot in &self.null_rejecting {
            if let Some(property) = plan.property_mut(*slot) {
                property.rejects_null = true;
            }
        }
        for (slot, subject) in &self.accepted_defaults {
            subject.store_result(*slot, true, plan);
        }
        if self.checks.is_empty() {
            return Ok(());
        }
        let validator = self.validator(document)?;
        for round in 0..MAX_ROUNDS {
            let accepted = self.run(&validator, plan, round);
            if !self.store_results(&accepted, plan) {
                break;
            }
            plan.compute_subtrees();
        }
        Ok(())
    }

    /// The validator of an array with the value of each check.
    fn validator(&self, document: &Document<'_>) -> Result<Validator<TapeJson>, SchemaError> {
        let asked = self.checks.iter().map(|question| &question.target);
        let pointers: Vec<&str> = asked.clone().filter_map(|asked| asked.pointer.as_deref()).collect();
        if pointers.is_empty() {
            return document.tuple_validator_by_copy(asked.map(|asked| asked.schema));
        }
        document.tuple_validator_by_pointer(&pointers)
    }

    /// Whether each value is accepted. From the second round on, defaults are checked with nested defaults filled.
    fn run(&self, validator: &Validator<TapeJson>, plan: &AnnotationPlan, round: usize) -> Vec<bool> {
        let values: Vec<String> = self.checks.iter().map(|question| question.text(plan, round)).collect();
        let text = format!("[{}]", values.join(","));
        let Ok(tape) = Tape::parse(text, &Limits::widest()) else {
            return vec![false; values.len()];
        };
        let index = |error: ValidationError<'_>| {
            let first = pointer::tokens(error.instance_path().as_str()).next()?.into_owned();
            pointer::parse_index(&first)
        };
        let refused = || validator.iter_errors(tape.root()).filter_map(index).collect::<HashSet<usize>>();
        let Ok(refused) = run_with_steps(tape.text().len(), refused) else {
            // Unknown: no default is filled, and no null is dropped.
            return self.checks.iter().map(|check| matches!(check.value, CheckedValue::Null)).collect();
        };
        (0..values.len()).map(|index| !refused.contains(&index)).collect()
    }

    /// Stores the results. Returns true if a default was added or removed.
    fn store_results(&self, accepted: &[bool], plan: &mut AnnotationPlan) -> bool {
        let mut is_changed = false;
        for (question, is_accepted) in self.checks.iter().zip(accepted) {
            is_changed |= question.value.store_result(question.index, *is_accepted, plan);
        }
        is_changed
    }
}

impl CheckedValue {
    /// Stores a result. Returns true if a default was added or removed.
    fn store_result(&self, slot: PropertyIndex, is_accepted: bool, plan: &mut AnnotationPlan) -> bool {
        match self {
            Self::Null => {
                if let Some(property) = plan.property_mut(slot) {
                    property.rejects_null = !is_accepted;
                }
                false
            }
            Self::PropertyDefault(default) => {
                plan.property_mut(slot).is_some_and(|property| property.set_default(default, is_accepted))
            }
            Self::ElementDefault(default) => {
                plan.leading_mut(slot).is_some_and(|element| element.set_default(default, is_accepted))
            }
        }
    }
}

impl AcceptanceCheck<'_> {
    fn text(&self, plan: &AnnotationPlan, round: usize) -> String {
        let (default, property) = match &self.value {
            CheckedValue::Null => return "null".to_owned(),
            CheckedValue::PropertyDefault(default) => (default, plan.node(self.index.0).properties.get(self.index.1)),
            CheckedValue::ElementDefault(default) => (default, plan.node(self.index.0).prefix_items.get(self.index.1)),
        };
        match property {
            Some(property) if round > 0 => {
                let applied = plan.expand([AppliedSchema { node: property.node, certainty: Certainty::Certain }]);
                expand_default(plan, default, &applied)
            }
            _ => default.text().to_owned(),
        }
    }
}

impl PlanProperty {
    /// Sets or removes a default. Returns true if that is a change.
    fn set_default(&mut self, default: &Tape, is_accepted: bool) -> bool {
        if self.default.is_some() == is_accepted {
            return false;
        }
        self.default = is_accepted.then(|| default.clone());
        true
    }
}

impl AnnotationPlan {
    fn property_mut(&mut self, slot: PropertyIndex) -> Option<&mut PlanProperty> {
        self.nodes.get_mut(slot.0)?.properties.get_mut(slot.1)
    }

    fn leading_mut(&mut self, slot: PropertyIndex) -> Option<&mut PlanProperty> {
        self.nodes.get_mut(slot.0)?.prefix_items.get_mut(slot.1)
    }
}

fn to_tape(value: &Value) -> Option<Tape> {
    Tape::parse(value.to_string(), &Limits::widest()).ok()
}
