//! Judging, once, what a property's own schema takes: its default, and `null`.
//!
//! All questions of a document are answered by one validator in one run: an array that holds the values asked about, each
//! under the schema that it is about.

use std::collections::HashSet;

use jsonschema::Validator;
use serde_json::Value;

use super::{Applied, Certainty, NodeId, Plan, Property};
use crate::json::{Limits, Tape, pointer};
use crate::schema::SchemaError;
use crate::schema::complete::filled_default;
use crate::schema::document::Document;
use crate::schema::representation::OnTape;

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

struct Question {
    slot: Slot,
    subject: Subject,
    /// JSON Pointer of the schema that is asked.
    pointer: String,
}

/// The questions about a document.
#[derive(Default)]
pub(super) struct Judgement {
    questions: Vec<Question>,
    /// Properties whose schema plainly rejects `null`, without asking.
    rejecting: Vec<Slot>,
}

impl Judgement {
    pub(super) fn ask_property(&mut self, slot: Slot, schema: &Value, pointer: String, is_required: bool) {
        if let Some(default) = schema.get("default").and_then(tape_of) {
            self.questions.push(Question {
                slot,
                subject: Subject::PropertyDefault(default),
                pointer: pointer.clone(),
            });
        }
        match plainly_rejects_null(schema) {
            Some(true) => self.rejecting.push(slot),
            // What is required here is never dropped, whatever it takes.
            Some(false) => {}
            None if is_required => {}
            None => self.questions.push(Question { slot, subject: Subject::Null, pointer }),
        }
    }

    pub(super) fn ask_element(&mut self, slot: Slot, schema: &Value, pointer: String) {
        if let Some(default) = schema.get("default").and_then(tape_of) {
            self.questions.push(Question { slot, subject: Subject::ElementDefault(default), pointer });
        }
    }

    /// Answers all questions into the plan.
    pub(super) fn settle(self, document: &Document<'_>, plan: &mut Plan) -> Result<(), SchemaError> {
        for slot in &self.rejecting {
            if let Some(property) = plan.property_mut(*slot) {
                property.rejects_null = true;
            }
        }
        if self.questions.is_empty() {
            return Ok(());
        }
        let pointers: Vec<&str> = self.questions.iter().map(|question| question.pointer.as_str()).collect();
        let validator = document.validator_of_parts(&pointers)?;
        for round in 0..ROUNDS {
            let accepted = self.accepted(&validator, plan, round);
            if !self.record(&accepted, plan) {
                break;
            }
            plan.mark_reach();
        }
        Ok(())
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
            match &question.subject {
                Subject::Null => {
                    if let Some(property) = plan.property_mut(question.slot) {
                        property.rejects_null = !is_accepted;
                    }
                }
                Subject::PropertyDefault(default) => {
                    is_changed |=
                        plan.property_mut(question.slot).is_some_and(|slot| slot.offer(default, *is_accepted));
                }
                Subject::ElementDefault(default) => {
                    is_changed |= plan.leading_mut(question.slot).is_some_and(|slot| slot.offer(default, *is_accepted));
                }
            }
        }
        is_changed
    }
}

impl Question {
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

/// Keywords whose schemas may reject `null` as well.
const COMBINING: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "$dynamicRef", "$recursiveRef"];

/// What a schema says about `null` on its face; `None` where that takes a validator.
fn plainly_rejects_null(schema: &Value) -> Option<bool> {
    let Value::Object(keywords) = schema else {
        return schema.as_bool().map(|accepts| !accepts);
    };
    if keywords.contains_key("$ref") {
        return None;
    }
    let rejecting_type = keywords.get("type").is_some_and(|types| match types {
        Value::String(name) => name != "null",
        Value::Array(names) => !names.iter().any(|name| name == "null"),
        _ => false,
    });
    let rejecting_enum = keywords.get("enum").and_then(Value::as_array).is_some_and(|all| !all.contains(&Value::Null));
    let rejecting_const = keywords.get("const").is_some_and(|value| !value.is_null());
    if rejecting_type || rejecting_enum || rejecting_const {
        return Some(true);
    }
    if COMBINING.iter().any(|keyword| keywords.contains_key(*keyword)) { None } else { Some(false) }
}
