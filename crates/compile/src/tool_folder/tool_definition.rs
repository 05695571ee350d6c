//! Builds a tool definition from the authored fields. Every default of the field table is applied here.

use serde_json::{Map, Value};

use toolgate_definition::{Confirmation, EffectClass, ToolDefinition};

use super::authored::AuthoredTool;
use super::tool_source::ToolSource;
use crate::schema::dialect;

/// Builds the definition of a tool that passed every rule, without declarations for providers.
///
/// # Errors
/// A fault that the lint rules missed: a defect of the rules, not a common mistake of an author.
pub(crate) fn build_definition(tool: &ToolSource, handler_path: String) -> Result<ToolDefinition, String> {
    let missing = || "a file of the tool could not be read".to_owned();
    let document = tool.schema.as_ref().ok_or_else(missing)?;
    let guide = tool.guide.as_ref().ok_or_else(missing)?;
    let (summary, _) = guide.summary.clone().ok_or_else(missing)?;
    definition_from_fields(
        &document.members,
        ToolTexts { summary, documentation: guide.documentation.clone() },
        handler_path,
    )
}

/// What models read about a tool besides its description.
pub(crate) struct ToolTexts {
    pub(crate) summary: String,
    pub(crate) documentation: String,
}

/// As [`build_definition`], from the fields alone.
///
/// # Errors
/// As [`build_definition`].
pub(crate) fn definition_from_fields(
    fields: &Map<String, Value>,
    texts: ToolTexts,
    handler_path: String,
) -> Result<ToolDefinition, String> {
    // Deserialized from text, as artifacts are: deserializing from values would double the generated code of every
    // type.
    let authored: AuthoredTool = serde_json::to_string(fields)
        .and_then(|text| serde_json::from_str(&text))
        .map_err(|error| error.to_string())?;
    let effect = EffectClass::from_declared(authored.side_effects, authored.idempotent);
    Ok(ToolDefinition {
        title: authored.title.unwrap_or_else(|| default_title(&authored.tool_id)),
        parallel: authored.parallel.unwrap_or(effect.overlaps_by_default()),
        repeatable: authored.repeatable,
        repair: authored.repair,
        duplicate: authored.duplicate,
        always_declared: authored.always_declared,
        nested_only: false,
        clamp: authored.clamp.unwrap_or_default(),
        tool_id: authored.tool_id,
        version: authored.version,
        description: authored.description,
        category: authored.category,
        side_effects: authored.side_effects,
        idempotent: authored.idempotent,
        requires_confirmation: authored.requires_confirmation,
        allowed_modes: authored.allowed_modes,
        latency_budget_ms: authored.latency_budget_ms,
        timeout_ms: authored.timeout_ms,
        background: authored.background,
        retry: authored.retry,
        cache: authored.cache,
        rate_limit: authored.rate_limit,
        required_roles: authored.required_roles,
        requires: authored.requires,
        confirmation: Confirmation {
            when: authored.confirmation.when.map(without_other_dialect),
            ..authored.confirmation
        },
        time_rules: authored.time_rules,
        result_schema: authored.result_schema.map(|schema| without_other_dialect(schema).into()),
        result_limit_bytes: authored.result_limit_bytes,
        examples: authored.examples,
        json_schema: without_other_dialect(authored.parameters).into(),
        summary: texts.summary,
        documentation: texts.documentation,
        handler_path,
        source: None,
    })
}

/// The schema without a `$schema` that names another dialect than draft 2020-12, which a validator would follow.
fn without_other_dialect(mut schema: Value) -> Value {
    if dialect::declares_other_dialect(&schema)
        && let Value::Object(members) = &mut schema
    {
        members.shift_remove("$schema");
    }
    schema
}

/// `kb_search` → `Kb search`.
pub(crate) fn default_title(tool_id: &str) -> String {
    let words = tool_id.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether the `type` of a property's schema includes numbers.
pub(crate) fn is_numeric(property: Option<&Value>) -> bool {
    let number = |name: &Value| name == "integer" || name == "number";
    match property.and_then(|schema| schema.get("type")) {
        Some(Value::Array(types)) => types.iter().any(number),
        Some(name) => number(name),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_made_from_the_id() {
        assert_eq!(default_title("kb_search"), "Kb search");
        assert_eq!(default_title("x"), "X");
        assert_eq!(default_title("a__b_"), "A b");
    }
}
