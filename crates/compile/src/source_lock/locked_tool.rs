//! One tool of a lock: its definition as published and its policy become a tool definition.

use serde_json::{Map, Value, json};

use super::lock_file::{LockFile, SourceEntry, ToolEntry, canonical_digest};
use super::{LockedTool, published_texts};
use crate::declare;
use crate::findings::code::{Code, Severity};
use crate::findings::report::Findings;
use crate::findings::suggest::suggestion;
use crate::imported::{PublishedSchemas, published_schemas};
use crate::lint::{self, LintSettings};
use crate::text::source::{SourceFile, pointer_from_names};
use crate::tool_folder::tool_definition::{ToolTexts, default_title, definition_from_fields};
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};
use toolgate_definition::{RepairRules, ToolOrigin};

/// The fields of `schema.json` that a policy may have. The others are the server's: what the tool is called, and what it
/// takes and gives.
const POLICY_FIELDS: [&str; 19] = [
    "allowedModes",
    "alwaysDeclared",
    "background",
    "cache",
    "category",
    "confirmation",
    "duplicate",
    "idempotent",
    "latencyBudgetMs",
    "lintAccepted",
    "parallel",
    "rateLimit",
    "repeatable",
    "requiredRoles",
    "requiresConfirmation",
    "resultLimitBytes",
    "retry",
    "sideEffects",
    "timeoutMs",
];

/// An entry of the lock.
pub(super) struct LockedEntry<'a> {
    pub(super) lock: &'a LockFile,
    pub(super) source: &'a str,
    pub(super) of: &'a SourceEntry,
    pub(super) tool: &'a str,
    pub(super) entry: &'a ToolEntry,
}

impl LockedEntry<'_> {
    /// The tool's name with the source's prefix, which a name that begins with it has already.
    fn published_as(&self) -> String {
        let prefix = if self.tool.starts_with(&self.of.prefix) { "" } else { &self.of.prefix };
        format!("{prefix}{}", self.tool)
    }

    /// The pointer in the lock of a value of the entry.
    pub(super) fn pointer(&self, within: &str) -> String {
        format!("{}{within}", pointer_from_names(&["sources", self.source, "tools", self.tool]))
    }

    /// Whether the policy acknowledges a warning.
    fn accepts(&self, code: Code) -> bool {
        let accepted = self.entry.policy.get("lintAccepted").and_then(Value::as_array);
        accepted.is_some_and(|codes| codes.iter().any(|accepted| accepted == code.as_str()))
    }

    pub(super) fn add(&self, findings: &mut Findings, code: Code, within: &str, message: &str, help: &str) {
        if code.severity() == Severity::Warning && self.accepts(code) {
            return;
        }
        let message = format!("`{}` of `{}`: {message}", self.tool, self.source);
        findings.add(code, self.lock.file.at_value(&self.pointer(within)), message, help);
    }
}

/// The tool of an entry; `None` if it can't be built, with an error.
pub(super) fn locked_tool(
    place: &LockedEntry<'_>,
    settings: &LintSettings,
    findings: &mut Findings,
) -> Option<LockedTool> {
    let published = published_definition(place, findings)?;
    if !lint::is_tool_id(&place.entry.tool_id) {
        let message = format!("`{}` is not the id of a tool", place.entry.tool_id);
        place.add(findings, Code::BadToolId, "/toolId", &message, "run `toolgate mcp lock`");
        return None;
    }
    published_texts::check(place, &published, findings);
    let schemas = published_schemas(&published);
    let is_usable = report_schemas(place, &schemas, findings);
    let (declared, checked) = schemas.declared.zip(schemas.checked).filter(|_| is_usable)?;
    let fields = tool_fields(place, &published, settings, declared, schemas.result);
    let source = policy_source(place, fields);
    if !check_policy(place, &source, settings, findings) {
        return None;
    }
    let fields = &source.schema.as_ref()?.members;
    let mut definition = match definition_from_fields(fields, texts(&published, place.tool), String::new()) {
        Ok(definition) => definition,
        Err(reason) => {
            place.add(findings, Code::WrongType, "/policy", &reason, "correct the field that the message names");
            return None;
        }
    };
    definition.repair = RepairRules::NONE;
    let mut declared = declare(&definition);
    declared.provider_schemas.insert("mcp".to_owned(), republished(published, place));
    definition.json_schema = checked.into();
    definition.source = Some(ToolOrigin {
        name: place.source.to_owned(),
        tool: place.tool.to_owned(),
        published_as: place.published_as(),
        protocol_version: place.of.protocol_version.clone(),
        offers: place.of.offers(),
        sha256: place.entry.sha256.clone(),
    });
    report_undeclared(place, &declared, settings, findings);
    let fields = ToolSource { declared: Some(declared.clone()), ..source };
    Some(LockedTool { definition, declared, fields })
}

