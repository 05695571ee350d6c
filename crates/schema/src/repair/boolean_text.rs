//! Rule `boolean_text`: a boolean that was sent as text, in any case.

use super::RepairRule;
use super::place::Place;
use super::reading::{Reading, trim_blanks};
use toolgate_json::Kind;

pub(super) fn read<'t>(place: &Place<'t>) -> Option<Reading<'t>> {
    if !place.takes_no_text() || !place.wants(Kind::Bool) {
        return None;
    }
    let text = place.text()?;
    let meant = ["true", "false"].into_iter().find(|word| trim_blanks(&text).eq_ignore_ascii_case(word))?;
    Some(Reading::replacing(place, RepairRule::BooleanText, meant.to_owned()))
}
