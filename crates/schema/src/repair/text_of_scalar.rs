//! Rules `text_of_number` and `text_of_boolean`: a text that was sent without quotes. A number keeps its spelling.

use super::RepairRule;
use super::place::Place;
use super::reading::Reading;
use toolgate_json::Kind;

pub(super) fn read_number<'t>(place: &Place<'t>) -> Option<Reading<'t>> {
    let written = place.node.as_number().filter(|_| place.wants(Kind::String))?;
    Some(Reading::replacing(place, RepairRule::TextOfNumber, format!("\"{written}\"")))
}

pub(super) fn read_boolean<'t>(place: &Place<'t>) -> Option<Reading<'t>> {
    let value = place.node.as_bool().filter(|_| place.wants(Kind::String))?;
    Some(Reading::replacing(place, RepairRule::TextOfBoolean, format!("\"{value}\"")))
}
