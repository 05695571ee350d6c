//! A value, read in another way than it was sent.

use super::RepairRule;
use super::place::Place;
use toolgate_json::{Edit, Node};

/// A value, read in another way.
#[derive(Clone)]
pub(super) struct Reading<'t> {
    pub(super) rule: RepairRule,
    pub(super) change: Change<'t>,
}

/// What a reading does to the arguments.
#[derive(Clone)]
pub(super) enum Change<'t> {
    /// The value is another one.
    Replace(Edit),
    /// The value's property is absent.
    Remove { object: Node<'t>, value: Node<'t> },
}

impl<'t> Reading<'t> {
    /// The value replaced by a JSON text.
    pub(super) fn replacing(place: &Place<'t>, rule: RepairRule, text: String) -> Self {
        Self { rule, change: Change::Replace(Edit::replace(place.node, text)) }
    }
}

/// White space around a text, as JSON knows it.
pub(super) fn trim_blanks(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}
