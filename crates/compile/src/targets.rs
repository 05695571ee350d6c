//! The targets of a build, as people name them: a target itself (`geminiNative`), or a family of them (`gemini`).

use super::provider::provider_names;
use super::suggest::suggestion;
use toolgate_did_you_mean::nearest;

/// Targets that tell a provider in another form what a target beside them tells. A host that uses them names them: the
/// strict form of a schema may not exist, and `geminiJson` is not read where `geminiNative` is, and the reverse.
const OTHER_FORMS: [&str; 2] = ["openaiStrict", "geminiJson"];

/// The targets that a name stands for; none where it is unknown. A family is what its targets begin with: `openai` is
/// `openai` itself, `openaiResponses`, and so on.
pub(super) fn named(name: &str) -> Vec<&'static str> {
    provider_names().filter(|target| *target == name || (!name.is_empty() && family(target) == name)).collect()
}

/// The family of a target: `gemini` for `geminiNative`.
pub(super) fn family(target: &str) -> &str {
    let end = target.find(char::is_uppercase).unwrap_or(target.len());
    target.get(..end).unwrap_or(target)
}

/// What to write instead of an unknown name.
pub(super) fn instead_of(name: &str) -> String {
    let targets: Vec<&str> = provider_names().collect();
    let families = targets.iter().map(|target| family(target));
    nearest(name, families).map_or_else(|| suggestion(name, &targets), |family| format!("did you mean `{family}`?"))
}

/// The targets that a host uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InUse(Vec<&'static str>);

impl InUse {
    /// The targets of these names; without names, those of every provider. Unknown names are passed over.
    pub(super) fn new(names: &[String]) -> Self {
        let named_so = |target: &str| names.iter().any(|name| name == target);
        let of_family = |target: &str| names.is_empty() || names.iter().any(|name| family(target) == name);
        let is_used = |target: &&str| named_so(target) || (of_family(target) && !OTHER_FORMS.contains(target));
        Self(provider_names().filter(is_used).collect())
    }

    pub(super) fn has(&self, target: &str) -> bool {
        self.0.contains(&target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_target_or_a_family() {
        assert_eq!(named("geminiNative"), ["geminiNative"]);
        assert!(named("gemini").contains(&"geminiNative"));
        assert!(named("openai").contains(&"openai") && named("openai").contains(&"openaiRealtime"));
        assert_eq!(named("mcp"), ["mcp"]);
        for unknown in ["", "gem", "Gemini", "geminiNativ", "openaiR"] {
            assert_eq!(named(unknown), [""; 0], "{unknown}");
        }
        assert_eq!(instead_of("gemni"), "did you mean `gemini`?");
        assert_eq!(instead_of("geminiNativ"), "did you mean `geminiNative`?");
    }

    #[test]
    fn another_form_is_in_use_only_where_it_is_named() {
        let names = |names: &[&str]| InUse::new(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["mcp", "unknown"]).0, ["mcp"]);
        assert_eq!(names(&["gemini"]).0, ["geminiNative"]);
        assert_eq!(names(&["openaiStrict", "geminiJson"]).0, ["openaiStrict", "geminiJson"]);
        for form in OTHER_FORMS {
            assert!(provider_names().any(|target| target == form), "{form}");
            assert!(!names(&[]).has(form) && names(&[family(form), form]).has(form), "{form}");
        }
        assert_eq!(names(&[]).0.len(), provider_names().count() - OTHER_FORMS.len());
        assert!(names(&["openai"]).has("openai") && names(&["openai"]).has("openaiRealtime"));
    }
}
