//! Text for speech: without ids, addresses, code and markup; dates and times in words.

use std::collections::HashSet;

use serde_json::Value;

use super::member_names;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// Punctuation and markup before and after a word that is not part of it.
const OPENING: &[char] = &['"', '\'', '`', '(', '<', '*', '_', '“', '‘', '«', '#', '>', '|', '~'];
const CLOSING: &[char] = &['"', '\'', '`', ')', '>', '*', '_', '”', '’', '»', '|', '~', '.', ',', ';', ':', '!', '?'];
/// Punctuation after a word that belongs to the sentence.
const PUNCTUATION: &[char] = &['.', ',', ';', ':', '!', '?'];

/// The machine-readable values of one response: ids, addresses, secrets. They are never spoken.
#[derive(Debug, Default)]
pub(super) struct MachineValues(HashSet<String>);

impl MachineValues {
    /// Collects the values of members whose names denote ids, addresses or secrets.
    pub(super) fn collect(value: &Value) -> Self {
        let mut found = Self::default();
        found.gather(value, false);
        found
    }

    fn gather(&mut self, value: &Value, is_machines: bool) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    self.gather(member, member_names::names_machine_value(name));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.gather(item, is_machines)),
            // A plain word that is also used as an id may be spoken.
            Value::String(text) if is_machines && text.len() > 2 && !text.chars().all(char::is_alphabetic) => {
                self.0.insert(text.clone());
            }
            _ => {}
        }
    }

    /// Returns the text for speech; it may be empty.
    pub(super) fn speakable(&self, text: &str) -> String {
        let text = without_links(text);
        let mut said = String::with_capacity(text.len());
        for line in without_code(&text).lines() {
            if !said.is_empty() && !said.ends_with(PUNCTUATION) {
                said.push('.');
            }
            for word in line.split_whitespace() {
                self.append_word(word, &mut said);
            }
        }
        said.trim_end_matches([',', ';', ':']).to_owned()
    }

    fn append_word(&self, word: &str, said: &mut String) {
        let core = word.trim_start_matches(OPENING).trim_end_matches(CLOSING);
        let end = word.chars().last().filter(|end| PUNCTUATION.contains(end));
        let spoken = if core.is_empty() || self.is_unspeakable(core) { String::new() } else { spoken_word(core) };
        if spoken.is_empty() {
            for dangling in [" or", " and", " –", " -"] {
                said.truncate(said.trim_end_matches(dangling).len());
            }
            // The sentence ends at the omitted word.
            if end.is_some_and(|end| ".!?".contains(end)) {
                said.truncate(said.trim_end_matches([',', ';', ':']).len());
            }
            if let Some(end) = end.filter(|_| said.ends_with(|last: char| !PUNCTUATION.contains(&last))) {
                said.push(end);
            }
            return;
        }
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(&spoken);
        said.extend(end);
    }

    fn is_unspeakable(&self, word: &str) -> bool {
        is_address(word) || looks_like_an_id(word) || self.0.iter().any(|known| word.contains(known.as_str()))
    }
}

/// Replaces Markdown's `[label](target)` by its label.
fn without_links(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (Some((lead, label)), Some((_, behind))) = (before.rsplit_once('['), after.split_once(')')) else {
            left.push_str(before);
            left.push_str("] ");
            rest = after;
            continue;
        };
        left.push_str(lead.strip_suffix('!').unwrap_or(lead));
        left.push_str(label);
        rest = behind;
    }
    left.push_str(rest);
    left
}

/// Removes text in braces and brackets, which is code.
fn without_code(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => left.push(c),
            _ => {}
        }
    }
    left
}

fn is_address(word: &str) -> bool {
    let lower = word.to_lowercase();
    let has_host = lower.split_once('/').is_some_and(|(host, _)| host.contains('.') && !host.starts_with('.'));
    let is_file = lower.starts_with(['/', '~']) && lower.contains('.');
    lower.contains("://")
        || has_host
        || is_file
        || ["www.", "mailto:", "data:", "urn:", "tel:"].iter().any(|start| lower.starts_with(start))
}

/// Whether a word looks machine-made: alternating letters and digits, long mixtures, a name with a number after `_` or
/// with a kind before `:`.
fn looks_like_an_id(word: &str) -> bool {
    let is_of_a_kind = word
        .split_once(':')
        .is_some_and(|(kind, name)| kind.ends_with(char::is_alphabetic) && name.starts_with(char::is_alphanumeric));
    let last = word.rsplit('_').next().unwrap_or_default();
    let is_numbered = word.contains('_') && last.contains(|c: char| c.is_ascii_digit());
    is_of_a_kind || is_numbered || is_uuid(word) || word.split(|c: char| !c.is_alphanumeric()).any(looks_random)
}

