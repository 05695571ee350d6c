//! The readings of one value by all rules.

use super::place::Place;
use super::{
    RepairRule, boolean_text, enum_spelling, json_text, null_absent, number_text, single_item, text_of_scalar,
};
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

/// A rule as a function: its reading of the value, if it has one.
type ReadValue = for<'t> fn(&Place<'t>) -> Option<Reading<'t>>;

const READINGS: [ReadValue; 7] = [
    json_text::read,
    number_text::read,
    boolean_text::read,
    text_of_scalar::read_number,
    text_of_scalar::read_boolean,
    single_item::read,
    null_absent::read,
];

/// All readings of a value. They may not fit.
pub(super) fn read_by_all_rules<'t>(place: &Place<'t>) -> Vec<Reading<'t>> {
    let one_by_rule = READINGS.iter().filter_map(|read| read(place));
    one_by_rule.chain(enum_spelling::read_all(place)).collect()
}

/// White space around a text, as JSON knows it.
pub(super) fn trim_blanks(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}
