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
mod references;
mod root_object;

use std::collections::BTreeMap;

use serde_json::Value;

use toolgate_definition::{LoweringEntry, ToolDefinition};

/// A target of the build.
struct Provider {
    /// The key in the artifact.
    name: &'static str,
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

/// Why a tool can't be declared to a provider.
#[derive(Debug, PartialEq)]
struct Undeclarable {
    /// JSON Pointer into the tool's schema.
    pointer: String,
    /// The cause.
    reason: String,
}

/// The losses and changes of one declaration, in the order found.
#[derive(Debug, Default)]
struct Receipt(Vec<LoweringEntry>);

impl Receipt {
    /// Records a change that drops no constraint.
    fn changed(&mut self, pointer: impl Into<String>, change: impl Into<String>) {
        self.push(pointer.into(), change.into(), false);
    }

    /// Records a constraint that the declaration lacks.
    fn lost(&mut self, pointer: impl Into<String>, change: impl Into<String>) {
        self.push(pointer.into(), change.into(), true);
    }

    fn push(&mut self, pointer: String, change: String, lost: bool) {
        let entry = LoweringEntry { pointer, change, lost };
        if !self.0.contains(&entry) {
            self.0.push(entry);
        }
    }
}

/// A tool's declarations and their receipts, by provider. Empty receipts are omitted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Declarations {
    /// The declaration sent to each provider; absent if the tool can't be declared, with the reason in `lowering`.
    pub provider_schemas: BTreeMap<String, Value>,
    /// The losses and changes of each declaration.
    pub lowering: BTreeMap<String, Vec<LoweringEntry>>,
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
}

/// The prefix of the receipt entry of an absent declaration.
const NO_DECLARATION: &str = "there is no declaration: ";

impl Declarations {
    /// The targets without a declaration.
    pub fn missing(&self) -> impl Iterator<Item = MissingDeclaration<'_>> {
        provider_names().filter(|target| !self.provider_schemas.contains_key(*target)).map(|target| {
            let entry = self.lowering.get(target).and_then(|entries| entries.first());
            let (pointer, change) = entry.map_or(("", ""), |entry| (&*entry.pointer, &*entry.change));
            MissingDeclaration { target, pointer, reason: change.strip_prefix(NO_DECLARATION).unwrap_or(change) }
        })
    }
}

/// Declares a tool to every provider.
#[must_use]
pub fn declare(definition: &ToolDefinition) -> Declarations {
    let mut declarations = Declarations::default();
    for provider in PROVIDERS {
        let mut receipt = Receipt::default();
        let declared = match provider.declare {
            DeclareFn::Infallible(declare) => Ok(declare(definition, &mut receipt)),
            DeclareFn::Fallible(declare) => declare(definition, &mut receipt),
        };
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
        if !receipt.0.is_empty() {
            declarations.lowering.insert(provider.name.to_owned(), receipt.0);
        }
    }
    declarations
}
