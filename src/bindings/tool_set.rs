//! A compiled tool set with its queries, for `js/tool-sets/tool-set.js`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use napi_derive::napi;
use serde::Serialize;
use serde_json::{Value, json};

use super::misuse;
use super::options::parse_json;
use crate::admit::{ArgsLimits, argument_table, validate_named};
use crate::call::RawArgs;
use crate::compile::provider_names;
use crate::definition::{
    Approvers, ArtifactError, Background, Category, DeclarationError, Grantable, RateLimit, RepairRules, SideEffects,
    Timeout, ToolOrigin,
};
use crate::gate::ValidatedArgs;
use crate::json::{Limits, Tape};
use crate::registry::{CompiledTool, LoadError, ToolCompileError, ToolSet};
use crate::schema::ArgumentRow;
use crate::tool_search;

/// Arguments as people must see them.
#[derive(Serialize)]
struct ShownArguments<'a> {
    rows: Vec<ArgumentRow>,
    /// The rows with shortened values, one a line.
    text: &'a str,
    /// With sensitive values masked.
    args: Value,
}

/// A compiled tool set.
#[napi]
pub struct NativeToolSet {
    pub(super) set: Arc<ToolSet>,
}

#[napi]
impl NativeToolSet {
    /// Reads an artifact and compiles its tools.
    #[napi(constructor, catch_unwind)]
    pub fn new(artifact: String) -> napi::Result<Self> {
        let set = ToolSet::load(Path::new(&artifact)).map_err(|error| load_error(&error))?;
        Ok(Self { set: Arc::new(set) })
    }

