//! The rules that a tool is checked by: one rule a file, which says what it refuses and why.
//!
//! A rule reads a [`Tool`] and adds findings; it changes nothing and knows no other rule. Where a value has the wrong
//! shape only `fields` speaks of it; every other rule passes over what it can't read.

mod bad_budget;
mod bad_clamp;
mod bad_default;
mod bad_example;
mod bad_mode;
mod bad_preview;
mod bad_regex;
mod bad_semver;
mod bad_tool_id;
mod cache_on_writes;
mod duplicate_tool_id;
mod endless_ref;
mod fields;
mod guide_examples;
mod guide_parameters;
mod handler_syntax;
mod import_missing;
mod legacy_layout;
mod lowering;
mod nested_not_closed;
mod no_execute;
mod regex_backtracks;
mod response_version;
mod retrieval;
mod schema_invalid;
mod schema_shape;
mod summary;
mod unknown_format;
mod unknown_keyword;
mod unresolved_ref;
mod unused_acceptance;
mod voice_heavy;
mod voice_set;
mod writes;

use super::report::Findings;
use super::targets::InUse;
use super::tool::Tool;

/// What rules may know besides the tool.
pub(super) struct Settings {
    /// Modes that tools may name.
    pub(super) modes: Vec<String>,
    /// Targets that the host uses.
    pub(super) in_use: InUse,
}

type Rule = fn(&Tool, &Settings, &mut Findings);

/// The rules that speak of a tool in a folder.
const RULES: &[Rule] = &[
    fields::check,
    bad_tool_id::check,
    bad_semver::check,
    bad_mode::check,
    bad_budget::check,
    retrieval::check,
    cache_on_writes::check,
    writes::check,
    schema_shape::check,
    nested_not_closed::check,
    schema_invalid::check,
    bad_clamp::check,
    bad_preview::check,
    summary::check,
    guide_parameters::check,
    guide_examples::check,
    legacy_layout::check,
    handler_syntax::check,
    no_execute::check,
    import_missing::check,
    response_version::check,
];

/// The rules about what providers are told, which is known once the schema is right.
const DECLARED_RULES: &[Rule] = &[lowering::check, voice_heavy::check];

/// The rules that speak of a schema alone, whoever wrote it. Whether it follows its draft is asked before.
const SCHEMA_RULES: &[Rule] = &[
    unknown_keyword::check,
    unknown_format::check,
    unresolved_ref::check,
    endless_ref::check,
    bad_regex::check,
    regex_backtracks::check,
    bad_default::check,
    bad_example::check,
];

/// Checks the schemas of a tool that is no folder's.
pub(super) fn check_schemas(tool: &Tool, findings: &mut Findings) {
    let settings = Settings { modes: Vec::new(), in_use: InUse::new(&[]) };
    for rule in SCHEMA_RULES {
        rule(tool, &settings, findings);
    }
}

/// Checks one tool by every rule but those about its declarations.
pub(super) fn check(tool: &Tool, settings: &Settings, findings: &mut Findings) {
    for rule in RULES.iter().chain(SCHEMA_RULES) {
        rule(tool, settings, findings);
    }
}

/// Checks what providers are told of one tool, and then what its author acknowledges.
pub(super) fn check_declared(tool: &Tool, settings: &Settings, findings: &mut Findings) {
    for rule in DECLARED_RULES {
        rule(tool, settings, findings);
    }
    unused_acceptance::check(tool, findings);
}

/// Checks the tools together; `root` is the name of their folder.
pub(super) fn check_set(tools: &[Tool], root: &str, settings: &Settings, findings: &mut Findings) {
    duplicate_tool_id::check(tools.iter(), findings);
    voice_set::check(tools, root, settings, findings);
}

pub(super) use bad_tool_id::is_tool_id;
pub(super) use schema_invalid::faults as draft_faults;
