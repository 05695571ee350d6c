//! OpenAI Chat Completions with `strict: true`: the model is held to the declaration while it writes.
//!
//! Sources, as of autumn 2026: OpenAI's guide "Structured model outputs", section "Supported schemas" (types,
//! keywords, formats, limits, "all fields must be required", `additionalProperties: false`, no `anyOf` at the root,
//! definitions and recursion); the schema checks of OpenAI's own Java SDK (one of `type`, `anyOf`, `$ref` in each schema,
//! how nesting is counted, which keywords stand beside which); and answers of the API: `$ref` takes no keywords beside
//! it and leads to definitions at the top only, a schema has a `type`, `default` and `oneOf` are refused.
//!
//! What is declared for what the subset can't say, from the model's point of view:
//!
//! - An optional argument is required and takes `null`. Where its own schema rejects `null`, completing the arguments
//!   turns that back into absent (`toolgate_schema::complete`); where it takes `null`, `null` stays the value it is.
//! - A free-form object (a map, or an object that names no properties) can't be declared: strict objects are closed. An
//!   optional one is left out of the declaration, so that the rest of the tool is still strict, and the receipt says that
//!   it is lost. A required one makes the strict declaration impossible: a tool that can only be called with an empty
//!   object where it needs a full one is worse than a tool without `strict`. It is never declared as an empty object (an
//!   argument that looks as if it could be given), nor as JSON in a text (nothing is coerced when a call arrives).
//! - An alternative that can't be said is left out, as long as another one remains.
//! - A value of any type is told as text, number, boolean or null.
//! - `minLength`, `maxLength`, `uniqueItems`, other formats, `default` and their like are told in the description: the
//!   guide does not list them, and a keyword that the API refuses fails the whole request.

mod array;
mod definitions;
mod kind;
mod limits;
mod nulls;
mod object;
mod reference;
mod typed;
mod union;
mod values;
mod words;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::clean::without_extensions;
use super::parts::whole;
use super::references::{Localized, is_annotation, localized};
use super::root::plain_object;
use super::{Declare, Impossible, Provider, Receipt};
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider = Provider { name: "openaiStrict", declare: Declare::WherePossible(declare) };

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Result<Value, Impossible> {
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
pub(super) fn parameters(tool: &ToolDefinition, receipt: &mut Receipt) -> Result<Map<String, Value>, Impossible> {
    let local = localized(&without_extensions(&tool.json_schema), receipt);
    if let Some((pointer, reference)) = local.dangling {
        return Err(Impossible { pointer, reason: format!("`{reference}` leads nowhere") });
    }
    if local.schema == Value::Bool(false) {
        return Err(Unsayable::no_value("").into());
    }
    let root = plain_object(&local.schema, receipt);
    let parameters = definitions::lowered(&root, &local, receipt)?;
    limits::check(&parameters)?;
    Ok(parameters)
}

/// Alternatives of alternatives multiply; more than this is over the limits anyway.
const MAX_SCHEMAS: usize = 20_000;

/// Why a schema has no strict form.
#[derive(Debug, Clone)]
struct Unsayable {
    /// JSON Pointer into the tool's schema.
    at: String,
    reason: String,
    /// No value fits the schema, so that leaving it out takes nothing from the model.
    is_empty: bool,
}

impl Unsayable {
    fn new(at: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { at: at.into(), reason: reason.into(), is_empty: false }
    }

    fn no_value(at: impl Into<String>) -> Self {
        Self { is_empty: true, ..Self::new(at, "no value fits it") }
    }
}

impl From<Unsayable> for Impossible {
    fn from(unsayable: Unsayable) -> Self {
        Self { pointer: unsayable.at, reason: unsayable.reason }
    }
}

type Lowered = Result<Map<String, Value>, Unsayable>;

/// One lowering on its way down.
struct Lowering<'a> {
    local: &'a Localized,
    /// Definitions that have no strict form.
    hopeless: &'a BTreeMap<String, Unsayable>,
    receipt: Receipt,
    /// Definitions that the declaration refers to, and of them those that are yet to be lowered.
    wanted: BTreeSet<String>,
    pending: Vec<String>,
    /// How many schemas were lowered so far.
    count: usize,
}

impl Lowering<'_> {
    /// Lowers the schema that stands at `at`.
    fn schema(&mut self, schema: &Value, at: &str, depth: usize) -> Lowered {
        if depth > limits::MAX_DEPTH {
            return Err(Unsayable::new(at, format!("it is nested deeper than {} levels", limits::MAX_DEPTH)));
        }
        self.count += 1;
        if self.count > MAX_SCHEMAS {
            return Err(Unsayable::new(at, "the schema is too large"));
        }
        let nothing = Map::new();
        let members = match schema {
            Value::Bool(false) => return Err(Unsayable::no_value(at)),
            Value::Object(members) => members,
            _ => &nothing,
        };
        if let Some(Value::String(reference)) = members.get("$ref")
            && members.keys().all(|keyword| keyword == "$ref" || is_annotation(keyword))
        {
            return self.reference(reference, members, at, depth);
        }
        let has_parts = ["$ref", "allOf"].iter().any(|keyword| members.contains_key(*keyword));
        let flat = if has_parts {
            Cow::Owned(whole(&self.local.schema, schema, at, &mut self.receipt))
        } else {
            Cow::Borrowed(members)
        };
        if is_nothing(&flat) { Err(Unsayable::no_value(at)) } else { self.flat(&flat, at, depth) }
    }

    /// Lowers a schema without references and `allOf` at its top.
    fn flat(&mut self, flat: &Map<String, Value>, at: &str, depth: usize) -> Lowered {
        for (keyword, other) in [("anyOf", "oneOf"), ("oneOf", "anyOf")] {
            if let Some(Value::Array(branches)) = flat.get(keyword) {
                if flat.contains_key(other) {
                    self.receipt.lost(format!("{at}/{other}"), format!("`{other}` beside `{keyword}` is left out"));
                }
                return self.union(flat, branches, (keyword, at), depth);
            }
        }
        self.by_kinds(flat, at, depth)
    }
}

/// Whether a schema says plainly that no value fits it.
fn is_nothing(flat: &Map<String, Value>) -> bool {
    flat.get("not").is_some_and(|denied| *denied == Value::Bool(true) || denied.as_object().is_some_and(Map::is_empty))
}
