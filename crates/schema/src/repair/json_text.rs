//! Rule `json_text`: an object or array that was sent as JSON text, where no text is allowed.

use super::RepairRule;
use super::place::Place;
use super::reading::Reading;
use toolgate_json::{Kind, Limits, Tape};

pub(super) fn read<'t>(place: &Place<'t>) -> Option<Reading<'t>> {
    let text = place.text().filter(|_| place.takes_no_text())?;
    let decoded = decode(&text, &Limits::for_arguments(text.len()))?;
    let is_wanted = place.wants(decoded.root().kind());
    is_wanted.then(|| Reading::replacing(place, RepairRule::JsonText, decoded.root().raw().to_owned()))
}

/// The object or array of a JSON text. A text that names a property twice is not taken: one of the values would be lost.
pub(super) fn decode(text: &str, limits: &Limits) -> Option<Tape> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let tape = Tape::parse(text, limits).ok()?;
    let is_container = matches!(tape.root().kind(), Kind::Object | Kind::Array);
    (is_container && tape.text() == text).then_some(tape)
}
