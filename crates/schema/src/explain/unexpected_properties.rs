//! Explains unknown properties.

use serde_json::json;

use super::{ErrorContext, Explainer, HIDDEN_NAME, IssueList, show};
use toolgate_json::suggest;

impl Explainer<'_> {
    /// Pushes one issue for each unknown property, as Ajv does.
    pub(super) fn explain_unexpected(
        &self,
        case: &ErrorContext<'_>,
        param: &str,
        unexpected: &[String],
        issues: &mut IssueList,
    ) {
        let mut known =
            if case.is_sensitive { Vec::new() } else { self.plan.declared_names_at(self.root, case.visible_path) };
        // Another form of the value may declare what this one refuses.
        known.retain(|name| !unexpected.iter().any(|refused| refused == name));
        for name in unexpected {
            issues.push(|| {
                let shown = case.visible_name(name);
                let inside = case.location_suffix();
                let hint = hint(name, &known);
                let unknown = match &*shown {
                    HIDDEN_NAME => "there is a property that is not known".to_owned(),
                    shown => format!("there is no property `{shown}`"),
                };
                case.issue(json!({ param: shown }), format!("{unknown}{inside}{hint}"))
            });
        }
    }
}

fn hint(name: &str, known: &[&str]) -> String {
    match suggest(name, known.iter().copied()) {
        Some(meant) => format!("; did you mean `{meant}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; known are {}", show::list(known.iter().map(|name| format!("`{}`", show::truncate(name))))),
    }
}
