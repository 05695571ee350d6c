//! Rule `enum_spelling`: an enum value in another case, or with `-`, `_` or a blank exchanged.

use super::RepairRule;
use super::place::Place;
use super::readings::Reading;
use toolgate_json::write_string;

pub(super) fn read<'t>(place: &Place<'t>) -> Option<Reading<'t>> {
    let sent = place.text()?;
    let allowed = place.allowed_texts();
    let mut spelt_alike = allowed.into_iter().filter(|allowed| are_alike(&sent, allowed));
    let (Some(meant), None) = (spelt_alike.next(), spelt_alike.next()) else { return None };
    let mut text = String::with_capacity(meant.len() + 2);
    write_string(&mut text, meant);
    Some(Reading::replacing(place, RepairRule::EnumSpelling, text))
}

/// Whether two texts differ only in case and in the characters between words.
fn are_alike(one: &str, other: &str) -> bool {
    let mut others = other.chars();
    one.chars().all(|character| others.next().is_some_and(|other| is_same_letter(character, other)))
        && others.next().is_none()
}

fn is_same_letter(one: char, other: char) -> bool {
    const BETWEEN_WORDS: [char; 3] = ['-', '_', ' '];
    one == other
        || (BETWEEN_WORDS.contains(&one) && BETWEEN_WORDS.contains(&other))
        // No letter of another script stands for one of ASCII: the sign of the kelvin is not a `k`.
        || (one.is_ascii() == other.is_ascii() && one.to_lowercase().eq(other.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::are_alike;

    #[test]
    fn case_and_word_separators_do_not_matter() {
        for (one, other) in [("CELSIUS", "celsius"), ("round trip", "round_trip"), ("A-b c", "a_B_C"), ("Ä", "ä")] {
            assert!(are_alike(one, other) && are_alike(other, one), "{one} {other}");
        }
        for (one, other) in
            [("roundtrip", "round_trip"), ("a", "ab"), (" a", "a"), ("a.b", "a_b"), ("\u{212a}", "k"), ("ß", "ss")]
        {
            assert!(!are_alike(one, other) && !are_alike(other, one), "{one} {other}");
        }
    }
}