fn is_uuid(word: &str) -> bool {
    let parts = word.split('-').map(|part| part.chars().all(|c| c.is_ascii_hexdigit()).then_some(part.len()));
    parts.eq([8, 4, 4, 4, 12].map(Some))
}

fn looks_random(part: &str) -> bool {
    let digits: Vec<bool> = part.chars().map(|c| c.is_ascii_digit()).collect();
    let turns = digits.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
    let cases: Vec<bool> = part.chars().map(char::is_uppercase).collect();
    let humps = cases.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
    turns >= 3 || (part.len() >= 16 && (turns > 0 || humps >= 5)) || part.len() > 40
}

/// A word as it is spoken; empty if the word consists of punctuation only.
fn spoken_word(word: &str) -> String {
    if word != "&" && !word.contains(char::is_alphanumeric) {
        return String::new();
    }
    if let Some(instant) = spoken_instant(word) {
        return instant;
    }
    let is_path = word.starts_with('/') || word.contains('_') || word.contains('\\');
    let word: String = word
        .chars()
        .map(|c| match c {
            '/' | '_' | '\\' if is_path => ' ',
            '`' | '*' | '#' | '|' | '<' | '>' | '=' | '"' => ' ',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    word.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Converts `2026-01-02T10:00:00Z` to `2 January 2026 at 10:00 UTC`; a time with another offset is spoken as local
/// time.
fn spoken_instant(word: &str) -> Option<String> {
    let (date, time) = word.split_once(['T', 't']).map_or((word, None), |(date, time)| (date, Some(time)));
    let [year, month, day] = fixed_width_numbers(date, '-', [4, 2, 2])?;
    let month = MONTHS.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    let date = format!("{day} {month} {year}");
    let Some(time) = time else { return Some(date) };
    let [hour, minute] = fixed_width_numbers(time.get(..5)?, ':', [2, 2])?;
    let zone = if time.ends_with(['Z', 'z']) { " UTC" } else { "" };
    Some(format!("{date} at {hour}:{minute:02}{zone}"))
}

fn fixed_width_numbers<const N: usize>(text: &str, between: char, lengths: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(between);
    let mut found = [0; N];
    for (place, length) in found.iter_mut().zip(lengths) {
        let part =
            parts.next().filter(|part| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()))?;
        *place = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_nobody_says_is_left_out() {
        let table = [
            ("See https://example.org/a?b=1 for more.", "See for more."),
            ("Read www.example.org, example.org/x and mailto:a@b.org.", "Read."),
            ("See [the handbook](https://example.org/h).", "See the handbook."),
            ("![logo](https://x.org/l.png) Welcome", "logo Welcome"),
            ("Event evt_12 (550e8400-e29b-41d4-a716-446655440000) was made.", "Event was made."),
            ("Token tgc_0f1e2d3c4b5a69788796a5b4c3d2e1f0 is yours", "Token is yours"),
            ("Execute tool with {\"a\":[1,{\"b\":2}]} now", "Execute tool with now"),
            ("open { brace", "open"),
            ("## Rust\n\n- **fast** and `safe`", "Rust. fast and safe"),
            ("`top_k` must be at most 3", "top k must be at most 3"),
            ("`/filters/date_range/start` must be a date", "filters date range start must be a date"),
            (
                "From 2026-01-02T10:05:00Z to 2026-01-02T11:00:00+01:00, on 2026-12-31.",
                "From 2 January 2026 at 10:05 UTC to 2 January 2026 at 11:00, on 31 December 2026.",
            ),
            (
                "The iPhone15 and COVID-19, room 12b, 1,000,000 of 3.5 km and/or more",
                "The iPhone15 and COVID-19, room 12b, 1,000,000 of 3.5 km and/or more",
            ),
            ("No record `person:nobody`, nor at 10:30; see /srv/app/x.json.", "No record, nor at 10:30; see."),
            (
                "Ask ada@example.org or https://example.org/ask. - Then wait – or not",
                "Ask ada@example.org. Then wait or not",
            ),
            ("Straße, élan, 東京!", "Straße, élan, 東京!"),
        ];
        for (text, said) in table {
            assert_eq!(MachineValues::default().speakable(text), said, "{text}");
        }
    }

    #[test]
    fn what_stands_under_a_name_of_an_id_is_said_nowhere() {
        let machine = MachineValues::collect(
            &json!({ "results": [{ "id": "kb-roof", "title": "About kb-roof" }], "user_id": "Ada" }),
        );
        assert_eq!(machine.speakable("Found kb-roof, kb-roof#2 and Ada."), "Found, and Ada.");
    }
}
