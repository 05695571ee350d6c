//! Rule `enum_spelling`: an enum value in another case, or with `-`, `_` or a blank exchanged.

use super::RepairRule;
use super::place::Place;
use super::reading::Reading;
use toolgate_json::write_string;

/// The values that are spelt alike; more than one are as many readings.
pub(super) fn read_all<'t>(place: &Place<'t>) -> Vec<Reading<'t>> {
    let Some(sent) = place.text() else { return Vec::new() };
    let spelt_alike = place.allowed_texts().into_iter().filter(|allowed| are_alike(&sent, allowed));
    let reading = |meant: &str| {
        let mut text = String::with_capacity(meant.len() + 2);
        write_string(&mut text, meant);
        Reading::replacing(place, RepairRule::EnumSpelling, text)
    };
    spelt_alike.take(2).map(reading).collect()
}

/// The characters between words.
const BETWEEN_WORDS: [char; 3] = ['-', '_', ' '];

/// Whether two texts differ only in case and in the characters between words.
fn are_alike(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let is_word = |place: Option<usize>| place.and_then(|at| one.get(at)).is_some_and(|c| c.is_alphanumeric());
    let are_equal = |(place, (one, other)): (usize, (&char, &char))| {
        one == other
            || is_same_letter(*one, *other)
            // At the ends, or beside another sign, it may be a sign itself: `-5`, `A-`.
            || (BETWEEN_WORDS.contains(one)
                && BETWEEN_WORDS.contains(other)
                && is_word(place.checked_sub(1))
                && is_word(place.checked_add(1)))
    };
    one.len() == other.len()
        && one.iter().zip(&other).enumerate().all(are_equal)
        && (has_equal_case(&one, &other) || (is_case_style(&one) && is_case_style(&other)))
}

fn is_same_letter(one: char, other: char) -> bool {
    // No letter of another script stands for one of ASCII: the sign of the kelvin is not a `k`.
    one.is_ascii() == other.is_ascii() && one.to_lowercase().eq(other.to_lowercase())
}

fn has_equal_case(one: &[char], other: &[char]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other || !one.is_alphabetic())
}

/// Whether the case of a text is a matter of style. In short ones it carries meaning: `m` and `M`, `mW` and `MW`.
fn is_case_style(text: &[char]) -> bool {
    let letters: Vec<char> = text.iter().copied().filter(|c| c.is_alphabetic()).collect();
    let is_uniform = letters.iter().all(|c| c.is_lowercase()) || letters.iter().all(|c| c.is_uppercase());
    let is_capitalised = letters
        .split_first()
        .is_some_and(|(first, rest)| first.is_uppercase() && rest.iter().all(|c| c.is_lowercase()));
    match letters.len() {
        0 | 1 => false,
        2 => is_uniform,
        3 => is_uniform || is_capitalised,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::are_alike;

    #[test]
    fn case_and_word_separators_do_not_matter() {
        for (one, other) in [
            ("CELSIUS", "celsius"),
            ("round trip", "round_trip"),
            ("A-bee c", "a_BEE_C"),
            ("ÄÖ", "äö"),
            ("Low", "low"),
            ("EN", "en"),
        ] {
            assert!(are_alike(one, other) && are_alike(other, one), "{one} {other}");
        }
        for (one, other) in [
            ("roundtrip", "round_trip"),
            ("a", "ab"),
            (" a", "a"),
            ("a.b", "a_b"),
            ("\u{212a}", "k"),
            ("ß", "ss"),
            (" 5", "-5"),
            ("A ", "A-"),
            ("_all", "-all"),
            ("a --b", "a---b"),
            ("m", "M"),
            ("mW", "MW"),
            ("Mb", "MB"),
            ("kHz", "KHZ"),
        ] {
            assert!(!are_alike(one, other) && !are_alike(other, one), "{one} {other}");
        }
    }
}
