//! A compiled tool set and what can be asked about it, for `js/tool-set.js`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use napi_derive::napi;
use serde::Serialize;
use serde_json::Value;

use super::misuse;
use crate::compile::provider_names;
use crate::definition::{ArtifactError, Category, SideEffects, Timeout, ToolDefinition, UnreadError};
use crate::registry::{CompiledTool, LoadError, ToolSet, ToolSetError};

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
        let set = ToolSet::load(Path::new(&artifact)).map_err(|error| complaint(&error))?;
        Ok(Self { set: Arc::new(set) })
    }

    /// Its version.
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

    /// Where each tool's handler is, as `id, path, id, path, …`.
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
        serde_json::to_string(&metadata(&self.set.get(&tool_id)?.definition)).ok()
    }

    /// The receipts of a tool's declarations, as JSON text.
    #[napi(catch_unwind)]
    pub fn lowering(&self, tool_id: String) -> napi::Result<Option<String>> {
        let Some(tool) = self.set.get(&tool_id) else { return Ok(None) };
        let declared = tool.declared.read().map_err(|problem| undeclared(tool, &problem))?;
        Ok(serde_json::to_string(&declared.lowering).ok())
    }

    /// Declarations in a provider's form, as JSON text of a list; none for an unknown provider.
    #[napi(catch_unwind)]
    pub fn provider_schemas(
        &self,
        provider: String,
        mode: Option<String>,
        services: Vec<String>,
    ) -> napi::Result<Option<String>> {
        if !provider_names().any(|name| name == provider) {
            return Ok(None);
        }
        let services: BTreeSet<String> = services.into_iter().collect();
        let mut texts = Vec::new();
        for tool in self.set.visible(mode.as_deref(), &services) {
            texts.extend(tool.declared.declaration(&provider).map_err(|problem| undeclared(tool, &problem))?);
        }
        Ok(Some(format!("[{}]", texts.join(","))))
    }

    /// Ids of the tools that a model is told about.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn visible(&self, mode: Option<String>, services: Vec<String>) -> Vec<String> {
        let services: BTreeSet<String> = services.into_iter().collect();
        self.set.visible(mode.as_deref(), &services).map(|tool| tool.id.to_string()).collect()
    }

    /// A tool's whole guide.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn documentation(&self, tool_id: String) -> Option<String> {
        self.set.get(&tool_id).map(|tool| tool.definition.documentation.clone())
    }
}

/// Why it can't be said what providers are told of a tool. An artifact that was changed by hand may hold something else.
fn undeclared(tool: &CompiledTool, problem: &UnreadError) -> napi::Error {
    let tool = tool.id.to_string();
    let problem = format!("its declarations can't be read ({problem})");
    complaint(&LoadError::Tool(ToolSetError { tool, problem }))
}

/// `CODE: message`, for the `RegistryLoadError` that it becomes.
fn complaint(error: &LoadError) -> napi::Error {
    misuse(format!("{}: {error}", code_of(error)))
}

/// The `code` of the `RegistryLoadError` that it becomes.
const fn code_of(error: &LoadError) -> &'static str {
    match error {
        LoadError::Missing(_) | LoadError::Unreadable { .. } => "ARTIFACT_MISSING",
        LoadError::Artifact(ArtifactError::Invalid(_) | ArtifactError::NoText(_)) => "ARTIFACT_INVALID",
        LoadError::Artifact(ArtifactError::Version { .. }) => "ARTIFACT_VERSION",
        LoadError::Tool(_) => "TOOL_INVALID",
    }
}

/// A tool without what is asked for by itself: its declarations with their receipts, its guide.
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
    allowed_modes: &'a [String],
    latency_budget_ms: u64,
    timeout_ms: Timeout,
    parallel: bool,
    requires: &'a [String],
    required_roles: &'a [String],
    summary: &'a str,
    json_schema: &'a Value,
    handler_path: &'a str,
}

fn metadata(definition: &ToolDefinition) -> ToolMetadata<'_> {
    ToolMetadata {
        tool_id: &definition.tool_id,
        version: &definition.version,
        title: &definition.title,
        description: &definition.description,
        category: definition.category,
        side_effects: definition.side_effects,
        idempotent: definition.idempotent,
        requires_confirmation: definition.requires_confirmation,
        allowed_modes: &definition.allowed_modes,
        latency_budget_ms: definition.latency_budget_ms,
        timeout_ms: definition.timeout_ms,
        parallel: definition.parallel,
        requires: &definition.requires,
        required_roles: &definition.required_roles,
        summary: &definition.summary,
        json_schema: &definition.json_schema,
        handler_path: &definition.handler_path,
    }
}
