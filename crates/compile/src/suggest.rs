//! Suggestions in a finding's help.

use toolgate_did_you_mean::nearest;

/// `did you mean `x`?`, or what is known.
pub(super) fn suggestion(name: &str, candidates: &[&str]) -> String {
    nearest(name, candidates.iter().copied()).map_or_else(
        || format!("use one of {}", listed(candidates)),
        |candidate| format!("did you mean `{candidate}`?"),
    )
}

/// Names in backticks, joined by commas.
pub(super) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