    /// The tool set's version.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn version(&self) -> String {
        self.set.version.to_string()
    }

    /// The commit it was built from.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn git_commit(&self) -> Option<String> {
        self.set.git_commit.clone()
    }

    /// The handler path of each tool, as `id, path, id, path, …`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn handler_paths(&self) -> Vec<String> {
        let tools = self.set.tools().iter();
        tools.flat_map(|tool| [tool.id.to_string(), tool.definition.handler_path.clone()]).collect()
    }

    /// A tool's metadata, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn describe(&self, tool_id: String) -> Option<String> {
        serde_json::to_string(&metadata(self.set.get(&tool_id)?)).ok()
    }

    /// A tool's arguments as people must see them, JSON text: `{ rows: [{ name, title?, value, short? }], text, args }`, with hidden
    /// characters escaped and sensitive values masked. `null` if the tool is unknown, or `args` is no JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn show_arguments(&self, tool_id: String, args: String) -> Option<String> {
        let tool = self.set.get(&tool_id)?;
        let args = Tape::parse(args, &Limits::widest()).ok()?;
        let text = argument_table(tool, &args);
        let shown = ShownArguments {
            rows: tool.args_schema.rows(&args),
            text: text.trim_start_matches('\n'),
            args: tool.shown_args(&args),
        };
        serde_json::to_string(&shown).ok()
    }

    /// Validates arguments, as a gate with the default limits does. Returns JSON text of `{ args }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn validate_args(&self, tool_id: String, args: String) -> String {
        validated_args_text(validate_named(&self.set, &tool_id, RawArgs::Text(args), ArgsLimits::default()))
    }

    /// The lowering receipts of a tool's declarations, as JSON text.
    #[napi(catch_unwind)]
    pub fn lowering(&self, tool_id: String) -> napi::Result<Option<String>> {
        let Some(tool) = self.set.get(&tool_id) else { return Ok(None) };
        let declared = tool.declarations.read_all().map_err(|problem| declarations_error(tool, &problem))?;
        Ok(serde_json::to_string(&declared.lowering).ok())
    }

    /// The declarations in a provider's format, as JSON text of a list; `None` for an unknown provider. `only` limits
    /// them to tools with these ids.
    #[napi(catch_unwind)]
    pub fn provider_schemas(
        &self,
        provider: String,
        mode: Option<String>,
        services: Vec<String>,
        only: Option<Vec<String>>,
    ) -> napi::Result<Option<String>> {
        if !provider_names().any(|name| name == provider) {
            return Ok(None);
        }
        let services: BTreeSet<String> = services.into_iter().collect();
        let only: Option<BTreeSet<String>> = only.map(|ids| ids.into_iter().collect());
        let is_wanted = |tool: &CompiledTool| only.as_ref().is_none_or(|ids| ids.contains(&*tool.id));
        let mut texts = Vec::new();
        for tool in self.set.visible_tools(mode.as_deref(), &services).filter(|tool| is_wanted(tool)) {
            texts.extend(
                tool.declarations.declaration(&provider).map_err(|problem| declarations_error(tool, &problem))?,
            );
        }
        Ok(Some(format!("[{}]", texts.join(","))))
    }

    /// The ids of the tools that are declared before a search: those marked so, and those that require `search_service`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn initially_declared(&self, search_service: String) -> Vec<String> {
        let is_initial =
            |tool: &CompiledTool| tool.definition.always_declared || tool.definition.requires.contains(&search_service);
        self.set.tools().iter().filter(|tool| is_initial(tool)).map(|tool| tool.id.to_string()).collect()
    }

    /// Notes that the strict declarations of these tools were sent to a model; see [`crate::registry::StrictNulls`].
    #[napi(catch_unwind)]
    pub fn declared_strictly(&self, tool_ids: Vec<String>) {
        for tool in tool_ids.iter().filter_map(|id| self.set.get(id)) {
            tool.strict_nulls.declared();
        }
    }

    /// Notes that the handlers of these tools have a function `reconcile`.
    #[napi(catch_unwind)]
    pub fn reconciled(&self, tool_ids: Vec<String>) {
        for tool in tool_ids.iter().filter_map(|id| self.set.get(id)) {
            tool.reconcile.give();
        }
    }

    /// Notes that the schemas in the handlers of these tools have code.
    #[napi(catch_unwind)]
    pub fn have_schema_code(&self, tool_ids: Vec<String>) {
        for tool in tool_ids.iter().filter_map(|id| self.set.get(id)) {
            tool.schema_code.give();
        }
    }

    /// The host's decision about strict nulls, for all tools; see [`crate::registry::StrictNulls`].
    #[napi(catch_unwind)]
    pub fn decide_strict_nulls(&self, mean_absent: bool) {
        for tool in self.set.tools() {
            tool.strict_nulls.decide(mean_absent);
        }
    }

    /// The ids of the tools to declare to a model.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn visible(&self, mode: Option<String>, services: Vec<String>) -> Vec<String> {
        let services: BTreeSet<String> = services.into_iter().collect();
        self.set.visible_tools(mode.as_deref(), &services).map(|tool| tool.id.to_string()).collect()
    }

    /// The tools found by words, as JSON text of a list, best first. Options: `{ mode, services, roles, category, limit }`.
    #[napi(catch_unwind)]
    pub fn search(&self, query: String, options: String) -> napi::Result<String> {
        let options = parse_json(&options, "search options")?;
        json_text(&tool_search::search(&self.set, &query, &options))
    }

    /// What a model needs in order to call a tool, as JSON text `{ tool }`, or `{ nearest }` with the names of similar
    /// tools. Options: `{ mode, services, roles }`.
    #[napi(catch_unwind)]
    pub fn look_up(&self, tool_id: String, options: String) -> napi::Result<String> {
        let visibility = parse_json(&options, "lookup options")?;
        json_text(&tool_search::look_up(&self.set, &tool_id, &visibility))
    }

    /// A tool's full guide.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn documentation(&self, tool_id: String) -> Option<String> {
        self.set.get(&tool_id).map(|tool| tool.definition.documentation.clone())
    }
}

fn json_text(value: &impl Serialize) -> napi::Result<String> {
    serde_json::to_string(value).map_err(|error| misuse(error.to_string()))
}

