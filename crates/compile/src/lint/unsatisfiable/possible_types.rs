//! The types of the values that a schema accepts, as far as its keywords show: none of them is missing, so that a schema
//! for which no type is left accepts nothing.
//!
//! What is not read (`not`, `if`, patterns, the overlap of alternatives) only leaves more types. The work is bounded:
//! each schema is read once, a reference to a schema that is being read leaves every type, and values are validated up
//! to a limit.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::conjunction::{ConjunctPart, Conjunction};
use super::possible_type_set::PossibleTypeSet;
use super::{Contradiction, RANGES, accepts_nothing, required_and_forbidden};
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_source::EmbeddedSchema;

/// Deeper schemas leave every type.
const MAX_DEPTH: usize = 128;
/// The number of fixed values that are validated for one document.
const MAX_VALIDATIONS: usize = 2_000;

/// What a keyword leaves of the types, and why.
struct Restriction {
    types: PossibleTypeSet,
    contradiction: Contradiction,
    /// The pointers of schemas that accept nothing and thereby cause it.
    causes: Vec<String>,
}

/// What is known of one schema.
struct Known {
    types: PossibleTypeSet,
    restrictions: Vec<Restriction>,
}

pub(super) struct PossibleTypes<'a> {
    site: &'a EmbeddedSchema,
    known: BTreeMap<String, Known>,
    validations_left: usize,
}

impl<'a> PossibleTypes<'a> {
    pub(super) fn new(site: &'a EmbeddedSchema) -> Self {
        Self { site, known: BTreeMap::new(), validations_left: MAX_VALIDATIONS }
    }

    /// A contradiction between the parts of a schema, unless it is reported at one of them.
    pub(super) fn contradiction_of_parts(&mut self, at: &str, schema: &Value) -> Option<Contradiction> {
        if !schema.is_object() || accepts_nothing(schema) || !self.is_impossible(at) {
            return None;
        }
        let restrictions = self.known.get(at).map(|known| known.restrictions.as_slice()).unwrap_or_default();
        let root = &self.site.schema;
        // A schema that is meant to accept nothing has no finding of its own.
        let is_reported = |at: &String| root.pointer(at).is_some_and(|schema| !accepts_nothing(schema));
        if restrictions.iter().any(|known| !known.causes.is_empty() && known.causes.iter().all(is_reported)) {
            return None;
        }
        restrictions.last().map(|last| last.contradiction.clone())
    }

    /// The pointers of the schemas because of which the root accepts no object.
    pub(super) fn causes(&mut self) -> BTreeSet<String> {
        let mut causes = BTreeSet::new();
        let mut open = if self.is_impossible("") { vec![String::new()] } else { Vec::new() };
        while let Some(at) = open.pop() {
            let known = self.known.get(&at).map(|known| known.restrictions.as_slice()).unwrap_or_default();
            open.extend(
                known.iter().flat_map(|restriction| restriction.causes.clone()).filter(|at| !causes.contains(at)),
            );
            causes.insert(at);
        }
        causes
    }

    /// Whether a schema accepts nothing, or the root no object: it describes arguments if it has no `type`.
    fn is_impossible(&mut self, at: &str) -> bool {
        let Some(schema) = self.site.schema.pointer(at) else { return false };
        let types = self.types(at, schema, 0);
        let is_untyped_root = at.is_empty() && schema.get("type").is_none();
        types.is_empty() || (is_untyped_root && (types & PossibleTypeSet::OBJECT).is_empty())
    }

    fn types(&mut self, at: &str, schema: &'a Value, depth: usize) -> PossibleTypeSet {
        if let Some(known) = self.known.get(at) {
            return known.types;
        }
        if accepts_nothing(schema) {
            return PossibleTypeSet::NONE;
        }
        if depth > MAX_DEPTH || !schema.is_object() {
            return PossibleTypeSet::ALL;
        }
        self.known.insert(at.to_owned(), Known { types: PossibleTypeSet::ALL, restrictions: Vec::new() });
        let mut types = PossibleTypeSet::ALL;
        let mut effective = Vec::new();
        for restriction in self.restrictions(at, schema, depth + 1) {
            let left = types & restriction.types;
            if left != types || !restriction.causes.is_empty() {
                effective.push(restriction);
            }
            types = left;
        }
        self.known.insert(at.to_owned(), Known { types, restrictions: effective });
        types
    }

