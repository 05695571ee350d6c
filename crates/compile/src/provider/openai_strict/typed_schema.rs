//! A schema of one or more types: supported keywords stay, others move into the description or are lost.
//!
//! Source: OpenAI's guide "Structured model outputs", "Supported properties" and "Some type-specific keywords are not
//! yet supported".

use serde_json::{Map, Value, json};

use super::annotations::note;
use super::strict_type::{AcceptedTypes, StrictType, accepted_types};
use super::{Inexpressible, StrictLowering, StrictResult, limits};
use crate::schema::dialect;

/// The supported values of `format` for strings.
const STRING_FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Supported keywords, by the type that they apply to.
const SUPPORTED_BY_TYPE: &[(StrictType, &[&str])] = &[
    (StrictType::String, &["pattern", "format"]),
    (StrictType::Number, NUMBER_KEYWORDS),
    (StrictType::Integer, NUMBER_KEYWORDS),
    (StrictType::Array, &["minItems", "maxItems"]),
];
const NUMBER_KEYWORDS: &[&str] = &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// Unsupported keywords, by the type that they apply to. The first list is short enough for a description.
const UNSUPPORTED_BY_TYPE: &[(StrictType, &[&str], &[&str])] = &[
    (StrictType::String, &["minLength", "maxLength", "contentEncoding", "contentMediaType"], &["contentSchema"]),
    (StrictType::Number, &["format"], &[]),
    (StrictType::Integer, &["format"], &[]),
    (
        StrictType::Array,
        &["uniqueItems"],
        &["contains", "minContains", "maxContains", "unevaluatedItems", "additionalItems"],
    ),
    (
        StrictType::Object,
        &["minProperties", "maxProperties"],
        &["propertyNames", "dependentRequired", "dependentSchemas", "dependencies"],
    ),
];

/// Unsupported keywords that apply to every type.
const UNSUPPORTED_ANYWHERE: [&str; 4] = ["not", "if", "then", "else"];

