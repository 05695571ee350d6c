//! Rule `single_item`: one value where an array is wanted.
//!
//! Not for the elements of an array: whether each is a single item, or the array is one, can't be known. A text that may
//! stand for several items, or that encodes an object or array, is not a single item either.

use super::RepairRule;
use super::json_text;
use super::place::Place;
use super::reading::Reading;
use toolgate_json::{Kind, Limits};

/// Characters between the items of a list that is written as text.
const LIST_SEPARATORS: [char; 17] =
    [',', ';', '|', '\n', '\r', '\t', '\u{b}', '\u{85}', '\u{2028}', '\u{2029}', '，', '、', '；', '｜', '،', '؛', '•'];
/// How a list, or a value that is written as code, begins.
const LIST_BEGINNINGS: [&str; 7] = ["[", "{", "(", "\"", "'", "- ", "* "];

/// Words for a list without items.
const NOTHING: [&str; 7] = ["null", "none", "nil", "undefined", "nothing", "empty", "n/a"];

pub(super) fn read<'t>(place: &Place<'t>) -> Option<Reading<'t>> {
    let is_element = place.parent.is_none_or(|parent| parent.kind() == Kind::Array);
    if is_element || !place.wants(Kind::Array) || place.node.kind() == Kind::Array {
        return None;
    }
    if place.text().is_some_and(|text| may_be_list(&text)) {
        return None;
    }
    Some(Reading::replacing(place, RepairRule::SingleItem, format!("[{}]", place.node.raw())))
}

fn may_be_list(text: &str) -> bool {
    let trimmed = text.trim();
    let is_code = trimmed.is_empty() || LIST_BEGINNINGS.iter().any(|beginning| trimmed.starts_with(beginning));
    let is_nothing = NOTHING.iter().any(|word| trimmed.eq_ignore_ascii_case(word));
    is_code
        || is_nothing
        || begins_with_number(trimmed)
        || text.contains(LIST_SEPARATORS)
        || json_text::decode(text, &Limits::for_arguments(text.len())).is_some()
}

/// Whether a text begins as the first item of a numbered list does: `1. ` or `1) `.
fn begins_with_number(text: &str) -> bool {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    rest.len() < text.len() && [". ", ") "].iter().any(|mark| rest.starts_with(mark))
}
