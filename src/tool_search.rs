//! Search among a tool set's tools, restricted to the tools that a session may see: allowed in its mode, with all
//! required services and roles.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition::{Category, SideEffects};
use crate::registry::{CompiledTool, ToolSet};

/// Maximum number of results of one search.
const MAX_RESULTS: usize = 10;
/// Maximum number of names suggested for an unknown one.
const MAX_SUGGESTIONS: usize = 3;

/// The tools that a session may see.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolVisibility {
    /// The session's mode; absent: tools of every mode.
    #[serde(default)]
    pub mode: Option<String>,
    /// The available services.
    pub services: BTreeSet<String>,
    /// The roles that the session holds.
    #[serde(default)]
    pub roles: BTreeSet<String>,
}

impl ToolVisibility {
    /// Whether a tool may be seen.
    #[must_use]
    pub fn allows(&self, tool: &CompiledTool) -> bool {
        self.mode.as_deref().is_none_or(|mode| tool.allows_mode(mode))
            && tool.is_offered(&self.services)
            && tool.definition.required_roles.iter().all(|role| self.roles.contains(role))
    }
}

/// The options of a search.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchOptions {
    /// The tools among which to search.
    #[serde(flatten)]
    pub visibility: ToolVisibility,
    /// Only tools of this category.
    #[serde(default)]
    pub category: Option<Category>,
    /// Maximum number of results, at most 10.
    #[serde(default)]
    pub limit: Option<usize>,
}

/// A found tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundTool<'a> {
    /// The tool's id.
    pub tool_id: &'a str,
    /// Its name for people.
    pub title: &'a str,
    /// Its summary.
    pub summary: &'a str,
    /// Its purpose.
    pub category: Category,
    /// Its side effects.
    pub side_effects: SideEffects,
    /// The score, comparable within one search; rounded to thousandths.
    pub score: f64,
}

/// What a model needs in order to call a tool, or the names nearest to an unknown one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolLookup<'a> {
    /// The tool exists and may be seen.
    Tool(ToolGuide<'a>),
    /// No such tool may be seen: the ids of visible tools with a similar name.
    Nearest(Vec<&'a str>),
}

/// The documentation of one tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolGuide<'a> {
    tool_id: &'a str,
    version: &'a str,
    title: &'a str,
    description: &'a str,
    category: Category,
    side_effects: SideEffects,
    requires_confirmation: bool,
    documentation: &'a str,
    json_schema: &'a Value,
    examples: &'a [Value],
}

/// Finds tools by words, best first.
#[must_use]
pub fn search<'a>(set: &'a ToolSet, query: &str, options: &SearchOptions) -> Vec<FoundTool<'a>> {
    let limit = options.limit.unwrap_or(MAX_RESULTS).min(MAX_RESULTS);
    let is_candidate = |tool: &CompiledTool| {
        options.category.is_none_or(|category| tool.definition.category == category) && options.visibility.allows(tool)
    };
    let hits =
        set.search_index().search(query, limit, |index| set.tools().get(index).is_some_and(|tool| is_candidate(tool)));
    let found = hits.into_iter().filter_map(|hit| Some((set.tools().get(hit.index)?, hit.score)));
    found.map(|(tool, score)| found_tool(tool, score)).collect()
}

fn found_tool(tool: &CompiledTool, score: f32) -> FoundTool<'_> {
    let definition = &tool.definition;
    FoundTool {
        tool_id: &definition.tool_id,
        title: &definition.title,
        summary: &definition.summary,
        category: definition.category,
        side_effects: definition.side_effects,
        score: (f64::from(score) * 1000.0).round() / 1000.0,
    }
}

/// Returns a visible tool's documentation; for an unknown or invisible one the nearest names of visible tools.
#[must_use]
pub fn look_up<'a>(set: &'a ToolSet, tool_id: &str, visibility: &ToolVisibility) -> ToolLookup<'a> {
    match set.get(tool_id).filter(|tool| visibility.allows(tool)) {
        Some(tool) => ToolLookup::Tool(tool_guide(tool)),
        None => ToolLookup::Nearest(nearest_names(set, tool_id, visibility)),
    }
}