    fn restrictions(&mut self, at: &str, schema: &'a Value, depth: usize) -> Vec<Restriction> {
        let conjunction = Conjunction::collect(&self.site.schema, at, schema);
        let mut found = Vec::new();
        if let Some(keyword) = conjunction.refuses_through {
            let message = format!("no value is accepted: `{keyword}` applies a schema that accepts nothing");
            found.push(restriction(PossibleTypeSet::NONE, keyword, message, Vec::new()));
        }
        for part in &conjunction.parts {
            found.extend(self.of_part(at, part, depth));
        }
        found.extend(of_limits(&conjunction, &found));
        found.extend(self.of_required(&conjunction, depth));
        found
    }

    /// What one part leaves, without the others.
    fn of_part(&mut self, at: &str, part: &ConjunctPart<'a>, depth: usize) -> Vec<Restriction> {
        let mut found = Vec::new();
        let of = |keyword: &'static str| part.through.unwrap_or(keyword);
        if part.through.is_some() && self.types(&part.at, self.schema_at(&part.at), depth).is_empty() {
            let message = format!("no value is accepted: `{}` applies a schema that accepts nothing", of("allOf"));
            found.push(restriction(PossibleTypeSet::NONE, of("allOf"), message, vec![part.at.clone()]));
        }
        if let Some(kind) = part.members.get("type") {
            let types = PossibleTypeSet::named(kind);
            found.push(restriction(types, of("type"), leaves(part, "type", types), Vec::new()));
        }
        found.extend(self.of_fixed_values(at, part));
        for keyword in ["anyOf", "oneOf"] {
            found.extend(self.of_alternatives(part, keyword, depth));
        }
        found.extend(self.of_elements(part, depth));
        found
    }

    fn of_fixed_values(&mut self, at: &str, part: &ConjunctPart<'a>) -> Option<Restriction> {
        let (keyword, values) = match (part.members.get("const"), part.members.get("enum")) {
            (Some(value), _) => ("const", std::slice::from_ref(value)),
            (None, Some(Value::Array(values))) => ("enum", values.as_slice()),
            _ => return None,
        };
        let mut types = PossibleTypeSet::NONE;
        let mut is_refused = true;
        for value in values {
            types = types | PossibleTypeSet::from_value(value);
            if is_refused && self.validations_left > 0 {
                self.validations_left -= 1;
                is_refused = self.site.rejection_reason(at, value).is_some();
            } else {
                is_refused = false;
            }
        }
        let types = if is_refused { PossibleTypeSet::NONE } else { types };
        Some(restriction(types, part.through.unwrap_or(keyword), leaves(part, keyword, types), Vec::new()))
    }

