//! Selects the provider targets of a build by name: a target (`geminiNative`), or a family of targets (`gemini`).

use crate::findings::suggest::suggestion;
use crate::provider::provider_names;
use toolgate_json::suggest;

/// Targets that are alternative declarations for a provider that has another target. In use only if named: a strict
/// schema does not exist for every tool, and a request has either `geminiJson` or `geminiNative`, never both.
const ALTERNATIVE_FORMS: [&str; 2] = ["openaiStrict", "geminiJson"];

/// The targets of a name; empty if the name is unknown. A family is the common prefix of its targets: `openai` means
/// `openai` itself, `openaiResponses`, and so on.
pub(crate) fn targets_named(name: &str) -> Vec<&'static str> {
    provider_names().filter(|target| *target == name || (!name.is_empty() && family(target) == name)).collect()
}

/// The family of a target: `gemini` for `geminiNative`.
pub(crate) fn family(target: &str) -> &str {
    let end = target.find(char::is_uppercase).unwrap_or(target.len());
    target.get(..end).unwrap_or(target)
}

/// A suggestion for an unknown name.
pub(crate) fn suggest_provider(name: &str) -> String {
    let targets: Vec<&str> = provider_names().collect();
    let families = targets.iter().map(|target| family(target));
    suggest(name, families).map_or_else(|| suggestion(name, &targets), |family| format!("did you mean `{family}`?"))
}

/// The targets that a host uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProvidersInUse(Vec<&'static str>);

impl ProvidersInUse {
    /// The targets of these names; without names, those of every provider. Unknown names are ignored.
    pub(crate) fn from_names(names: &[String]) -> Self {
        let named_so = |target: &str| names.iter().any(|name| name == target);
        let of_family = |target: &str| names.is_empty() || names.iter().any(|name| family(target) == name);
        let is_used = |target: &&str| named_so(target) || (of_family(target) && !ALTERNATIVE_FORMS.contains(target));
        Self(provider_names().filter(is_used).collect())
    }

    pub(crate) fn contains(&self, target: &str) -> bool {
        self.0.contains(&target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_target_or_a_family() {
        assert_eq!(targets_named("geminiNative"), ["geminiNative"]);
        assert!(targets_named("gemini").contains(&"geminiNative"));
        assert!(targets_named("openai").contains(&"openai") && targets_named("openai").contains(&"openaiRealtime"));
        assert_eq!(targets_named("mcp"), ["mcp"]);
        for unknown in ["", "gem", "Gemini", "geminiNativ", "openaiR"] {
            assert_eq!(targets_named(unknown), [""; 0], "{unknown}");
        }
        assert_eq!(suggest_provider("gemni"), "did you mean `gemini`?");
        assert_eq!(suggest_provider("geminiNativ"), "did you mean `geminiNative`?");
    }

    #[test]
    fn another_form_is_in_use_only_where_it_is_named() {
        let names =
            |names: &[&str]| ProvidersInUse::from_names(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["mcp", "unknown"]).0, ["mcp"]);
        assert_eq!(names(&["gemini"]).0, ["geminiNative"]);
        assert_eq!(names(&["openaiStrict", "geminiJson"]).0, ["openaiStrict", "geminiJson"]);
        for form in ALTERNATIVE_FORMS {
            assert!(provider_names().any(|target| target == form), "{form}");
            assert!(!names(&[]).contains(form) && names(&[family(form), form]).contains(form), "{form}");
        }
        assert_eq!(names(&[]).0.len(), provider_names().count() - ALTERNATIVE_FORMS.len());
        assert!(names(&["openai"]).contains("openai") && names(&["openai"]).contains("openaiRealtime"));
    }
}