/// The error for unreadable declarations, for example in an artifact that was edited.
fn declarations_error(tool: &CompiledTool, problem: &DeclarationError) -> napi::Error {
    let tool = tool.id.to_string();
    let problem = format!("its declarations can't be read ({problem})");
    load_error(&LoadError::Tool(ToolCompileError { tool, problem }))
}

/// The outcome of a validation without a call, as JSON text of `{ args }` or `{ error }`.
pub(super) fn validated_args_text(outcome: ValidatedArgs) -> String {
    match outcome {
        Ok(args) => format!("{{\"args\":{args}}}"),
        Err(error) => json!({ "error": error }).to_string(),
    }
}

/// The exception `CODE: message`, which becomes a `RegistryLoadError`.
fn load_error(error: &LoadError) -> napi::Error {
    misuse(format!("{}: {error}", load_error_code(error)))
}

/// The `code` of the `RegistryLoadError`.
const fn load_error_code(error: &LoadError) -> &'static str {
    match error {
        LoadError::Missing(_) | LoadError::Unreadable { .. } => "ARTIFACT_MISSING",
        LoadError::Artifact(ArtifactError::Invalid(_) | ArtifactError::NotUtf8(_)) => "ARTIFACT_INVALID",
        LoadError::Artifact(ArtifactError::Version { .. }) => "ARTIFACT_VERSION",
        LoadError::Tool(_) => "TOOL_INVALID",
    }
}

/// A tool's metadata, without its declarations, receipts and guide, which have queries of their own.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolMetadata<'a> {
    tool_id: &'a str,
    version: &'a str,
    title: &'a str,
    description: &'a str,
    category: Category,
    side_effects: SideEffects,
    idempotent: bool,
    requires_confirmation: bool,
    #[serde(skip_serializing_if = "Grantable::is_never")]
    grantable: Grantable,
    #[serde(skip_serializing_if = "Option::is_none")]
    approvers: Option<&'a Approvers>,
    allowed_modes: &'a [String],
    latency_budget_ms: u64,
    timeout_ms: Timeout,
    #[serde(skip_serializing_if = "Option::is_none")]
    background: Option<Background>,
    parallel: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeatable: Option<bool>,
    #[serde(skip_serializing_if = "RepairRules::is_all")]
    repair: RepairRules,
    #[serde(skip_serializing_if = "Option::is_none")]
    always_declared: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nested_only: Option<bool>,
    requires: &'a [String],
    required_roles: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<RateLimit>,
    summary: &'a str,
    json_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitive_arguments: Option<Vec<&'a str>>,
    handler_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a ToolOrigin>,
}

fn metadata(tool: &CompiledTool) -> ToolMetadata<'_> {
    let definition = &tool.definition;
    ToolMetadata {
        tool_id: &definition.tool_id,
        version: &definition.version,
        title: &definition.title,
        description: &definition.description,
        category: definition.category,
        side_effects: definition.side_effects,
        idempotent: definition.idempotent,
        requires_confirmation: definition.requires_confirmation,
        grantable: definition.confirmation.widest_grant(),
        approvers: definition.confirmation.approvers.as_ref(),
        allowed_modes: &definition.allowed_modes,
        latency_budget_ms: definition.latency_budget_ms,
        timeout_ms: definition.timeout_ms,
        background: definition.background,
        parallel: definition.parallel,
        repeatable: definition.repeatable.then_some(true),
        repair: definition.repair,
        always_declared: definition.always_declared.then_some(true),
        nested_only: definition.nested_only.then_some(true),
        requires: &definition.requires,
        required_roles: &definition.required_roles,
        rate_limit: definition.rate_limit,
        summary: &definition.summary,
        json_schema: &definition.json_schema,
        sensitive_arguments: tool.args_schema.sensitive_parameters(),
        handler_path: &definition.handler_path,
        source: definition.source.as_ref(),
    }
}
