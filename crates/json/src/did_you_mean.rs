//! "Did you mean" suggestions for misspelt names, for tool authors and for models.

/// Maximum length of a compared name in characters: names come from a model.
const MAX_CHARS: usize = 64;
/// Maximum number of distances that a search computes; the candidates with the most common letters come first.
const MAX_COMPARED: usize = 32;

/// Returns the candidate with the smallest optimal string alignment distance to `name`, the first of several, if the
/// distance is small enough for a typing error: at most a third of the name's length, between 1 and 3. The case of
/// ASCII letters, `_`, `-` and spaces do not count, since models mix them: `startDate`, `start_date`.
///
/// ```
/// use toolgate_json::suggest;
///
/// assert_eq!(suggest("kb_serach", ["kb_get", "kb_search"]), Some("kb_search"));
/// assert_eq!(suggest("weather", ["kb_get", "kb_search"]), None);
/// ```
#[must_use]
pub fn suggest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let length = name.chars().count();
    if length > MAX_CHARS {
        return None;
    }
    let allowed = (length / 3).clamp(1, 3);
    let letters = count_letters(name);
    let mut near: Vec<(u8, usize, &str)> = candidates
        .into_iter()
        .enumerate()
        .filter(|(_, candidate)| *candidate != name && candidate.chars().count() <= MAX_CHARS)
        .map(|(place, candidate)| (min_edits(&letters, &count_letters(candidate)), place, candidate))
        .filter(|(min_edits, ..)| usize::from(*min_edits) <= allowed)
        .collect();
    near.sort_unstable();
    let plain = normalize(name);
    near.into_iter()
        .take(MAX_COMPARED)
        .map(|(_, place, candidate)| (strsim::osa_distance(&plain, &normalize(candidate)), place, candidate))
        .filter(|(distance, _, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min()
        .map(|(.., candidate)| candidate)
}

fn normalize(name: &str) -> String {
    name.chars()
        .filter(|character| !matches!(character, '_' | '-' | ' '))
        .map(|each| each.to_ascii_lowercase())
        .collect()
}

/// How often each character of a normalized name occurs. Characters share 32 counters, by the lower bits of their first
/// byte, which both cases of a letter have in common.
fn count_letters(name: &str) -> [u8; 32] {
    let mut counts = [0_u8; 32];
    for byte in name.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b' ' | 0x80..0xc0)) {
        if let Some(count) = counts.get_mut(usize::from(byte % 32)) {
            *count += 1;
        }
    }
    counts
}

/// A lower bound of the distance, which is much cheaper: each edit adds at most one character and removes at most one.
fn min_edits(one: &[u8; 32], other: &[u8; 32]) -> u8 {
    let missing = |one: &[u8; 32], other: &[u8; 32]| -> u8 {
        one.iter().zip(other).map(|(one, other)| one.saturating_sub(*other)).sum()
    };
    missing(one, other).max(missing(other, one))
}

#[cfg(test)]
mod tests;
