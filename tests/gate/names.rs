//! What differs from run to run, under names that do not: tokens, keys, hashes, instants. A name stands for one value
//! through a whole fixture, so equal values are seen to be equal.

use std::collections::HashMap;

use serde_json::Value;
use toolgate::clock::{EpochMs, to_iso8601};

const HEX: &[u8] = b"0123456789abcdef";

/// Values by the names they were given, in the order of their first appearance.
#[derive(Default)]
pub struct Names {
    base: EpochMs,
    known: HashMap<String, String>,
    counts: HashMap<&'static str, usize>,
}

impl Names {
    pub fn new(base: EpochMs) -> Self {
        Self { base, ..Self::default() }
    }

    /// The value behind a name, or the text itself.
    pub fn value(&self, name: &str) -> String {
        self.known.iter().find(|(_, given)| *given == name).map_or_else(|| name.to_owned(), |(value, _)| value.clone())
    }

    /// A value under its name.
    pub fn name(&mut self, kind: &'static str, value: &str) -> String {
        if let Some(name) = self.known.get(value) {
            return name.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let name = format!("<{kind} {count}>");
        self.known.insert(value.to_owned(), name.clone());
        name
    }

    /// Epoch milliseconds as `T+n`, from the fixture's start.
    pub fn instant(&self, at: EpochMs) -> String {
        format!("T+{}", at.checked_sub(self.base).expect("nothing is before the start"))
    }

    /// An ISO 8601 instant as `T+n`.
    pub fn iso_instant(&self, at: &str) -> String {
        let instant: jiff::Timestamp = at.parse().unwrap_or_else(|_| panic!("`{at}` is no instant"));
        let ms = EpochMs::try_from(instant.as_millisecond()).expect("an instant after 1970");
        assert_eq!(to_iso8601(ms), at, "written as JavaScript writes it");
        self.instant(ms)
    }

    /// Gives names to every token and key in every text of a value.
    pub fn rename(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.renamed(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.rename(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.rename(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn renamed(&mut self, text: &str) -> String {
        let mut out = text.to_owned();
        for (prefix, kind) in [("tgc_", "token"), ("tgq_", "confirmation"), ("tgg_", "grant"), ("tg_", "key")] {
            while let Some(found) = find(&out, prefix) {
                let name = self.name(kind, &found);
                out = out.replace(&found, &name);
            }
        }
        out
    }
}

/// `prefix` and 32 hex digits.
fn find(text: &str, prefix: &str) -> Option<String> {
    text.match_indices(prefix).find_map(|(start, _)| {
        let whole = text.get(start..start + prefix.len() + 32)?;
        whole.get(prefix.len()..)?.bytes().all(|digit| HEX.contains(&digit)).then(|| whole.to_owned())
    })
}
