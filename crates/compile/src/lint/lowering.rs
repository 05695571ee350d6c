//! `lowering-lost`, `lowering-too-large`, `lowering-unused`, `provider-impossible`: keywords of a tool's schema that are missing in provider
//! declarations.
//!
//! A lost keyword is not a lost check, because the gate validates every call by the full schema. But a model that does
//! not see a rule breaks it more often, so each loss is a warning until the author acknowledges it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::quoted_list;
use crate::provider::selection;
use crate::provider::{Declarations, provider_names};
use crate::text::source_pointer::source_pointer;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};
use toolgate_definition::LoweringEntry;
use toolgate_json::suggest;

pub(super) fn check(tool: &ToolSource, settings: &LintSettings, findings: &mut Findings) {
    let (Some(document), Some(declared)) = (&tool.schema, &tool.declared) else { return };
    let Some(parameters) = document.parameters() else { return };
    let losses = losses(&parameters.schema, declared);
    let accepted = accepted_losses(document);
    report_lost(document, &losses, &accepted, settings, findings);
    report_unused(document, &losses, &accepted, findings);
    report_impossible(document, &parameters.schema, declared, settings, findings);
}

/// A part of the schema that a target's declaration does not have.
struct LoweringLoss<'a> {
    target: &'static str,
    entry: &'a LoweringEntry,
    /// JSON Pointer into `parameters` as written. One location can be lost many times, because references are inlined.
    source_pointer: String,
}

fn losses<'a>(schema: &Value, declared: &'a Declarations) -> Vec<LoweringLoss<'a>> {
    let receipts = provider_names().filter_map(|target| {
        // The receipt of a target without a declaration contains the reason, not losses.
        declared.provider_schemas.get(target)?;
        Some((target, declared.lowering.get(target)?))
    });
    let lost = receipts.flat_map(|(target, entries)| entries.iter().map(move |entry| (target, entry)));
    let lost = lost.filter(|(_, entry)| entry.lost);
    lost.map(|(target, entry)| LoweringLoss { target, entry, source_pointer: source_pointer(schema, &entry.pointer) })
        .collect()
}

/// An entry of `loweringAccepted`.
struct AcceptedLoss<'a> {
    text: &'a str,
    /// The part before the colon.
    provider: &'a str,
    /// The targets of `provider`.
    targets: Vec<&'static str>,
    /// JSON Pointer into `parameters`, as written or with references inlined; absent if there is no colon.
    pointer: Option<&'a str>,
    /// JSON Pointer of the entry in `schema.json`.
    at: String,
}

impl AcceptedLoss<'_> {
    fn covers(&self, loss: &LoweringLoss<'_>) -> bool {
        let place = self.pointer.is_some_and(|pointer| pointer == loss.source_pointer || pointer == loss.entry.pointer);
        place && self.targets.contains(&loss.target)
    }
}

fn accepted_losses(document: &ToolDocument) -> Vec<AcceptedLoss<'_>> {
    let entries = document.members.get("loweringAccepted").and_then(Value::as_array);
    let texts = entries.into_iter().flatten().enumerate();
    let read = texts.filter_map(|(index, text)| {
        let text = text.as_str()?;
        let (provider, pointer) =
            text.split_once(':').map_or((text, None), |(provider, pointer)| (provider, Some(pointer)));
        let at = format!("/loweringAccepted/{index}");
        Some(AcceptedLoss { text, provider, targets: selection::targets_named(provider), pointer, at })
    });
    read.collect()
}