    fn of_alternatives(&mut self, part: &ConjunctPart<'a>, keyword: &'static str, depth: usize) -> Option<Restriction> {
        let branches = part.members.get(keyword)?.as_array()?;
        let mut types = PossibleTypeSet::NONE;
        let mut impossible = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let at = format!("{}/{keyword}/{index}", part.at);
            let of_branch = self.types(&at, branch, depth);
            types = types | of_branch;
            if of_branch.is_empty() {
                impossible.push(at);
            }
        }
        let causes = if types.is_empty() { impossible } else { Vec::new() };
        Some(restriction(types, part.through.unwrap_or(keyword), leaves(part, keyword, types), causes))
    }

    /// Elements that an array must have and for which nothing is accepted.
    fn of_elements(&mut self, part: &ConjunctPart<'a>, depth: usize) -> Vec<Restriction> {
        let bound = |keyword: &str| part.members.get(keyword).and_then(Value::as_f64);
        let least = bound("minItems").unwrap_or_default();
        let prefix = part.members.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        let mut needed: Vec<(&'static str, String)> = Vec::new();
        #[expect(clippy::cast_precision_loss, reason = "no schema has 2^52 elements")]
        needed.extend(
            (0..prefix)
                .filter(|index| (*index as f64) < least)
                .map(|index| ("prefixItems", format!("/prefixItems/{index}"))),
        );
        #[expect(clippy::cast_precision_loss, reason = "no schema has 2^52 elements")]
        if least > prefix as f64 {
            needed.push(("items", "/items".to_owned()));
        }
        if bound("minContains") != Some(0.0) {
            needed.push(("contains", "/contains".to_owned()));
        }
        let mut found = Vec::new();
        for (keyword, below) in needed {
            let at = format!("{}{below}", part.at);
            let Some(schema) = self.site.schema.pointer(&at) else { continue };
            if self.types(&at, schema, depth).is_empty() {
                let message = format!("no array is accepted: it needs elements, and `{keyword}` accepts none");
                let types = PossibleTypeSet::ALL.without(PossibleTypeSet::ARRAY);
                found.push(restriction(types, part.through.unwrap_or(keyword), message, vec![at]));
            }
        }
        found
    }

    /// Required properties for which nothing is accepted.
    fn of_required(&mut self, conjunction: &Conjunction<'a>, depth: usize) -> Vec<Restriction> {
        let mut found = Vec::new();
        let types = PossibleTypeSet::ALL.without(PossibleTypeSet::OBJECT);
        let keyword = |part: &ConjunctPart<'_>| part.through.unwrap_or("required");
        for name in conjunction.required() {
            let below = pointer_from_names(&["properties", name]);
            let mut of_name = PossibleTypeSet::ALL;
            for part in &conjunction.parts {
                let at = format!("{}{below}", part.at);
                let Some(schema) = self.site.schema.pointer(&at) else {
                    if is_closed_to(part, name) {
                        let message =
                            format!("no object is accepted: `{name}` is required, and a closed object lacks it");
                        // Where one part does both, `required-without-property` reports it.
                        let causes = if requires(part, name) { vec![part.at.clone()] } else { Vec::new() };
                        found.push(restriction(types, keyword(part), message, causes));
                    }
                    continue;
                };
                let of_part = self.types(&at, schema, depth);
                let causes = if of_part.is_empty() { vec![at] } else { Vec::new() };
                of_name = of_name & of_part;
                if of_name.is_empty() {
                    let message =
                        format!("no object is accepted: `{name}` is required, and no value is accepted for it");
                    found.push(restriction(types, keyword(part), message, causes));
                    break;
                }
            }
        }
        found
    }

    fn schema_at(&self, at: &str) -> &'a Value {
        self.site.schema.pointer(at).unwrap_or(&Value::Null)
    }
}

/// Whether an object of this schema has no member of a name that it does not declare.
fn is_closed_to(part: &ConjunctPart<'_>, name: &str) -> bool {
    let declares = part.members.get("properties").is_some_and(|named| named.get(name).is_some());
    let is_closed = part.members.get("additionalProperties") == Some(&Value::Bool(false));
    is_closed && !declares && !part.members.contains_key("patternProperties")
}

fn requires(part: &ConjunctPart<'_>, name: &str) -> bool {
    let names = part.members.get("required").and_then(Value::as_array);
    names.into_iter().flatten().any(|required| required == name)
}

/// Bounds and required names of all parts that exclude each other.
fn of_limits(conjunction: &Conjunction<'_>, before: &[Restriction]) -> Vec<Restriction> {
    let mut limits = conjunction.limits();
    let types = before.iter().fold(PossibleTypeSet::ALL, |types, restriction| types & restriction.types);
    if (types & PossibleTypeSet::NUMBER) == PossibleTypeSet::INTEGER {
        limits.insert("type".to_owned(), Value::from("integer"));
    }
    let ranges = RANGES.iter().filter_map(|range| Some((range.of, range.contradiction(&limits)?)));
    let found = ranges.chain(required_and_forbidden(&limits).map(|found| ("object", found)));
    let through = conjunction.parts.iter().find_map(|part| part.through);
    let restrictions = found.map(|(of, mut contradiction)| {
        let removed = match of {
            "number" => types & PossibleTypeSet::NUMBER,
            "string" => PossibleTypeSet::STRING,
            "array" => PossibleTypeSet::ARRAY,
            _ => PossibleTypeSet::OBJECT,
        };
        contradiction.keyword = through.unwrap_or(contradiction.keyword);
        Restriction { types: PossibleTypeSet::ALL.without(removed), contradiction, causes: Vec::new() }
    });
    restrictions.collect()
}

fn leaves(part: &ConjunctPart<'_>, keyword: &str, types: PossibleTypeSet) -> String {
    let of = if part.through.is_some() { format!(" in `{}`", part.at) } else { String::new() };
    format!(
        "no value is accepted: `{keyword}`{of} accepts {}, and what stands beside it something else",
        types.describe()
    )
}

fn restriction(types: PossibleTypeSet, keyword: &'static str, message: String, causes: Vec<String>) -> Restriction {
    let help = "make the parts agree, or remove the one that is wrong";
    Restriction { types, contradiction: Contradiction { keyword, message, help }, causes }
}
