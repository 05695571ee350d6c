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
}

#[test]
fn a_name_beyond_the_limit_is_not_compared() {
    let (longest, longer) = ("é".repeat(MAX_CHARS), "é".repeat(MAX_CHARS + 1));
    let typo = format!("x{}", "é".repeat(MAX_CHARS - 1));
    assert_eq!(suggest(&typo, [&*longer, &*longest]), Some(&*longest));
    assert_eq!(suggest(&longer, [&*longest]), None);
}

/// Names of which a hundred and more have the same letters.
#[test]
fn a_numbered_name_is_found_among_thousands() {
    let names: Vec<String> = (0..5000).map(|n| format!("tool_{n:04}")).collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    for typo in ["tol_1234", "Tool-1234", "tool_1243x", "tool_12345", "toool_4999", "tool4321", "otol_0777"] {
        assert_eq!(suggest(typo, names.iter().copied()), suggest_by_distance(typo, &names), "{typo}");
    }
}

/// The reference implementation, without the lower bound.
fn suggest_by_distance<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    let distance = |candidate: &&str| strsim::osa_distance(&normalize(name), &normalize(candidate));
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
