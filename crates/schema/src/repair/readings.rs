//! The readings of one value by all rules.

use super::place::Place;
use super::reading::Reading;
use super::{boolean_text, enum_spelling, json_text, null_absent, number_text, single_item, text_of_scalar};

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
