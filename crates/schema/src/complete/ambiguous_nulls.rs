//! Nulls that mean absence: strict schemas make a model send every property.
//!
//! A `null` for a declared property that is not required means absence if the property's own schema rejects `null`.
//! This holds at every depth that certainly applies: through `properties`, `items`, `$ref`, `allOf` and similar
//! keywords. If only alternatives (`anyOf`, `oneOf`, `if`, …) declare the property and they disagree, the `null` is
//! ambiguous: its meaning depends on the chosen alternative. Then the readings are tried, those that drop the fewest
//! nulls first, and the first reading that makes the arguments valid is used. Arguments that are valid as received keep
//! every `null`.

use std::collections::HashMap;

use crate::Issue;
use crate::annotation_plan::{AnnotationPlan, AppliedSchema, Certainty, PlanNode};
use toolgate_json::Node;

/// An object with a `null` that can be read in several ways.
#[derive(Debug)]
pub(super) struct AmbiguousObject {
    /// JSON Pointer of the object.
    path: String,
    /// The number of readings.
    readings: usize,
}

/// The index of the chosen reading of each ambiguous object; the first reading if absent.
#[derive(Debug, Default)]
pub(super) struct ChosenReadings(HashMap<String, usize>);

impl ChosenReadings {
    /// Advances to the next reading at every location with an error. Returns false if none is left.
    pub(super) fn advance(&mut self, doubts: &[AmbiguousObject], issues: &[Issue]) -> bool {
        let mut places: Vec<&str> = issues.iter().map(|issue| issue.instance_path.as_str()).collect();
        places.sort_unstable();
        // An error below the location of another error belongs to the latter.
        places.dedup_by(|below, above| are_nested(below, above));
        let mut is_new = false;
        for place in places {
            let mut concerned: Vec<&AmbiguousObject> =
                doubts.iter().filter(|doubt| are_nested(place, &doubt.path)).collect();
            concerned.sort_by_key(|doubt| std::cmp::Reverse(doubt.path.len()));
            is_new |= self.next_combination(&concerned);
        }
        is_new
    }

    /// Advances to the next combination, as a counter whose digits are the readings, the innermost object first.
    /// Returns false after the last.
    fn next_combination(&mut self, doubts: &[&AmbiguousObject]) -> bool {
        let chosen = |choices: &Self, doubt: &AmbiguousObject| choices.0.get(&doubt.path).copied().unwrap_or_default();
        let next = doubts.iter().position(|doubt| chosen(self, doubt) + 1 < doubt.readings);
        let Some(next) = next else { return false };
        for doubt in doubts.iter().take(next) {
            self.0.insert(doubt.path.clone(), 0);
        }
        if let Some(doubt) = doubts.get(next) {
            self.0.insert(doubt.path.clone(), chosen(self, doubt) + 1);
        }
        true
    }
}

/// Whether one JSON Pointer leads into the value of the other.
fn are_nested(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The meaning of a `null` for a property.
enum NullMeaning {
    /// A value, valid or not.
    Value,
    Absent,
    /// The alternatives disagree.
    Ambiguous,
}

/// Returns the keys of an object (by index) whose `null` means absence. `path` is the object's; without choices the
/// likeliest reading is used.
pub(super) fn absent_keys(
    plan: &AnnotationPlan,
    object: Node<'_>,
    applied: &[AppliedSchema],
    (path, choices): (&str, Option<&ChosenReadings>),
    doubts: &mut Vec<AmbiguousObject>,
) -> Vec<u32> {
    if !object.member_nodes().any(|(_, value)| value.is_null()) {
        return Vec::new();
    }
    let around = AppliedNodes::new(plan, applied);
    let mut absent = Vec::new();
    let mut doubtful: Vec<(u32, String)> = Vec::new();
    for (key, _) in object.member_nodes().filter(|(_, value)| value.is_null()) {
        let name = key.as_str().unwrap_or_default();
        match null_meaning(&around, &name) {
            NullMeaning::Value => {}
            NullMeaning::Absent => absent.push(key.index()),
            NullMeaning::Ambiguous => doubtful.push((key.index(), name.into_owned())),
        }
    }
    if !doubtful.is_empty() {
        let mut ways = readings(&around, &doubtful);
        if choices.is_some() {
            // Of equally many dropped nulls, the likeliest reading stays the first.
            ways.sort_by_key(Vec::len);
        }
        let chosen = choices.and_then(|choices| choices.0.get(path)).copied().unwrap_or_default();
        absent.extend(ways.get(chosen).into_iter().flatten());
        doubts.push(AmbiguousObject { path: path.to_owned(), readings: ways.len() });
    }
    absent
}

/// The schemas that certainly apply, and those that possibly apply.
struct AppliedNodes<'p> {
    certain: Vec<&'p PlanNode>,
    possible: Vec<&'p PlanNode>,
}

