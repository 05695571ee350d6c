//! Portable tool names: conversion of any name to one that every provider accepts.

use icu_normalizer::DecomposingNormalizerBorrowed;
use sha2::{Digest, Sha256};

use crate::lint::is_tool_id;

const MAX_LENGTH: usize = 64;

/// The portable form of a name; the name itself if it is portable. If letters are lost, a short hash of the whole name
/// keeps different names different.
pub(crate) fn portable_name(name: &str) -> String {
    if is_tool_id(name) {
        return name.to_owned();
    }
    let (mut id, lossless) = snake_case(name);
    if !id.starts_with(|first: char| first.is_ascii_lowercase()) {
        id.insert_str(0, if id.is_empty() { "tool" } else { "tool_" });
    }
    if lossless && id.len() <= MAX_LENGTH {
        return id;
    }
    let hash = short_hash(name);
    id.truncate(MAX_LENGTH - hash.len() - 1);
    format!("{}_{hash}", id.trim_end_matches('_'))
}

/// Lower-case words joined by `_`, and whether they contain every letter and digit.
fn snake_case(name: &str) -> (String, bool) {
    let letters: Vec<char> = DecomposingNormalizerBorrowed::new_nfkd().normalize_iter(name.chars()).collect();
    let (mut id, mut lossless) = (String::with_capacity(name.len()), true);
    for (index, &letter) in letters.iter().enumerate() {
        if !letter.is_ascii_alphanumeric() {
            // A combining accent is left out and separates no words.
            let accent = ('\u{300}'..='\u{36f}').contains(&letter);
            lossless &= accent || !letter.is_alphanumeric();
            if !accent && !id.is_empty() && !id.ends_with('_') {
                id.push('_');
            }
            continue;
        }
        let before = index.checked_sub(1).and_then(|index| letters.get(index));
        let after = letters.get(index + 1);
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if begins && !id.ends_with('_') {
            id.push('_');
        }
        id.push(letter.to_ascii_lowercase());
    }
    (id.trim_end_matches('_').to_owned(), lossless)
}

fn short_hash(name: &str) -> String {
    use std::fmt::Write as _;
    Sha256::digest(name.as_bytes()).iter().take(4).fold(String::new(), |mut hex, byte| {
        // Writing into a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_portable_and_readable() {
        let cases = [
            ("kb_search", "kb_search"),
            ("getWeather", "get_weather"),
            ("HTTPServerStart", "http_server_start"),
            ("GET_WEATHER", "get_weather"),
            ("math.add", "math_add"),
            ("github/create-issue", "github_create_issue"),
            ("send an e-mail!", "send_an_e_mail"),
            ("3d_print", "tool_3d_print"),
            ("_private", "private"),
            ("café.número", "cafe_numero"),
            ("v2Users", "v2_users"),
        ];
        for (name, expected) in cases {
            assert_eq!(portable_name(name), expected);
        }
    }

    #[test]
    fn what_loses_letters_keeps_names_apart() {
        let long = |last: &str| format!("{}{last}", "very_long_name_".repeat(8));
        let names = ["天气", "天空", "получитьПогоду", "...", "", &long("a"), &long("b")];
        let ids: Vec<String> = names.iter().map(|name| portable_name(name)).collect();
        assert!(ids.iter().all(|id| is_tool_id(id)), "{ids:?}");
        let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
        // `...` and the empty name share an id.
        assert_eq!(distinct.len(), ids.len() - 1, "{ids:?}");
    }
}
