//! The lint rules that check a tool: one rule per file, which documents what it refuses and why.
//!
//! A rule reads a [`Tool`] and adds findings; it modifies nothing and does not depend on other rules. Only `fields`
//! reports values of the wrong type; every other rule skips them.

mod bad_approvers;
mod bad_budget;
mod bad_clamp;
mod bad_default;
mod bad_duplicate;
mod bad_example;
mod bad_mode;
mod bad_preview;
mod bad_regex;
mod bad_repeatable;
mod bad_semver;
mod bad_time_rule;
mod bad_tool_id;
mod bad_when;
mod cache_on_writes;
mod confirmation_unused;
mod description_long;
mod duplicate_tool_id;
mod duplicate_undecided;
mod endless_ref;
mod fields;
mod guide_examples;
mod guide_parameters;
mod handler_syntax;
mod handler_writes;
mod import_missing;
mod legacy_layout;
mod lint_unused;
mod lowering;
mod nested_not_closed;
mod no_execute;
mod package_missing;
mod preview_missing;
mod regex_backtracks;
mod required_without_property;
mod response_version;
mod retrieval;
mod schema_invalid;
mod schema_shape;
mod sensitive_confirmed;
mod service_missing;
mod summary;
mod tool_set_large;
mod unknown_format;
mod unknown_keyword;
mod unresolved_ref;
mod unsatisfiable;
mod voice_heavy;
mod voice_set_large;
mod writes;

use crate::findings::report::Findings;
use crate::provider::selection::ProvidersInUse;
use crate::tool_folder::tool_source::ToolSource;

/// The input of rules besides the tool.
pub(super) struct LintSettings {
    /// Modes that tools may name.
    pub(super) modes: Vec<String>,
    /// Targets that the host uses.
    pub(super) in_use: ProvidersInUse,
    /// Services that the host registers; `None` if the configuration does not say.
    pub(super) services: Option<Vec<String>>,
}

type LintRule = fn(&ToolSource, &LintSettings, &mut Findings);

/// The rules for a tool in a folder.
const TOOL_RULES: &[LintRule] = &[
    fields::check,
    bad_tool_id::check,
    bad_semver::check,
    bad_mode::check,
    bad_budget::check,
    retrieval::check,
    cache_on_writes::check,
    bad_repeatable::check,
    bad_duplicate::check,
    bad_approvers::check,
    duplicate_undecided::check,
    writes::check,
    schema_shape::check,
    nested_not_closed::check,
    schema_invalid::check,
    bad_clamp::check,
    bad_preview::check,
    bad_when::check,
    confirmation_unused::check,
    preview_missing::check,
    sensitive_confirmed::check,
    bad_time_rule::check,
    summary::check,
    description_long::check,
    guide_parameters::check,
    guide_examples::check,
    legacy_layout::check,
    handler_syntax::check,
    no_execute::check,
    import_missing::check,
    package_missing::check,
    handler_writes::check,
    service_missing::check,
    response_version::check,
];

/// The rules about declarations for providers, which exist only if the schema is valid.
const DECLARATION_RULES: &[LintRule] = &[lowering::check, voice_heavy::check];

/// The rules about a schema alone, of any origin. Validation by the meta-schema comes before.
const SCHEMA_RULES: &[LintRule] = &[
    unknown_keyword::check,
    unknown_format::check,
    unresolved_ref::check,
    endless_ref::check,
    required_without_property::check,
    unsatisfiable::check,
    bad_regex::check,
    regex_backtracks::check,
    bad_default::check,
    bad_example::check,
];

/// Checks the schemas of a tool that does not come from a folder.
pub(super) fn check_schemas(tool: &ToolSource, findings: &mut Findings) {
    let settings = LintSettings { modes: Vec::new(), in_use: ProvidersInUse::from_names(&[]), services: None };
    for rule in SCHEMA_RULES {
        rule(tool, &settings, findings);
    }
}

/// Checks one tool by every rule, except those about its declarations.
pub(super) fn check(tool: &ToolSource, settings: &LintSettings, findings: &mut Findings) {
    for rule in TOOL_RULES.iter().chain(SCHEMA_RULES) {
        rule(tool, settings, findings);
    }
}

/// Checks the declarations of one tool, and then its `lintAccepted`, which needs all other findings.
pub(super) fn check_declarations(tool: &ToolSource, settings: &LintSettings, findings: &mut Findings) {
    for rule in DECLARATION_RULES {
        rule(tool, settings, findings);
    }
    lint_unused::check(tool, findings);
}

/// Checks the tools together, those of folders and of sources; `root` is the name of their folder.
pub(super) fn check_tool_set(tools: &[&ToolSource], root: &str, settings: &LintSettings, findings: &mut Findings) {
    tool_set_large::check(tools, root, settings, findings);
    voice_set_large::check(tools, root, settings, findings);
}

pub(super) use bad_regex::{PatternPlace, refusal_message as pattern_refusal_message};
pub(super) use bad_tool_id::is_tool_id;
pub(super) use duplicate_tool_id::check as check_tool_ids;
pub(super) use schema_invalid::meta_schema_faults as draft_faults;