impl<'p> AppliedNodes<'p> {
    fn new(plan: &'p AnnotationPlan, applied: &[AppliedSchema]) -> Self {
        let of = |certainty: Certainty| {
            let wanted = applied.iter().filter(move |applied| applied.certainty == certainty);
            wanted.map(|applied| plan.node(applied.node)).collect()
        };
        Self { certain: of(Certainty::Certain), possible: of(Certainty::Possible) }
    }
}

fn any_accepts_null(nodes: &[&PlanNode], name: &str) -> bool {
    nodes.iter().filter_map(|node| node.property(name)).any(|property| !property.rejects_null)
}

fn null_meaning(around: &AppliedNodes<'_>, name: &str) -> NullMeaning {
    let AppliedNodes { certain, possible: perhaps } = around;
    if certain.iter().any(|node| node.requires(name)) {
        return NullMeaning::Value;
    }
    let rejects =
        |nodes: &[&PlanNode]| nodes.iter().filter_map(|node| node.property(name)).any(|property| property.rejects_null);
    if rejects(certain) {
        return NullMeaning::Absent;
    }
    let declares = |node: &&PlanNode| node.property(name).is_some();
    if !rejects(perhaps) {
        // A schema that does not name the property may still refuse it.
        let refuses = |node: &&PlanNode| !declares(node) && node.covers_undeclared_properties();
        let is_told_apart =
            perhaps.iter().any(declares) && perhaps.iter().any(|node| !declares(node) && node.has_properties());
        let is_declared = certain.iter().chain(perhaps).any(declares);
        let may_be_refused = is_told_apart || certain.iter().chain(perhaps).any(refuses);
        return if is_declared && may_be_refused { NullMeaning::Ambiguous } else { NullMeaning::Value };
    }
    let is_accepted = any_accepts_null(certain, name) || any_accepts_null(perhaps, name);
    let is_optional = perhaps.iter().any(|node| declares(node) && !node.requires(name));
    // No schema that may apply accepts the `null`; arguments that are valid with it are not completed at all.
    if is_optional && !is_accepted { NullMeaning::Absent } else { NullMeaning::Ambiguous }
}

/// The readings, as sets of absent keys, the likeliest first: keys whose `null` no schema accepts; the set of each
/// alternative; none; all.
fn readings(around: &AppliedNodes<'_>, doubtful: &[(u32, String)]) -> Vec<Vec<u32>> {
    let AppliedNodes { certain, possible: perhaps } = around;
    let keys = |is_absent: &dyn Fn(&str) -> bool| -> Vec<u32> {
        doubtful.iter().filter(|(_, name)| is_absent(name)).map(|(key, _)| *key).collect()
    };
    let mut ways = vec![keys(&|name| !any_accepts_null(certain, name) && !any_accepts_null(perhaps, name))];
    for node in perhaps.iter().filter(|node| doubtful.iter().any(|(_, name)| node.property(name).is_some())) {
        ways.push(keys(&|name| match node.property(name) {
            Some(property) => property.rejects_null && !node.requires(name),
            None => !any_accepts_null(certain, name),
        }));
    }
    ways.push(Vec::new());
    ways.push(keys(&|_| true));
    let mut distinct: Vec<Vec<u32>> = Vec::new();
    for way in ways {
        if !distinct.contains(&way) {
            distinct.push(way);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::are_nested;

    #[test]
    fn pointers_are_nested_by_whole_tokens() {
        assert!(are_nested("", "/a/b") && are_nested("/a/b", "/a") && are_nested("/a", "/a"));
        assert!(!are_nested("/ab", "/a") && !are_nested("/a/b", "/a/c"));
    }
}
