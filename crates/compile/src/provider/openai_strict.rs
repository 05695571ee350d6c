//! OpenAI Chat Completions with `strict: true`: decoding is constrained to the declaration.
//!
//! Sources, as of autumn 2026: OpenAI's guide "Structured model outputs", section "Supported schemas" (types,
//! keywords, formats, limits, "all fields must be required", `additionalProperties: false`, no `anyOf` at the root,
//! definitions and recursion); the schema checks of OpenAI's own Java SDK (one of `type`, `anyOf`, `$ref` in each
//! schema, how nesting is counted, which keywords may be combined); and answers of the API: `$ref` has no sibling
//! keywords and targets definitions at the root only, a schema has a `type`, `default` and `oneOf` are refused.
//!
//! Schemas outside the subset are declared as follows:
//!
//! - An optional argument is required and accepts `null`. If its own schema rejects `null`, completing the arguments
//!   turns `null` back into absent (`toolgate_schema::complete`); otherwise `null` stays.
//! - A free-form object (a map, or an object without declared properties) can't be declared: strict objects are closed.
//!   An optional one is left out of the declaration, so that the rest of the tool is still strict, and the receipt
//!   records the loss. A required one makes the strict declaration impossible: a tool that can only be called with an
//!   empty object although it needs members is worse than a tool without `strict`. It is never declared as an empty
//!   object (the argument would look usable), nor as JSON in a string (the gate coerces nothing).
//! - An alternative outside the subset is left out, as long as another one remains.
//! - A value of any type is declared as string, number, boolean or null.
//! - `minLength`, `maxLength`, `uniqueItems`, other formats, `default` and similar keywords are stated in the
//!   description: the guide does not list them, and a keyword that the API refuses fails the whole request.

mod annotations;
mod array;
mod definitions;
mod fixed_values;
mod limits;
mod nullability;
mod object;
mod reference;
mod strict_type;
mod typed_schema;
mod union;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::extensions::without_extensions;
use super::flatten::flatten_schema;
use super::recursive_parts::define_recursive_conjunctions;
use super::references::{Localized, is_annotation, localize_references};
use super::root_object::plain_object;
use super::{DeclareFn, Provider, Receipt, Undeclarable};
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider =
    Provider { name: "openaiStrict", max_tools: Some(super::openai::MAX_TOOLS), declare: DeclareFn::Fallible(declare) };

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Result<Value, Undeclarable> {
    Ok(json!({
        "type": "function",
        "function": {
            "name": tool.tool_id,
            "description": tool.description,
            "parameters": parameters(tool, receipt)?,
            "strict": true,
        },
    }))
}

/// The parameters in the strict subset.
pub(super) fn parameters(tool: &ToolDefinition, receipt: &mut Receipt) -> Result<Map<String, Value>, Undeclarable> {
    let mut local = localize_references(&without_extensions(&tool.json_schema), receipt);
    if let Some((pointer, reference)) = local.dangling.take() {
        return Err(Undeclarable { pointer, reason: format!("`{reference}` does not resolve to a schema") });
    }
    if local.schema == Value::Bool(false) {
        return Err(Inexpressible::no_value("").into());
    }
    let root = plain_object(&local.schema, receipt);
    let root = define_recursive_conjunctions(root, &mut local.origins, receipt);
    local.schema = Value::Object(root.clone());
    let parameters = definitions::lower_with_definitions(&root, &local, receipt)?;
    if receipt.is_spent() {
        return Err(Undeclarable::too_large());
    }
    limits::check_limits(&parameters)?;
    Ok(parameters)
}

/// The maximum number of lowered schemas, because nested alternatives multiply; more exceeds the API's limits anyway.
const MAX_SCHEMAS: usize = 20_000;

/// Why a schema has no strict form.
#[derive(Debug, Clone)]
struct Inexpressible {
    /// JSON Pointer into the tool's schema.
    at: String,
    reason: String,
    /// No value matches the schema, so leaving it out loses nothing.
    matches_nothing: bool,
}

impl Inexpressible {
    fn new(at: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { at: at.into(), reason: reason.into(), matches_nothing: false }
    }

    fn no_value(at: impl Into<String>) -> Self {
        Self { matches_nothing: true, ..Self::new(at, "no value matches it") }
    }
}

impl From<Inexpressible> for Undeclarable {
    fn from(unsayable: Inexpressible) -> Self {
        Self { pointer: unsayable.at, reason: unsayable.reason }
    }
}

type StrictResult = Result<Map<String, Value>, Inexpressible>;

/// The state of lowering one schema.
struct StrictLowering<'a> {
    local: &'a Localized,
    /// Definitions that have no strict form.
    inexpressible: &'a BTreeMap<String, Inexpressible>,
    receipt: Receipt,
    /// Definitions that the declaration references; `pending` are those not yet lowered.
    referenced: BTreeSet<String>,
    pending: Vec<String>,
    /// The number of schemas lowered so far.
    schema_count: usize,
}

impl StrictLowering<'_> {
    /// Lowers the schema at the pointer `at`.
    fn lower_schema(&mut self, schema: &Value, at: &str, depth: usize) -> StrictResult {
        limits::check_depth(at, depth)?;
        self.schema_count += 1;
        self.receipt.spend(at.len() + 1);
        if self.schema_count > MAX_SCHEMAS || self.receipt.is_spent() {
            return Err(Inexpressible::new(at, "the schema is too large"));
        }
        let nothing = Map::new();
        let members = match schema {
            Value::Bool(false) => return Err(Inexpressible::no_value(at)),
            Value::Object(members) => members,
            _ => &nothing,
        };
        if let Some(Value::String(reference)) = members.get("$ref")
            && members.keys().all(|keyword| keyword == "$ref" || is_annotation(keyword))
        {
            return self.lower_reference(reference, members, at, depth);
        }
        let has_parts = ["$ref", "allOf"].iter().any(|keyword| members.contains_key(*keyword));
        let flat = if has_parts {
            Cow::Owned(flatten_schema(&self.local.schema, schema, at, &mut self.receipt))
        } else {
            Cow::Borrowed(members)
        };
        if is_false_schema(&flat) { Err(Inexpressible::no_value(at)) } else { self.lower_flat(&flat, at, depth) }
    }

    /// Lowers a schema without `$ref` and `allOf` at its top level.
    fn lower_flat(&mut self, flat: &Map<String, Value>, at: &str, depth: usize) -> StrictResult {
        for (keyword, other) in [("anyOf", "oneOf"), ("oneOf", "anyOf")] {
            if let Some(Value::Array(branches)) = flat.get(keyword) {
                if flat.contains_key(other) {
                    self.receipt.lost(format!("{at}/{other}"), format!("`{other}` beside `{keyword}` is left out"));
                }
                return self.lower_union(flat, branches, (keyword, at), depth);
            }
        }
        self.lower_by_types(flat, at, depth)
    }
}

/// Whether a schema is `not: {}` or `not: true`, which no value matches.
fn is_false_schema(flat: &Map<String, Value>) -> bool {
    flat.get("not").is_some_and(|denied| *denied == Value::Bool(true) || denied.as_object().is_some_and(Map::is_empty))
}
