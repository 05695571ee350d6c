//! A schema of one or more types: which keywords a strict schema takes, and where the others are told.
//!
//! Source: OpenAI's guide "Structured model outputs", "Supported properties" and "Some type-specific keywords are not yet
//! supported".

use serde_json::{Map, Value, json};

use super::kind::{Kind, Takes, taken};
use super::words::note;
use super::{Lowered, Lowering, Unsayable};
use crate::dialect;

/// The values of `format` for texts.
const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Keywords that are taken as they are.
const KNOWN: &[(Kind, &[&str])] = &[
    (Kind::String, &["pattern", "format"]),
    (Kind::Number, NUMBERS),
    (Kind::Integer, NUMBERS),
    (Kind::Array, &["minItems", "maxItems"]),
];
const NUMBERS: &[&str] = &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// Keywords that are not taken, by the type that they bear on. The first list is short enough for a description.
const UNKNOWN: &[(Kind, &[&str], &[&str])] = &[
    (Kind::String, &["minLength", "maxLength", "contentEncoding", "contentMediaType"], &["contentSchema"]),
    (Kind::Number, &["format"], &[]),
    (Kind::Integer, &["format"], &[]),
    (Kind::Array, &["uniqueItems"], &["contains", "minContains", "maxContains", "unevaluatedItems", "additionalItems"]),
    (
        Kind::Object,
        &["minProperties", "maxProperties"],
        &["propertyNames", "dependentRequired", "dependentSchemas", "dependencies"],
    ),
];

/// Keywords that bear on every type and are not taken.
const UNKNOWN_ANYWHERE: [&str; 4] = ["not", "if", "then", "else"];

impl Lowering<'_> {
    /// Lowers a schema without combinators at its top.
    pub(super) fn by_kinds(&mut self, flat: &Map<String, Value>, at: &str, depth: usize) -> Lowered {
        let (kinds, null) = match taken(flat) {
            Takes::Kinds { kinds, null } => (kinds, null),
            Takes::Anything => {
                self.receipt.lost(at, "a value of any type is told as text, number, boolean or null");
                (vec![Kind::String, Kind::Number, Kind::Boolean], true)
            }
        };
        match (kinds.as_slice(), null) {
            ([], false) => Err(Unsayable::no_value(at)),
            ([], true) => {
                let mut lowered = Map::from_iter([("type".to_owned(), json!("null"))]);
                lowered.extend(self.words(flat, Vec::new(), at));
                Ok(lowered)
            }
            ([one], false) => self.typed(*one, flat, at, depth),
            ([one], true) => self.typed(*one, flat, at, depth).map(|lowered| self.nullable(lowered)),
            (several, null) => self.several(several, null, flat, at, depth),
        }
    }

    /// One alternative for each type.
    fn several(&mut self, kinds: &[Kind], null: bool, flat: &Map<String, Value>, at: &str, depth: usize) -> Lowered {
        let mut bare = flat.clone();
        bare.retain(|keyword, _| !super::is_annotation(keyword));
        let mut branches = Vec::new();
        let mut problem = None;
        for kind in kinds {
            match self.typed(*kind, &bare, at, depth + 1) {
                Ok(lowered) => branches.push(Value::Object(lowered)),
                Err(unsayable) => {
                    let change = format!("a value of type `{}` is not told: {}", kind.name(), unsayable.reason);
                    self.left_out(at, change, &unsayable);
                    problem = Some(unsayable);
                }
            }
        }
        if let (true, Some(problem)) = (branches.is_empty(), problem) {
            return Err(problem);
        }
        if null {
            branches.push(json!({ "type": "null" }));
        }
        let words = self.words(flat, Vec::new(), at);
        Ok(joined(words, branches))
    }

    /// The part of a schema that bears on values of one type.
    pub(super) fn typed(&mut self, kind: Kind, flat: &Map<String, Value>, at: &str, depth: usize) -> Lowered {
        let mut own = Map::new();
        match kind {
            Kind::Array => self.array(&mut own, flat, at, depth)?,
            Kind::Object => self.object(&mut own, flat, at, depth)?,
            Kind::String | Kind::Number | Kind::Integer | Kind::Boolean => {}
        }
        self.values(&mut own, kind, flat, at)?;
        let mut notes = Vec::new();
        for (keyword, value) in flat {
            self.keyword((keyword, value), kind, (&mut own, &mut notes), at);
        }
        let mut lowered = Map::from_iter([("type".to_owned(), json!(kind.name()))]);
        lowered.extend(self.words(flat, notes, at));
        lowered.extend(own);
        Ok(lowered)
    }

    /// Keeps a keyword, or tells it in a note, or says that it is lost.
    fn keyword(
        &mut self,
        (keyword, value): (&String, &Value),
        kind: Kind,
        (own, notes): (&mut Map<String, Value>, &mut Vec<String>),
        at: &str,
    ) {
        let of_kind = |table: &[(Kind, &[&str])]| {
            table.iter().any(|(of, keywords)| *of == kind && keywords.contains(&keyword.as_str()))
        };
        let at = format!("{at}/{keyword}");
        if of_kind(KNOWN) && is_taken(keyword, value) {
            own.entry(keyword.clone()).or_insert_with(|| value.clone());
            return;
        }
        let unknown = UNKNOWN.iter().find(|(of, ..)| *of == kind);
        let is_short = unknown.is_some_and(|(_, short, _)| short.contains(&keyword.as_str())) || of_kind(KNOWN);
        let is_long = unknown.is_some_and(|(_, _, long)| long.contains(&keyword.as_str()))
            || UNKNOWN_ANYWHERE.contains(&keyword.as_str());
        let says_nothing = *value == Value::Bool(false) && keyword == "uniqueItems";
        match note(keyword, value).filter(|_| is_short && !says_nothing) {
            Some(told) => {
                notes.push(told);
                self.receipt.changed(at, format!("`{keyword}` is told in the description"));
            }
            None if is_long || (is_short && !says_nothing) => {
                self.receipt.lost(at, format!("a strict schema can't say `{keyword}`"));
            }
            None if says_nothing || !dialect::is_keyword(keyword) => {
                self.receipt.changed(at, format!("`{keyword}` is left out"));
            }
            None => {}
        }
    }

    /// Says that something is left out, and whether that takes anything from the model.
    pub(super) fn left_out(&mut self, at: &str, change: String, why: &Unsayable) {
        if why.is_empty {
            self.receipt.changed(at, change);
        } else {
            self.receipt.lost(at, change);
        }
    }
}

/// Whether a keyword that is known is taken with this value.
fn is_taken(keyword: &str, value: &Value) -> bool {
    match keyword {
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        // The API refuses look-around.
        "pattern" => value.as_str().is_some_and(|pattern| !["(?=", "(?!", "(?<"].iter().any(|it| pattern.contains(it))),
        "minItems" | "maxItems" => value.is_u64(),
        _ => value.is_number(),
    }
}

/// Alternatives as one schema. One alone needs no `anyOf`, unless both it and what is around it have words.
pub(super) fn joined(words: Map<String, Value>, mut branches: Vec<Value>) -> Map<String, Value> {
    if let [Value::Object(one)] = branches.as_mut_slice() {
        let has_words = ["title", "description", "$ref"].iter().any(|name| one.contains_key(*name));
        if words.is_empty() || !has_words {
            let mut one = std::mem::take(one);
            one.extend(words);
            return one;
        }
    }
    let mut joined = words;
    joined.insert("anyOf".to_owned(), json!(branches));
    joined
}
