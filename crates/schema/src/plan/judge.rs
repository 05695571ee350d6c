//! Judging, once, what a property's own schema takes: its default, and `null`.
//!
//! All questions of a document are answered by one validator in one run: an array that holds the values asked about, each
//! under the schema that it is about.

use std::collections::HashSet;

use jsonschema::Validator;
use serde_json::Value;

use super::plain::{plainly_accepts, plainly_rejects_null};
use super::{Applied, Certainty, NodeId, Plan, Property};
use crate::SchemaError;
use crate::complete::filled_default;
use crate::document::Document;
use crate::representation::OnTape;
use toolgate_json::{Limits, Tape, pointer};

/// Defaults that hold others are judged as they will be filled in, which can change what is filled into others. Schemas
/// that do not come to rest in this many rounds contradict themselves.
const ROUNDS: usize = 4;

/// Where an answer belongs: the index of a property or leading element of a node.
type Slot = (NodeId, usize);

enum Subject {
    Null,
    PropertyDefault(Tape),
    ElementDefault(Tape),
}

/// A schema that is asked.
pub(super) struct Asked<'d> {
    pub(super) schema: &'d Value,
    /// Its JSON Pointer; none where the document stands alone, so that the schema says everything itself.
    pub(super) pointer: Option<String>,
}

struct Question<'d> {
    slot: Slot,
    subject: Subject,
    asked: Asked<'d>,
}

/// The questions about a document.
#[derive(Default)]
pub(super) struct Judgement<'d> {
    questions: Vec<Question<'d>>,
    /// What is plain without asking: properties that reject `null`, and defaults that fit.
    rejecting: Vec<Slot>,
    fitting: Vec<(Slot, Subject)>,
}

impl<'d> Judgement<'d> {
    pub(super) fn ask_property(&mut self, slot: Slot, asked: Asked<'d>, is_required: bool) {
        let Asked { schema, pointer } = asked;
        if let Some(default) = schema.get("default") {
            self.ask_default(slot, Asked { schema, pointer: pointer.clone() }, default, Subject::PropertyDefault);
        }
        match plainly_rejects_null(schema) {
            Some(true) => self.rejecting.push(slot),
            // What is required here is never dropped, whatever it takes.
            Some(false) => {}
            None if is_required => {}
            None => self.questions.push(Question { slot, subject: Subject::Null, asked: Asked { schema, pointer } }),
        }
    }

    pub(super) fn ask_element(&mut self, slot: Slot, asked: Asked<'d>) {
        if let Some(default) = asked.schema.get("default") {
            self.ask_default(slot, asked, default, Subject::ElementDefault);
        }
    }

    fn ask_default(&mut self, slot: Slot, asked: Asked<'d>, default: &Value, subject: fn(Tape) -> Subject) {
        let Some(subject) = tape_of(default).map(subject) else { return };
        if plainly_accepts(asked.schema, default) {
            self.fitting.push((slot, subject));
        } else {
            self.questions.push(Question { slot, subject, asked });
        }
    }

    /// Answers all questions into the plan.
    pub(super) fn settle(self, document: &Document<'_>, plan: &mut Plan) -> Result<(), SchemaError> {
        for slot in &self.rejecting {
            if let Some(property) = plan.property_mut(*slot) {
                property.rejects_null = true;
            }
        }
        for (slot, subject) in &self.fitting {
            subject.record(*slot, true, plan);
        }
        if self.questions.is_empty() {
            return Ok(());
        }
        let validator = self.validator(document)?;
        for round in 0..ROUNDS {
            let accepted = self.accepted(&validator, plan, round);
            if !self.record(&accepted, plan) {
                break;
            }
            plan.mark_reach();
        }
        Ok(())
    }

    /// A validator of arrays that hold an answer to each question.
    fn validator(&self, document: &Document<'_>) -> Result<Validator<OnTape>, SchemaError> {
        let asked = self.questions.iter().map(|question| &question.asked);
        let pointers: Vec<&str> = asked.clone().filter_map(|asked| asked.pointer.as_deref()).collect();
        if pointers.is_empty() {
            return document.validator_of_copies(asked.map(|asked| asked.schema));
        }
        document.validator_of_parts(&pointers)
    }

    /// Which of the values are accepted. From the second round on defaults are judged with what is filled into them.
    fn accepted(&self, validator: &Validator<OnTape>, plan: &Plan, round: usize) -> Vec<bool> {
        let values: Vec<String> = self.questions.iter().map(|question| question.value(plan, round)).collect();
        let text = format!("[{}]", values.join(","));
        let Ok(tape) = Tape::parse(text, &Limits::widest()) else {
            return vec![false; values.len()];
        };
        let refused: HashSet<usize> = validator
            .iter_errors(tape.root())
            .filter_map(|error| {
                let first = pointer::tokens(error.instance_path().as_str()).next()?.into_owned();
                pointer::index(&first)
            })
            .collect();
        (0..values.len()).map(|index| !refused.contains(&index)).collect()
    }

    /// Writes the answers down; true where one has changed.
    fn record(&self, accepted: &[bool], plan: &mut Plan) -> bool {
        let mut is_changed = false;
        for (question, is_accepted) in self.questions.iter().zip(accepted) {
            is_changed |= question.subject.record(question.slot, *is_accepted, plan);
        }
        is_changed
    }
}

impl Subject {
    /// Writes an answer down; true where a default has come or gone by it.
    fn record(&self, slot: Slot, is_accepted: bool, plan: &mut Plan) -> bool {
        match self {
            Self::Null => {
                if let Some(property) = plan.property_mut(slot) {
                    property.rejects_null = !is_accepted;
                }
                false
            }
            Self::PropertyDefault(default) => {
                plan.property_mut(slot).is_some_and(|property| property.offer(default, is_accepted))
            }
            Self::ElementDefault(default) => {
                plan.leading_mut(slot).is_some_and(|element| element.offer(default, is_accepted))
            }
        }
    }
}

impl Question<'_> {
    fn value(&self, plan: &Plan, round: usize) -> String {
        let (default, property) = match &self.subject {
            Subject::Null => return "null".to_owned(),
            Subject::PropertyDefault(default) => (default, plan.node(self.slot.0).properties.get(self.slot.1)),
            Subject::ElementDefault(default) => (default, plan.node(self.slot.0).leading.get(self.slot.1)),
        };
        match property {
            Some(property) if round > 0 => {
                let applied = plan.expand([Applied { node: property.node, certainty: Certainty::Certain }]);
                filled_default(plan, default, &applied)
            }
            _ => default.text().to_owned(),
        }
    }
}

impl Property {
    /// Takes or leaves a default; true where that is news.
    fn offer(&mut self, default: &Tape, is_accepted: bool) -> bool {
        if self.default.is_some() == is_accepted {
            return false;
        }
        self.default = is_accepted.then(|| default.clone());
        true
    }
}

impl Plan {
    fn property_mut(&mut self, slot: Slot) -> Option<&mut Property> {
        self.nodes.get_mut(slot.0)?.properties.get_mut(slot.1)
    }

    fn leading_mut(&mut self, slot: Slot) -> Option<&mut Property> {
        self.nodes.get_mut(slot.0)?.leading.get_mut(slot.1)
    }
}

fn tape_of(value: &Value) -> Option<Tape> {
    Tape::parse(value.to_string(), &Limits::widest()).ok()
}
