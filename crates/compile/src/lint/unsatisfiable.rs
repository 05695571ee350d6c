//! `unsatisfiable`: keywords of a schema that contradict each other, so that no value satisfies it.
//!
//! What stands below `not` and `if` is skipped: it needs no value that matches. A schema that is meant to accept nothing
//! (`false`, `{ "not": {} }`) is no contradiction, but a property of that schema can't be required.
//!
//! Where the whole schema accepts other values it is `unsatisfiable-part`, a warning: a tool works without an optional
//! argument.

mod conjunction;
mod possible_type_set;
mod possible_types;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::schema::dialect;
use crate::tool_folder::tool_source::{EmbeddedSchema, ToolSource};
use possible_types::PossibleTypes;

/// A keyword that leaves no value, and why.
#[derive(Debug, Clone)]
struct Contradiction {
    keyword: &'static str,
    message: String,
    help: &'static str,
}

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        let mut possible = PossibleTypes::new(site);
        let causes = possible.causes();
        let mut open = vec![(String::new(), &site.schema)];
        while let Some((at, schema)) = open.pop() {
            let mut all = contradictions(site, &at, schema);
            if all.is_empty() {
                all.extend(possible.contradiction_of_parts(&at, schema));
            }
            let code = if causes.contains(&at) { Code::Unsatisfiable } else { Code::UnsatisfiablePart };
            for found in all {
                let place = document.at_value(&format!("{}{at}/{}", site.pointer, found.keyword));
                findings.add(code, place, found.message, found.help);
            }
            let applied =
                dialect::subschemas(schema).into_iter().filter(|(below, _)| below != "/not" && below != "/if");
            open.extend(applied.map(|(below, child)| (format!("{at}{below}"), child)));
        }
    }
}

fn contradictions(site: &EmbeddedSchema, at: &str, schema: &Value) -> Vec<Contradiction> {
    let Value::Object(members) = schema else { return Vec::new() };
    let mut found = Vec::new();
    found.extend(refused_values(site, at, members));
    found.extend(RANGES.iter().filter_map(|range| range.contradiction(members)));
    found.extend(required_and_forbidden(members));
    found
}

/// `enum` without a value that the rest of the schema accepts, and such a `const`.
fn refused_values(site: &EmbeddedSchema, at: &str, members: &Map<String, Value>) -> Option<Contradiction> {
    let (keyword, values) = match (members.get("const"), members.get("enum")) {
        (Some(value), _) => ("const", std::slice::from_ref(value)),
        (None, Some(Value::Array(values))) => ("enum", values.as_slice()),
        _ => return None,
    };
    let mut reason = None;
    for value in values {
        // One accepted value is enough.
        reason = Some(site.rejection_reason(at, value)?);
    }
    let message = match reason {
        None => "`enum` is empty, so no value is accepted".to_owned(),
        Some(reason) if keyword == "const" => format!("no value is accepted: `const` is rejected: {reason}"),
        Some(reason) => {
            format!("no value is accepted: each value of `enum` is rejected, the last one because: {reason}")
        }
    };
    let help = "write values that the rest of the schema accepts, such as `1` instead of `\"1\"` for an integer";
    Some(Contradiction { keyword, message, help })
}

/// A lower and an upper bound of one quantity.
struct Range {
    least: &'static str,
    most: &'static str,
    /// What is bounded.
    of: &'static str,
    /// Whether a value on both bounds is refused.
    is_exclusive: bool,
}

const fn range(least: &'static str, most: &'static str, of: &'static str) -> Range {
    Range { least, most, of, is_exclusive: false }
}

const fn exclusive(least: &'static str, most: &'static str) -> Range {
    Range { least, most, of: "number", is_exclusive: true }
}

const RANGES: [Range; 8] = [
    range("minimum", "maximum", "number"),
    exclusive("exclusiveMinimum", "maximum"),
    exclusive("minimum", "exclusiveMaximum"),
    exclusive("exclusiveMinimum", "exclusiveMaximum"),
    range("minLength", "maxLength", "string"),
    range("minItems", "maxItems", "array"),
    range("minProperties", "maxProperties", "object"),
    range("minContains", "maxContains", "array"),
];

impl Range {
    fn contradiction(&self, members: &Map<String, Value>) -> Option<Contradiction> {
        if self.least == "minContains" && !members.contains_key("contains") {
            return None;
        }
        let bound = |keyword: &str| members.get(keyword).and_then(Value::as_f64);
        let (least, most) = (bound(self.least)?, bound(self.most)?);
        let is_empty = least > most || (self.is_exclusive && least >= most);
        let has_no_integer = members.get("type").is_some_and(|kind| kind == "integer")
            && self.of == "number"
            && !self.is_exclusive
            && least.ceil() > most.floor();
        let of = if has_no_integer { "integer" } else { self.of };
        let message = format!("no {of} is accepted: `{}` is {least} and `{}` is {most}", self.least, self.most);
        let help = "exchange the bounds, or correct one of them";
        (is_empty || has_no_integer).then_some(Contradiction { keyword: self.least, message, help })
    }
}

/// Required properties that are forbidden, or more than the object may have.
fn required_and_forbidden(members: &Map<String, Value>) -> Option<Contradiction> {
    let names: BTreeSet<&str> = members.get("required")?.as_array()?.iter().filter_map(Value::as_str).collect();
    let most = members.get("maxProperties").and_then(Value::as_f64);
    #[expect(clippy::cast_precision_loss, reason = "no schema has 2^52 names")]
    if let Some(most) = most.filter(|most| names.len() as f64 > *most) {
        let message =
            format!("no object is accepted: {} properties are required and `maxProperties` is {most}", names.len());
        return Some(Contradiction { keyword: "required", message, help: "raise `maxProperties`, or require fewer" });
    }
    let properties = members.get("properties").and_then(Value::as_object);
    let forbidden = names.iter().find(|name| properties.and_then(|map| map.get(**name)).is_some_and(accepts_nothing));
    let by_not = || not_required(members).filter(|all| all.iter().all(|name| names.contains(name)));
    let name = forbidden.copied().or_else(|| by_not()?.first().copied())?;
    let message = format!("no object is accepted: `{name}` is required and forbidden");
    Some(Contradiction { keyword: "required", message, help: "remove it from `required`, or allow it" })
}

/// The names in `not: { required: […] }`, if `not` has no other constraint.
fn not_required(members: &Map<String, Value>) -> Option<Vec<&str>> {
    let not = members.get("not")?.as_object()?;
    let is_alone = not.iter().all(|(keyword, value)| keyword == "required" || (keyword == "type" && value == "object"));
    let names = not.get("required")?.as_array()?.iter().filter_map(Value::as_str).collect();
    is_alone.then_some(names)
}

fn accepts_nothing(schema: &Value) -> bool {
    let not = schema.get("not");
    *schema == Value::Bool(false)
        || not == Some(&Value::Bool(true))
        || not.and_then(Value::as_object).is_some_and(Map::is_empty)
}

#[cfg(test)]
mod tests;
