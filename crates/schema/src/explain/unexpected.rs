//! Properties that nobody asked for.

use serde_json::json;

use super::{Case, Explainer, Issues, show};
use toolgate_did_you_mean::nearest;

impl Explainer<'_> {
    /// One issue for each, as in Ajv.
    pub(super) fn unexpected(&self, case: &Case<'_>, param: &str, unexpected: &[String], issues: &mut Issues) {
        let known = if case.is_sensitive { Vec::new() } else { self.plan.names_at(self.root, case.path) };
        for name in unexpected {
            issues.push(|| {
                let shown = case.name(name);
                let inside = case.inside();
                let hint = hint(name, &known);
                case.issue(json!({ param: shown }), format!("there is no property `{shown}`{inside}{hint}"))
            });
        }
    }
}

fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(meant) => format!("; did you mean `{meant}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; known are {}", show::list(known.iter().map(|name| format!("`{}`", show::cut(name))))),
    }
}