/// Adds one warning for each location in the schema, with all targets that lose it.
fn report_lost(
    document: &ToolDocument,
    losses: &[LoweringLoss<'_>],
    accepted: &[AcceptedLoss<'_>],
    settings: &LintSettings,
    findings: &mut Findings,
) {
    let mut places: BTreeMap<&str, (Vec<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for loss in losses.iter().filter(|loss| settings.in_use.contains(loss.target)) {
        if !accepted.iter().any(|accepted| accepted.covers(loss)) {
            let (targets, changes) = places.entry(&loss.source_pointer).or_default();
            targets.push(loss.target);
            changes.insert(&loss.entry.change);
        }
    }
    for (written, (mut targets, changes)) in places {
        targets.dedup();
        let changes: Vec<&str> = changes.into_iter().collect();
        let message = format!("lost for {}: {}", quoted_list(&targets), changes.join("; "));
        let place = document.at_key(&format!("/parameters{written}"));
        findings.add(Code::LoweringLost, place, message, help(written, &targets));
    }
}

fn help(written: &str, targets: &[&str]) -> String {
    let families: BTreeSet<&str> = targets.iter().map(|target| selection::family(target)).collect();
    let entries: Vec<String> = families.iter().map(|family| format!("`\"{family}:{written}\"`")).collect();
    format!(
        "the gate still validates it; state the rule in the description, and add {} to `loweringAccepted`",
        entries.join(", ")
    )
}

fn report_unused(
    document: &ToolDocument,
    losses: &[LoweringLoss<'_>],
    accepted: &[AcceptedLoss<'_>],
    findings: &mut Findings,
) {
    for entry in accepted.iter().filter(|entry| !losses.iter().any(|loss| entry.covers(loss))) {
        let (message, help) = match entry.pointer {
            _ if entry.targets.is_empty() => {
                (format!("unknown provider `{}`", entry.provider), selection::suggest_provider(entry.provider))
            }
            None => {
                let help = format!("write `{}:/properties/<name>/<keyword>`", entry.provider);
                (format!("`{}` has no pointer into `parameters`", entry.text), help)
            }
            Some(pointer) => {
                let others = losses.iter().filter(|loss| entry.targets.contains(&loss.target));
                let meant = suggest(pointer, others.map(|loss| &*loss.source_pointer));
                let help = meant.map_or_else(
                    || "remove it".to_owned(),
                    |meant| format!("did you mean `{}:{meant}`?", entry.provider),
                );
                (format!("`{}` loses nothing at `{pointer}`", entry.provider), help)
            }
        };
        findings.add(Code::LoweringUnused, document.at_value(&entry.at), message, help);
    }
}

fn report_impossible(
    document: &ToolDocument,
    schema: &Value,
    declared: &Declarations,
    settings: &LintSettings,
    findings: &mut Findings,
) {
    for missing in declared.missing().filter(|missing| settings.in_use.contains(missing.target)) {
        let place = document.at_key(&format!("/parameters{}", source_pointer(schema, missing.pointer)));
        let message = format!("the tool can't be declared to `{}`: {}", missing.target, missing.reason);
        let help = "change the schema here, or remove the provider from those in use";
        findings.add(missing.code(), place, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::selection::ProvidersInUse;
    use crate::text::source::SourceFile;
    use serde_json::json;

    #[test]
    fn a_declaration_that_is_missing_is_an_error_where_it_is_needed() {
        let text = r#"{ "parameters": { "properties": { "a": { "not": {} } } } }"#;
        let members = serde_json::from_str(text).unwrap();
        let document = ToolDocument::new(SourceFile::new("schema.json".into(), text), members);
        let refused =
            LoweringEntry { pointer: "/properties/a/not".into(), change: "`not` is refused".into(), lost: true };
        let mut declared = Declarations::default();
        declared.provider_schemas.insert("openai".to_owned(), json!({}));
        declared.lowering.insert("mcp".to_owned(), vec![refused]);
        let found = |providers: &[&str]| {
            let in_use = ProvidersInUse::from_names(&providers.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
            let settings = LintSettings { modes: Vec::new(), in_use, services: None };
            let mut findings = Findings::default();
            let losses = losses(&json!({}), &declared);
            report_lost(&document, &losses, &[], &settings, &mut findings);
            report_impossible(
                &document,
                &json!({ "properties": { "a": { "not": {} } } }),
                &declared,
                &settings,
                &mut findings,
            );
            let (list, _) = findings.into_sorted();
            list.into_iter().map(|found| (found.code, found.column, found.message)).collect::<Vec<_>>()
        };
        let message = "the tool can't be declared to `mcp`: `not` is refused".to_owned();
        assert_eq!(found(&["mcp"]), [(Code::ProviderImpossible, 42, message)]);
        assert_eq!(found(&["openai"]).iter().filter(|(_, _, message)| message.contains("`openai`")).count(), 0);
    }
}
