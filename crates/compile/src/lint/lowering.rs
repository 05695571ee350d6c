//! `lowering-lost`, `lowering-unused`, `provider-impossible`: what providers are not told of a tool's schema.
//!
//! A lost keyword is never a lost check, for the gate validates every call by the schema itself. But a model that is
//! not told of a rule breaks it more often, so each loss is a warning until the author says that it is intended.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::provider::{Declarations, provider_names};
use crate::report::Findings;
use crate::suggest::listed;
use crate::targets;
use crate::tool::{Document, Tool};
use crate::written::written;
use toolgate_definition::LoweringEntry;
use toolgate_did_you_mean::nearest;

pub(super) fn check(tool: &Tool, settings: &Settings, findings: &mut Findings) {
    let (Some(document), Some(declared)) = (&tool.schema, &tool.declared) else { return };
    let Some(parameters) = document.parameters() else { return };
    let losses = losses(&parameters.schema, declared);
    let accepted = accepted(document);
    lost(document, &losses, &accepted, settings, findings);
    unused(document, &losses, &accepted, findings);
    impossible(document, &parameters.schema, declared, settings, findings);
}

/// Something that a target is not told.
struct Loss<'a> {
    target: &'static str,
    entry: &'a LoweringEntry,
    /// JSON Pointer within `parameters` of where it is written. One place can be lost many times, for references are
    /// inlined.
    written: String,
}

fn losses<'a>(schema: &Value, declared: &'a Declarations) -> Vec<Loss<'a>> {
    let receipts = provider_names().filter_map(|target| {
        // The receipt of a target without a declaration says why there is none.
        declared.provider_schemas.get(target)?;
        Some((target, declared.lowering.get(target)?))
    });
    let lost = receipts.flat_map(|(target, entries)| entries.iter().map(move |entry| (target, entry)));
    let lost = lost.filter(|(_, entry)| entry.lost);
    lost.map(|(target, entry)| Loss { target, entry, written: written(schema, &entry.pointer) }).collect()
}

/// An entry of `loweringAccepted`.
struct Accepted<'a> {
    text: &'a str,
    /// What stands before the colon.
    provider: &'a str,
    /// The targets that it stands for.
    targets: Vec<&'static str>,
    /// JSON Pointer within `parameters`, of the place where something is written or of one where it is inlined; absent
    /// where there is no colon.
    pointer: Option<&'a str>,
    /// JSON Pointer of the entry.
    at: String,
}

impl Accepted<'_> {
    fn covers(&self, loss: &Loss<'_>) -> bool {
        let place = self.pointer.is_some_and(|pointer| pointer == loss.written || pointer == loss.entry.pointer);
        place && self.targets.contains(&loss.target)
    }
}

fn accepted(document: &Document) -> Vec<Accepted<'_>> {
    let entries = document.members.get("loweringAccepted").and_then(Value::as_array);
    let texts = entries.into_iter().flatten().enumerate();
    let read = texts.filter_map(|(index, text)| {
        let text = text.as_str()?;
        let (provider, pointer) =
            text.split_once(':').map_or((text, None), |(provider, pointer)| (provider, Some(pointer)));
        let at = format!("/loweringAccepted/{index}");
        Some(Accepted { text, provider, targets: targets::named(provider), pointer, at })
    });
    read.collect()
}

/// One warning for each place of the schema, whichever targets lose it.
fn lost(
    document: &Document,
    losses: &[Loss<'_>],
    accepted: &[Accepted<'_>],
    settings: &Settings,
    findings: &mut Findings,
) {
    let mut places: BTreeMap<&str, (Vec<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for loss in losses.iter().filter(|loss| settings.in_use.has(loss.target)) {
        if !accepted.iter().any(|accepted| accepted.covers(loss)) {
            let (targets, changes) = places.entry(&loss.written).or_default();
            targets.push(loss.target);
            changes.insert(&loss.entry.change);
        }
    }
    for (written, (mut targets, changes)) in places {
        targets.dedup();
        let changes: Vec<&str> = changes.into_iter().collect();
        let message = format!("lost for {}: {}", listed(&targets), changes.join("; "));
        let place = document.at_key(&format!("/parameters{written}"));
        findings.add(Code::LoweringLost, place, message, help(written, &targets));
    }
}

fn help(written: &str, targets: &[&str]) -> String {
    let families: BTreeSet<&str> = targets.iter().map(|target| targets::family(target)).collect();
    let entries: Vec<String> = families.iter().map(|family| format!("`\"{family}:{written}\"`")).collect();
    format!(
        "the gate still checks it; say the rule in the description too, and put {} into `loweringAccepted`",
        entries.join(", ")
    )
}

fn unused(document: &Document, losses: &[Loss<'_>], accepted: &[Accepted<'_>], findings: &mut Findings) {
    for entry in accepted.iter().filter(|entry| !losses.iter().any(|loss| entry.covers(loss))) {
        let (message, help) = match entry.pointer {
            _ if entry.targets.is_empty() => {
                (format!("`{}` is no provider", entry.provider), targets::instead_of(entry.provider))
            }
            None => {
                let help = format!("write `{}:/properties/<name>/<keyword>`", entry.provider);
                (format!("`{}` says no place in `parameters`", entry.text), help)
            }
            Some(pointer) => {
                let others = losses.iter().filter(|loss| entry.targets.contains(&loss.target));
                let meant = nearest(pointer, others.map(|loss| &*loss.written));
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

fn impossible(
    document: &Document,
    schema: &Value,
    declared: &Declarations,
    settings: &Settings,
    findings: &mut Findings,
) {
    for missing in declared.missing().filter(|missing| settings.in_use.has(missing.target)) {
        let place = document.at_key(&format!("/parameters{}", written(schema, missing.pointer)));
        let message = format!("`{}` can't take the tool: {}", missing.target, missing.reason);
        let help = "change the schema at this place, or leave the provider out of those in use";
        findings.add(Code::ProviderImpossible, place, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;
    use crate::targets::InUse;
    use serde_json::json;

    #[test]
    fn a_declaration_that_is_missing_is_an_error_where_it_is_needed() {
        let text = r#"{ "parameters": { "properties": { "a": { "not": {} } } } }"#;
        let members = serde_json::from_str(text).unwrap();
        let document = Document::new(SourceFile::new("schema.json".into(), text), members);
        let refused =
            LoweringEntry { pointer: "/properties/a/not".into(), change: "`not` is refused".into(), lost: true };
        let declared = Declarations {
            provider_schemas: [("openai".to_owned(), json!({}))].into(),
            lowering: [("mcp".to_owned(), vec![refused])].into(),
        };
        let found = |providers: &[&str]| {
            let in_use = InUse::new(&providers.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
            let settings = Settings { modes: Vec::new(), in_use };
            let mut findings = Findings::default();
            let losses = losses(&json!({}), &declared);
            lost(&document, &losses, &[], &settings, &mut findings);
            impossible(
                &document,
                &json!({ "properties": { "a": { "not": {} } } }),
                &declared,
                &settings,
                &mut findings,
            );
            let (list, _) = findings.into_sorted();
            list.into_iter().map(|found| (found.code, found.column, found.message)).collect::<Vec<_>>()
        };
        let message = "`mcp` can't take the tool: `not` is refused".to_owned();
        assert_eq!(found(&["mcp"]), [(Code::ProviderImpossible, 42, message)]);
        assert_eq!(found(&["openai"]).iter().filter(|(_, _, message)| message.contains("`openai`")).count(), 0);
    }
}
