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
    let (letters, plain) = (Letters::of(name), plain(name));
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= COMPARED && *candidate != name)
        // Nearly all are too far: that costs much less to tell than how far.
        .filter(|candidate| letters.least_edits(&Letters::of(candidate)) <= allowed)
        .map(|candidate| (strsim::osa_distance(&plain, &self::plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Models mix cases and separators: `startDate`, `start_date`, `start-date`.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    each_plain(name, |character| plain.push(character));
    plain
}

fn each_plain(name: &str, mut take: impl FnMut(char)) {
    for character in name.chars() {
        match character {
            '_' | '-' | ' ' => {}
            ascii if ascii.is_ascii() => take(ascii.to_ascii_lowercase()),
            other => other.to_lowercase().for_each(&mut take),
        }
    }
}

/// How often each letter is in a plain name, whatever their order; several share a place.
struct Letters([u8; 32]);

impl Letters {
    /// Of a name that is not too long to be compared.
    fn of(name: &str) -> Self {
        let mut counts = [0_u8; 32];
        each_plain(name, |character| {
            let place = character as usize % counts.len();
            if let Some(count) = counts.get_mut(place) {
                *count = count.saturating_add(1);
            }
        });
        Self(counts)
    }

    /// No fewer edits make one name of the other: each adds one letter at most, and takes one away at most.
    fn least_edits(&self, other: &Self) -> usize {
        let both = || self.0.iter().zip(&other.0);
        let added: usize = both().map(|(one, other)| usize::from(other.saturating_sub(*one))).sum();
        let taken: usize = both().map(|(one, other)| usize::from(one.saturating_sub(*other))).sum();
        added.max(taken)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    /// As it is without passing over those that are too far by their letters.
    fn by_distance<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
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
        fn no_near_name_is_passed_over(
            name in "[a-cA-C_éÉİ \u{1f600}-]{1,12}",
            others in proptest::collection::vec("[a-cA-C_éÉİ \u{1f600}-]{1,12}", 1..8),
        ) {
            let candidates: Vec<&str> = others.iter().map(String::as_str).collect();
            prop_assert_eq!(nearest(&name, candidates.iter().copied()), by_distance(&name, &candidates));
        }
    }
}