/// The definition, if it is the one whose digest was locked.
fn published_definition(place: &LockedEntry<'_>, findings: &mut Findings) -> Option<Value> {
    let text = place.entry.definition.get();
    let is_locked = canonical_digest(text).is_ok_and(|digest| digest == place.entry.sha256);
    let definition: Option<Value> = serde_json::from_str(text).ok().filter(|_| is_locked);
    let is_named = |definition: &Value| definition.get("name").is_some_and(|name| name == place.tool);
    let usable = definition.filter(is_named);
    if usable.is_none() {
        let message = "the definition is not the one that was locked";
        place.add(
            findings,
            Code::LockInvalid,
            "/definition",
            message,
            "run `toolgate mcp lock`, and `toolgate mcp approve` for what it names; a lock is not edited by hand",
        );
    }
    usable
}

/// Whether the schemas can be used. What is only unusual in them is the server's affair.
fn report_schemas(place: &LockedEntry<'_>, schemas: &PublishedSchemas, findings: &mut Findings) -> bool {
    let errors = schemas.findings.iter().filter(|found| found.severity == Severity::Error);
    let mut is_usable = true;
    for found in errors {
        let help = "set the tool to `false` in the source's file: its calls can't be checked";
        place.add(findings, found.code, &format!("/definition{}", found.pointer), &found.message, help);
        is_usable = false;
    }
    is_usable
}

/// The fields as a `schema.json` would have them: cautious ones, then the policy's, then the server's.
fn tool_fields(
    place: &LockedEntry<'_>,
    published: &Value,
    settings: &LintSettings,
    parameters: Value,
    result: Option<Value>,
) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("category", json!("action"));
    put("sideEffects", json!("writes"));
    put("idempotent", json!(false));
    put("requiresConfirmation", json!(true));
    put("allowedModes", json!(settings.modes));
    put("latencyBudgetMs", json!(10_000));
    for (name, value) in &place.entry.policy {
        put(name, value.clone());
    }
    put("toolId", json!(place.entry.tool_id));
    put("version", json!("0.0.0"));
    put("title", json!(published_texts::title(published).unwrap_or_else(|| default_title(place.tool))));
    put("description", json!(published_texts::description(published).unwrap_or(place.tool)));
    put("parameters", parameters);
    if let Some(result) = result {
        put("resultSchema", result);
    }
    fields
}

fn policy_source(place: &LockedEntry<'_>, fields: Map<String, Value>) -> ToolSource {
    let label = place.lock.file.label.clone();
    let file = SourceFile::new(label.clone(), "");
    ToolSource {
        folder: place.entry.tool_id.clone(),
        label,
        schema: Some(ToolDocument::new(file, fields)),
        module: None,
        guide: None,
        handler: None,
        declared: None,
    }
}

/// Whether the policy may be used: the rules for a `schema.json`, as far as they are about its fields.
fn check_policy(
    place: &LockedEntry<'_>,
    source: &ToolSource,
    settings: &LintSettings,
    findings: &mut Findings,
) -> bool {
    let mut is_usable = true;
    for name in place.entry.policy.keys().filter(|name| !POLICY_FIELDS.contains(&name.as_str())) {
        let message = format!("`{name}` is not a field of a policy");
        let at = pointer_from_names(&["policy", name]);
        place.add(findings, Code::UnknownField, &at, &message, &suggestion(name, &POLICY_FIELDS));
        is_usable = false;
    }
    let mut found = Findings::default();
    lint::check(source, settings, &mut found);
    for finding in found.into_sorted().0 {
        let pointer = finding.pointer.unwrap_or_default();
        let field = toolgate_json::pointer::tokens(&pointer).next();
        // A source's question is cut where a preview would be required.
        let is_applied = finding.code != Code::PreviewMissing;
        if is_applied && field.is_some_and(|field| place.entry.policy.contains_key(&*field)) {
            place.add(findings, finding.code, &format!("/policy{pointer}"), &finding.message, &finding.help);
            is_usable &= finding.severity != Severity::Error;
        }
    }
    is_usable
}

/// The definition that MCP clients see: as published. Its name is the tool's id, as in all declarations.
fn republished(mut published: Value, place: &LockedEntry<'_>) -> Value {
    if let Value::Object(members) = &mut published {
        members.insert("name".to_owned(), json!(place.entry.tool_id));
    }
    published
}

fn report_undeclared(
    place: &LockedEntry<'_>,
    declared: &crate::Declarations,
    settings: &LintSettings,
    findings: &mut Findings,
) {
    for missing in declared.missing().filter(|missing| settings.in_use.contains(missing.target)) {
        let message = format!("it can't be declared to `{}`: {}", missing.target, missing.reason);
        let help = "set the tool to `false` in the source's file, or build without this provider";
        place.add(findings, missing.code(), "/definition/inputSchema", &message, help);
    }
}

/// The first line that says something, and the whole description.
fn texts(published: &Value, name: &str) -> ToolTexts {
    const MAX_SUMMARY_CHARS: usize = 250;
    let documentation = published_texts::description(published).unwrap_or(name).to_owned();
    let line = documentation.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(name);
    let summary = if line.chars().count() > MAX_SUMMARY_CHARS {
        line.chars().take(MAX_SUMMARY_CHARS - 1).chain(['…']).collect()
    } else {
        line.to_owned()
    };
    ToolTexts { summary, documentation }
}
