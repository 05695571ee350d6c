//! "Did you mean" suggestions for misspelt names, for tool authors and for models.

mod name_index;

pub use name_index::NameIndex;

/// Maximum length of a compared name in bytes: names come from a model, and the time is the product of both lengths.
const MAX_COMPARED_BYTES: usize = 100;

/// Returns the candidate with the smallest optimal string alignment distance to `name`, if the distance is small enough
/// for a typing error: at most a third of the name's length, between 1 and 3.
///
/// ```
/// use toolgate_did_you_mean::suggest;
///
/// assert_eq!(suggest("kb_serach", ["kb_get", "kb_search"]), Some("kb_search"));
/// assert_eq!(suggest("weather", ["kb_get", "kb_search"]), None);
/// ```
#[must_use]
pub fn suggest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if name.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let (letters, plain, allowed) = (CharCounts::from_name(name), normalize(name), max_edits(name));
    let similarity = Similarity::to(name, &plain);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= MAX_COMPARED_BYTES)
        // Fast path: the lower bound rejects nearly all candidates and is much cheaper than the distance.
        .filter(|candidate| letters.min_edits(&CharCounts::from_name(candidate)) <= allowed)
        .filter_map(|candidate| Some((similarity.distance(candidate)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of typing errors that a name of this length may have.
fn max_edits(name: &str) -> usize {
    (name.chars().count() / 3).clamp(1, 3)
}

/// The similarity of candidates to one name.
struct Similarity<'n> {
    name: &'n str,
    plain: &'n str,
    allowed: usize,
}

impl<'n> Similarity<'n> {
    fn to(name: &'n str, plain: &'n str) -> Self {
        Self { name, plain, allowed: max_edits(name) }
    }

    /// The distance of a candidate; `None` if it is too large for a typing error, or the candidate is the name itself.
    fn distance(&self, candidate: &str) -> Option<usize> {
        let distance = || strsim::osa_distance(self.plain, &normalize(candidate));
        let is_near = |distance: &usize| *distance <= self.allowed && *distance < candidate.chars().count();
        (candidate != self.name).then(distance).filter(is_near)
    }
}

/// Removes case and separators, since models mix them: `startDate`, `start_date`, `start-date`.
fn normalize(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for_each_normalized_char(name, |character| plain.push(character));
    plain
}

fn for_each_normalized_char(name: &str, mut take: impl FnMut(char)) {
    for character in name.chars() {
        match character {
            '_' | '-' | ' ' => {}
            ascii if ascii.is_ascii() => take(ascii.to_ascii_lowercase()),
            other => other.to_lowercase().for_each(&mut take),
        }
    }
}

/// The number of occurrences of each character in a normalized name; characters share 32 counters.
#[derive(Debug)]
struct CharCounts([u8; 32]);

impl CharCounts {
    /// Counts the characters of a name; at most [`MAX_COMPARED_BYTES`] bytes, so the counters do not overflow.
    fn from_name(name: &str) -> Self {
        let mut counts = [0_u8; 32];
        for_each_normalized_char(name, |character| {
            let place = character as usize % counts.len();
            if let Some(count) = counts.get_mut(place) {
                *count = count.saturating_add(1);
            }
        });
        Self(counts)
    }

    /// A lower bound of the edit distance: each edit adds at most one character and removes at most one.
    fn min_edits(&self, other: &Self) -> usize {
        // In bytes, so that compilers vectorize it. Of names that are compared a sum fits; a wrapped one is a bound, too.
        let sum_of = |(one, other): (&Self, &Self)| {
            one.0.iter().zip(&other.0).fold(0_u8, |sum, (one, other)| sum.wrapping_add(one.saturating_sub(*other)))
        };
        usize::from(sum_of((self, other)).max(sum_of((other, self))))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn suggests_only_near_names() {
        let known = ["title", "start_date", "id"];
        assert_eq!(suggest("titel", known), Some("title"));
        assert_eq!(suggest("startDate", known), Some("start_date"));
        assert_eq!(suggest("Title", known), Some("title"));
        assert_eq!(suggest("colour", known), None);
        assert_eq!(suggest("x", known), None);
        assert_eq!(suggest(&"t".repeat(5000), known), None);
    }

    /// The reference implementation, without the lower bound.
    fn suggest_by_distance<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
        let allowed = (name.chars().count() / 3).clamp(1, 3);
        let plain = |name: &str| -> String {
            name.chars().filter(|each| !matches!(each, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
        };
        let distance = |candidate: &&str| strsim::osa_distance(&plain(name), &plain(candidate));
        let near = candidates.iter().copied().filter(|candidate| {
            *candidate != name && distance(candidate) <= allowed && distance(candidate) < candidate.chars().count()
        });
        near.min_by_key(distance)
    }

    proptest! {
        #[test]
        fn the_lower_bound_rejects_no_near_name(
            name in "[a-cA-C_éÉİ \u{1f600}-]{1,12}",
            others in proptest::collection::vec("[a-cA-C_éÉİ \u{1f600}-]{1,12}", 1..8),
        ) {
            let candidates: Vec<&str> = others.iter().map(String::as_str).collect();
            prop_assert_eq!(suggest(&name, candidates.iter().copied()), suggest_by_distance(&name, &candidates));
        }
    }
}
