//! Suggestions in a finding's help.

use toolgate_json::suggest;

/// `did you mean `x`?`, or the list of candidates.
pub(crate) fn suggestion(name: &str, candidates: &[&str]) -> String {
    suggest(name, candidates.iter().copied()).map_or_else(
        || format!("use one of {}", quoted_list(candidates)),
        |candidate| format!("did you mean `{candidate}`?"),
    )
}

/// Names in backticks, joined by commas.
pub(crate) fn quoted_list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
