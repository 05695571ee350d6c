//! Lowering of one tool definition to each provider's declaration, with a receipt of the losses.
//!
//! To add a provider, add one file with a [`Provider`] and list it in [`PROVIDERS`]. A declaration decides nothing: the
//! tool's own schema validates every call, so a keyword lost here is never a lost check.

mod anthropic;
mod exclusive_branches;
mod extensions;
mod flatten;
mod gemini_json;
mod gemini_native;
mod mcp;
mod merge;
mod openai;
mod openai_realtime;
mod openai_responses;
mod openai_strict;
mod origin;
mod receipt;
mod recursive_parts;
mod reference_graph;
mod references;
mod root_object;
pub(crate) mod selection;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::findings::code::Code;
use receipt::Receipt;
use toolgate_definition::{LoweringEntry, ToolDefinition};

/// A target of the build.
struct Provider {
    /// The key in the artifact.
    name: &'static str,
    /// The number of tools that one request may declare; `None` if no limit is published.
    max_tools: Option<usize>,
    declare: DeclareFn,
}

/// The function that declares a tool to a target.
enum DeclareFn {
    /// Declares every tool.
    Infallible(fn(&ToolDefinition, &mut Receipt) -> Value),
    /// Fails for some tools; the receipt then contains the reason.
    Fallible(fn(&ToolDefinition, &mut Receipt) -> Result<Value, Undeclarable>),
}

const PROVIDERS: &[Provider] = &[
    openai::PROVIDER,
    openai_strict::PROVIDER,
    openai_responses::PROVIDER,
    openai_realtime::PROVIDER,
    gemini_native::PROVIDER,
    gemini_json::PROVIDER,
    anthropic::PROVIDER,
    mcp::PROVIDER,
];

/// The names of all targets.
pub fn provider_names() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|provider| provider.name)
}

/// The targets that limit the tools of one request, with the limit.
pub(crate) fn tool_limits() -> impl Iterator<Item = (&'static str, usize)> {
    PROVIDERS.iter().filter_map(|provider| Some((provider.name, provider.max_tools?)))
}

/// Why a tool can't be declared to a provider.
#[derive(Debug, PartialEq)]
struct Undeclarable {
    /// JSON Pointer into the tool's schema.
    pointer: String,
    /// The cause.
    reason: String,
}

impl Undeclarable {
    fn too_large() -> Self {
        let reason = "the schema is too large with its references and `allOf` written out".to_owned();
        Self { pointer: String::new(), reason }
    }
}

/// A tool's declarations and their receipts, by provider. Empty receipts are omitted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Declarations {
    /// The declaration sent to each provider; absent if the tool can't be declared, with the reason in `lowering`.
    pub provider_schemas: BTreeMap<String, Value>,
    /// The losses and changes of each declaration.
    pub lowering: BTreeMap<String, Vec<LoweringEntry>>,
    /// The targets whose declaration would be too large.
    too_large: BTreeSet<&'static str>,
}

/// A target to which the tool can't be declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingDeclaration<'a> {
    /// The target.
    pub target: &'static str,
    /// JSON Pointer to the cause, in the tool's schema.
    pub pointer: &'a str,
    /// The cause.
    pub reason: &'a str,
    /// Whether the cause is the size of the declaration, and not a part that the target can't express.
    pub is_too_large: bool,
}

impl MissingDeclaration<'_> {
    /// The kind of finding about it.
    pub(crate) const fn code(&self) -> Code {
        if self.is_too_large { Code::LoweringTooLarge } else { Code::ProviderImpossible }
    }
}

/// The prefix of the receipt entry of an absent declaration.
const NO_DECLARATION: &str = "there is no declaration: ";

impl Declarations {
    /// The targets without a declaration.
    pub fn missing(&self) -> impl Iterator<Item = MissingDeclaration<'_>> {
        provider_names().filter(|target| !self.provider_schemas.contains_key(*target)).map(|target| {
            let entry = self.lowering.get(target).and_then(|entries| entries.first());
            let (pointer, change) = entry.map_or(("", ""), |entry| (&*entry.pointer, &*entry.change));
            let reason = change.strip_prefix(NO_DECLARATION).unwrap_or(change);
            MissingDeclaration { target, pointer, reason, is_too_large: self.too_large.contains(target) }
        })
    }
}

/// Declares a tool to every provider.
#[must_use]
pub fn declare(definition: &ToolDefinition) -> Declarations {
    let mut declarations = Declarations::default();
    for provider in PROVIDERS {
        let mut receipt = Receipt::default();
        let mut declared = match provider.declare {
            DeclareFn::Infallible(declare) => Ok(declare(definition, &mut receipt)),
            DeclareFn::Fallible(declare) => declare(definition, &mut receipt),
        };
        if receipt.is_spent() {
            declarations.too_large.insert(provider.name);
            declared = Err(Undeclarable::too_large());
        }
        match declared {
            Ok(declaration) => {
                declarations.provider_schemas.insert(provider.name.to_owned(), declaration);
            }
            // Changes to an abandoned declaration are irrelevant.
            Err(Undeclarable { pointer, reason }) => {
                receipt = Receipt::default();
                receipt.lost(pointer, format!("{NO_DECLARATION}{reason}"));
            }
        }
        let entries = receipt.into_entries();
        if !entries.is_empty() {
            declarations.lowering.insert(provider.name.to_owned(), entries);
        }
    }
    declarations
}