fn tool_guide(tool: &CompiledTool) -> ToolGuide<'_> {
    let definition = &tool.definition;
    ToolGuide {
        tool_id: &definition.tool_id,
        version: &definition.version,
        title: &definition.title,
        description: &definition.description,
        category: definition.category,
        side_effects: definition.side_effects,
        requires_confirmation: definition.requires_confirmation,
        documentation: &definition.documentation,
        json_schema: &definition.json_schema,
        examples: &definition.examples,
    }
}

/// The visible tool with the most similar spelling, then those that share words with the name.
fn nearest_names<'a>(set: &'a ToolSet, name: &str, visibility: &ToolVisibility) -> Vec<&'a str> {
    let mut nearest: Vec<&str> = set.nearest_tool_id_among(name, |tool| visibility.allows(tool)).into_iter().collect();
    let options = SearchOptions { visibility: visibility.clone(), category: None, limit: Some(MAX_SUGGESTIONS) };
    for tool in search(set, name, &options) {
        if !nearest.contains(&tool.tool_id) {
            nearest.push(tool.tool_id);
        }
    }
    nearest.truncate(MAX_SUGGESTIONS);
    nearest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::definition::{Artifact, ProviderDeclarations, ToolWithDeclarations};

    fn tool(id: &str, description: &str, more: &Value) -> ToolWithDeclarations {
        let mut definition = json!({
            "toolId": id, "version": "1.0.0", "title": id, "description": description, "category": "utility",
            "sideEffects": "none", "idempotent": true, "requiresConfirmation": false, "allowedModes": ["text", "voice"],
            "latencyBudgetMs": 100, "parallel": true, "jsonSchema": { "type": "object", "additionalProperties": false },
            "summary": description, "documentation": "# Guide", "handlerPath": "./handler.js", "examples": [{}],
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            definition[name] = value.clone();
        }
        let definition = serde_json::from_value(definition).unwrap();
        ToolWithDeclarations { definition, declared: ProviderDeclarations::default() }
    }

    fn tool_set() -> ToolSet {
        let tools = vec![
            tool("admin_report", "Report of mail usage.", &json!({ "requiredRoles": ["admin"] })),
            tool("mail_read", "Reads mail.", &json!({ "category": "retrieval", "requires": ["mail"] })),
            tool("mail_send", "Sends mail.", &json!({ "category": "action", "allowedModes": ["text"] })),
        ];
        let artifact = Artifact {
            artifact_version: 1,
            version: "1".to_owned(),
            git_commit: None,
            build_timestamp: "2026-01-01T00:00:00Z".to_owned(),
            tools,
        };
        ToolSet::compile(artifact).unwrap()
    }

    fn found(options: Value) -> Vec<String> {
        let options = serde_json::from_value(options).unwrap();
        search(&tool_set(), "mail", &options).iter().map(|tool| tool.tool_id.to_owned()).collect()
    }

    #[test]
    fn only_visible_tools_are_found() {
        assert_eq!(found(json!({ "services": [] })), ["mail_send"]);
        assert_eq!(found(json!({ "mode": "voice", "services": [] })), Vec::<String>::new());
        assert_eq!(found(json!({ "mode": "voice", "services": ["mail"] })), ["mail_read"]);
        let all = found(json!({ "services": ["mail"], "roles": ["admin"] }));
        assert_eq!(all.len(), 3);
        assert_eq!(found(json!({ "services": ["mail"], "category": "retrieval" })), ["mail_read"]);
        assert_eq!(found(json!({ "services": ["mail"], "roles": ["admin"], "limit": 1 })), all.get(..1).unwrap());
    }

    #[test]
    fn a_lookup_returns_the_guide_or_visible_names() {
        let set = tool_set();
        let visibility = ToolVisibility { mode: Some("text".to_owned()), ..ToolVisibility::default() };
        let ToolLookup::Tool(guide) = look_up(&set, "mail_send", &visibility) else { panic!("not found") };
        assert_eq!((guide.documentation, guide.examples.len()), ("# Guide", 1));
        assert_eq!(look_up(&set, "mail_sned", &visibility), ToolLookup::Nearest(vec!["mail_send"]));
        assert_eq!(look_up(&set, "admin_report", &visibility), ToolLookup::Nearest(vec![]));
    }
}
