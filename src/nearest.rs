//! The name that was probably meant: "did you mean", for tool authors and for models.

/// Longer names are not compared: they come from a model, and the comparison costs the product of both lengths.
const COMPARED: usize = 100;

/// The candidate with the fewest edits (swapping neighbours is one), where that is few enough for a slip.
#[must_use]
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if name.len() > COMPARED {
        return None;
    }
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    let plain = plain(name);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= COMPARED && *candidate != name)
        .map(|candidate| (strsim::osa_distance(&plain, &self::plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Models mix cases and separators: `startDate`, `start_date`, `start-date`.
fn plain(name: &str) -> String {
    name.chars().filter(|character| !matches!(character, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_only() {
        let known = ["title", "start_date", "id"];
        assert_eq!(nearest("titel", known), Some("title"));
        assert_eq!(nearest("startDate", known), Some("start_date"));
        assert_eq!(nearest("Title", known), Some("title"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("x", known), None);
        assert_eq!(nearest(&"t".repeat(5000), known), None);
    }
}
