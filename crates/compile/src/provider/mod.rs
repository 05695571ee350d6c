//! Declarations for providers: from one definition to each provider's shape, with a receipt of what got lost.
//!
//! Adding a provider is adding one file with a [`Provider`] and naming it in [`PROVIDERS`]. A declaration never
//! decides anything: the tool's own schema validates every call, so a keyword that is lost here is never a lost check.

mod anthropic;
mod clean;
mod exclusive;
mod gemini_json;
mod gemini_native;
mod mcp;
mod merge;
mod open_ai_realtime;
mod openai;
mod openai_responses;
mod openai_strict;
mod origin;
mod parts;
mod references;
mod root;

use std::collections::BTreeMap;

use serde_json::Value;

use toolgate_definition::{LoweringEntry, ToolDefinition};

/// A target of the build.
struct Provider {
    /// The key in the artifact.
    name: &'static str,
    declare: Declare,
}

/// How a target declares a tool.
enum Declare {
    /// Whatever the tool is.
    Always(fn(&ToolDefinition, &mut Receipt) -> Value),
    /// Unless the provider can't be told of it at all; the receipt then says why.
    WherePossible(fn(&ToolDefinition, &mut Receipt) -> Result<Value, Impossible>),
}

const PROVIDERS: &[Provider] = &[
    openai::PROVIDER,
    openai_strict::PROVIDER,
    openai_responses::PROVIDER,
    open_ai_realtime::PROVIDER,
    gemini_native::PROVIDER,
    gemini_json::PROVIDER,
    anthropic::PROVIDER,
    mcp::PROVIDER,
];

/// The names of all targets.
pub fn provider_names() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|provider| provider.name)
}

/// Why a provider can't be told of a tool.
#[derive(Debug, PartialEq)]
struct Impossible {
    /// JSON Pointer into the tool's schema.
    pointer: String,
    /// What stands in the way.
    reason: String,
}

/// What a declaration lost or changed, as it is found.
#[derive(Debug, Default)]
struct Receipt(Vec<LoweringEntry>);

impl Receipt {
    /// The model is told the same in another way, or nothing that constrains a value is left out.
    fn changed(&mut self, pointer: impl Into<String>, change: impl Into<String>) {
        self.push(pointer.into(), change.into(), false);
    }

    /// A constraint is no longer told to the model.
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

/// A tool's declarations and their receipts, by provider. A receipt stands there only where it says something.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Declarations {
    /// What is sent to each provider; absent for one that can't be told of the tool, whose receipt then says why.
    pub provider_schemas: BTreeMap<String, Value>,
    /// What each declaration lost or changed.
    pub lowering: BTreeMap<String, Vec<LoweringEntry>>,
}

/// A target that can't be told of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing<'a> {
    /// The target.
    pub target: &'static str,
    /// JSON Pointer into the tool's schema, of what stands in the way.
    pub pointer: &'a str,
    /// What stands in the way.
    pub reason: &'a str,
}

/// How a receipt begins that stands instead of a declaration.
const NONE: &str = "there is no declaration: ";

impl Declarations {
    /// The targets without a declaration.
    pub fn missing(&self) -> impl Iterator<Item = Missing<'_>> {
        provider_names().filter(|target| !self.provider_schemas.contains_key(*target)).map(|target| {
            let entry = self.lowering.get(target).and_then(|entries| entries.first());
            let (pointer, change) = entry.map_or(("", ""), |entry| (&*entry.pointer, &*entry.change));
            Missing { target, pointer, reason: change.strip_prefix(NONE).unwrap_or(change) }
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
            Declare::Always(declare) => Ok(declare(definition, &mut receipt)),
            Declare::WherePossible(declare) => declare(definition, &mut receipt),
        };
        match declared {
            Ok(declaration) => {
                declarations.provider_schemas.insert(provider.name.to_owned(), declaration);
            }
            // What was changed on the way to nothing is no news.
            Err(Impossible { pointer, reason }) => {
                receipt = Receipt::default();
                receipt.lost(pointer, format!("{NONE}{reason}"));
            }
        }
        if !receipt.0.is_empty() {
            declarations.lowering.insert(provider.name.to_owned(), receipt.0);
        }
    }
    declarations
}