impl StrictLowering<'_> {
    /// Lowers a schema without combinators at its top level.
    pub(super) fn lower_by_types(&mut self, flat: &Map<String, Value>, at: &str, depth: usize) -> StrictResult {
        let (kinds, null) = match accepted_types(flat) {
            AcceptedTypes::Only { kinds, null } => (kinds, null),
            AcceptedTypes::Any => {
                self.receipt.lost(at, "a value of any type is declared as string, number, boolean or null");
                (vec![StrictType::String, StrictType::Number, StrictType::Boolean], true)
            }
        };
        match (kinds.as_slice(), null) {
            ([], false) => Err(Inexpressible::no_value(at)),
            ([], true) => {
                let mut lowered = Map::from_iter([("type".to_owned(), json!("null"))]);
                lowered.extend(self.lower_annotations(flat, Vec::new(), at));
                Ok(lowered)
            }
            ([one], false) => self.lower_type(*one, flat, at, depth),
            ([one], true) => {
                let lowered = self.lower_type(*one, flat, at, depth)?;
                self.make_nullable(lowered, at, depth)
            }
            (several, null) => self.lower_type_alternatives(several, null, flat, at, depth),
        }
    }

    /// Lowers several types to one alternative for each.
    fn lower_type_alternatives(
        &mut self,
        kinds: &[StrictType],
        null: bool,
        flat: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> StrictResult {
        limits::check_depth(at, depth + 1)?;
        let mut bare = flat.clone();
        bare.retain(|keyword, _| !super::is_annotation(keyword));
        let mut branches = Vec::new();
        let mut problem = None;
        for kind in kinds {
            match self.lower_type(*kind, &bare, at, depth + 1) {
                Ok(lowered) => branches.push(Value::Object(lowered)),
                Err(unsayable) => {
                    let change = format!("a value of type `{}` is not declared: {}", kind.name(), unsayable.reason);
                    self.report_left_out(at, change, &unsayable);
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
        let words = self.lower_annotations(flat, Vec::new(), at);
        Ok(join_alternatives(words, branches))
    }

    /// Lowers the part of a schema that applies to values of one type.
    pub(super) fn lower_type(
        &mut self,
        kind: StrictType,
        flat: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> StrictResult {
        let mut own = Map::new();
        match kind {
            StrictType::Array => self.lower_array(&mut own, flat, at, depth)?,
            StrictType::Object => self.lower_object(&mut own, flat, at, depth)?,
            StrictType::String | StrictType::Number | StrictType::Integer | StrictType::Boolean => {}
        }
        self.lower_fixed_values(&mut own, kind, flat, at)?;
        let notes = self.lower_keywords(flat, kind, &mut own, at);
        let mut lowered = Map::from_iter([("type".to_owned(), json!(kind.name()))]);
        lowered.extend(self.lower_annotations(flat, notes, at));
        lowered.extend(own);
        Ok(lowered)
    }

    /// Adds the supported keywords to `own`. Returns the notes about others for the description.
    pub(super) fn lower_keywords(
        &mut self,
        flat: &Map<String, Value>,
        kind: StrictType,
        own: &mut Map<String, Value>,
        at: &str,
    ) -> Vec<String> {
        let mut notes = Vec::new();
        for (keyword, value) in flat {
            self.lower_keyword((keyword, value), kind, (own, &mut notes), at);
        }
        notes
    }

    /// Keeps a keyword, adds it to the notes, or records its loss.
    fn lower_keyword(
        &mut self,
        (keyword, value): (&String, &Value),
        kind: StrictType,
        (own, notes): (&mut Map<String, Value>, &mut Vec<String>),
        at: &str,
    ) {
        let of_kind = |table: &[(StrictType, &[&str])]| {
            table.iter().any(|(of, keywords)| *of == kind && keywords.contains(&keyword.as_str()))
        };
        let at = format!("{at}/{keyword}");
        if of_kind(SUPPORTED_BY_TYPE) && is_supported_value(keyword, value) {
            own.entry(keyword.clone()).or_insert_with(|| value.clone());
            return;
        }
        let unknown = UNSUPPORTED_BY_TYPE.iter().find(|(of, ..)| *of == kind);
        let is_short =
            unknown.is_some_and(|(_, short, _)| short.contains(&keyword.as_str())) || of_kind(SUPPORTED_BY_TYPE);
        let is_long = unknown.is_some_and(|(_, _, long)| long.contains(&keyword.as_str()))
            || UNSUPPORTED_ANYWHERE.contains(&keyword.as_str());
        let says_nothing = *value == Value::Bool(false) && keyword == "uniqueItems";
        match note(keyword, value).filter(|_| is_short && !says_nothing) {
            Some(text) => {
                notes.push(text);
                self.receipt.changed(at, format!("`{keyword}` is stated in the description"));
            }
            None if is_long || (is_short && !says_nothing) => {
                self.receipt.lost(at, format!("a strict schema can't express `{keyword}`"));
            }
            None if says_nothing || !dialect::is_keyword(keyword) => {
                self.receipt.changed(at, format!("`{keyword}` is left out"));
            }
            None => {}
        }
    }

    /// Records an omission: as a loss, unless no value matches the omitted part.
    pub(super) fn report_left_out(&mut self, at: &str, change: String, why: &Inexpressible) {
        if why.matches_nothing {
            self.receipt.changed(at, change);
        } else {
            self.receipt.lost(at, change);
        }
    }
}

/// Whether a supported keyword is supported with this value.
fn is_supported_value(keyword: &str, value: &Value) -> bool {
    match keyword {
        "format" => value.as_str().is_some_and(|format| STRING_FORMATS.contains(&format)),
        // The API refuses look-around.
        "pattern" => value.as_str().is_some_and(|pattern| !["(?=", "(?!", "(?<"].iter().any(|it| pattern.contains(it))),
        "minItems" | "maxItems" => value.is_u64(),
        _ => value.is_number(),
    }
}

/// Joins alternatives into one schema. A single one needs no `anyOf`, unless both it and `words` have annotations.
pub(super) fn join_alternatives(words: Map<String, Value>, mut branches: Vec<Value>) -> Map<String, Value> {
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
