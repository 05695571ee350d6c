//! `ErrorType` is the table of error types. Every other list of them is held to it here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at what it did not expect")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toolgate::error::ErrorType;

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

fn all() -> BTreeSet<String> {
    ErrorType::ALL.iter().map(|kind| kind.as_str().to_owned()).collect()
}

/// Words of capitals and underscores.
fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_uppercase() || c == '_')).filter(|word| word.len() > 3);
    words.map(str::to_owned).collect()
}

/// The part of a text from one phrase to the next `end`.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("`{start}` is in the text"));
    rest.split_once(end).unwrap().0
}

#[test]
fn the_published_schema_lists_every_type() {
    let schema: serde_json::Value = serde_json::from_str(&read("schemas/tool-response.schema.json")).unwrap();
    let listed = schema.pointer("/$defs/error/properties/type/enum").unwrap().as_array().unwrap();
    let listed: Vec<_> = listed.iter().map(|name| name.as_str().unwrap()).collect();
    let expected: Vec<_> = ErrorType::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(listed, expected);
}

#[test]
fn the_typescript_union_lists_every_type() {
    let declarations = ["index.d.ts", "types/responses.d.ts"].map(|file| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        fs::read_to_string(path).unwrap_or_default()
    });
    let text = declarations.iter().find(|text| text.contains("type ErrorTypeName =")).unwrap();
    assert_eq!(names(between(text, "type ErrorTypeName =", "\n\n")), all());
}

#[test]
fn the_prompt_has_advice_for_every_type() {
    let prompt = read("prompts/core.md");
    let table = between(&prompt, "| error type | what you do |", "\n\n");
    let advised: BTreeSet<_> = table.lines().flat_map(|row| names(row.split('|').nth(1).unwrap_or_default())).collect();
    assert_eq!(advised, all());
}

#[test]
fn the_page_names_only_known_types() {
    let page = read("react/src/chat/tool-calls.tsx");
    let refusals = names(between(&page, "const REFUSALS = new Set([", "])"));
    assert!(refusals.is_subset(&all()), "{:?}", refusals.difference(&all()));
}
