//! Which `null`s of a call stand for absence: strict schemas make a model send every property.
//!
//! A `null` for a declared property that is not required is absent where the property's own schema rejects `null`. It is
//! so at every depth that the schema tells of for sure: through `properties`, `items`, `$ref`, `allOf` and their like.
//! Where only alternatives (`anyOf`, `oneOf`, `if`, …) declare the property and they disagree, one `null` can mean either,
//! depending on which alternative was meant. Then the ways to read it are tried, the likeliest first, and the first one
//! that makes the arguments valid counts; what is valid as it came is left as it came.

use std::collections::HashMap;

use crate::Issue;
use crate::plan::{Applied, Certainty, Plan, PlanNode};
use toolgate_json::Node;

/// An object with a `null` that can be read in several ways.
#[derive(Debug)]
pub(super) struct Doubt {
    /// JSON Pointer of the object.
    path: String,
    /// In how many ways.
    ways: usize,
}

/// Which way each doubtful object is read; the first one where nothing is said.
#[derive(Debug, Default)]
pub(super) struct Choices(HashMap<String, usize>);

impl Choices {
    /// Goes on to the next reading at every place where something is wrong. False where none is left.
    pub(super) fn advance(&mut self, doubts: &[Doubt], issues: &[Issue]) -> bool {
        let mut places: Vec<&str> = issues.iter().map(|issue| issue.instance_path.as_str()).collect();
        places.sort_unstable();
        // What is wrong below another place belongs to it.
        places.dedup_by(|below, above| are_related(below, above));
        let mut is_new = false;
        for place in places {
            let mut concerned: Vec<&Doubt> = doubts.iter().filter(|doubt| are_related(place, &doubt.path)).collect();
            concerned.sort_by_key(|doubt| std::cmp::Reverse(doubt.path.len()));
            is_new |= self.count_up(&concerned);
        }
        is_new
    }

    /// As a number is counted up whose digits are the readings, the innermost object first. False after the last one.
    fn count_up(&mut self, doubts: &[&Doubt]) -> bool {
        let chosen = |choices: &Self, doubt: &Doubt| choices.0.get(&doubt.path).copied().unwrap_or_default();
        let next = doubts.iter().position(|doubt| chosen(self, doubt) + 1 < doubt.ways);
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

/// Whether one place lies in the other.
fn are_related(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a `null` for a property is.
enum Fate {
    /// A value, right or wrong.
    Value,
    Absence,
    /// The alternatives disagree.
    Doubtful,
}

/// Keys of an object (by index) whose `null` stands for absence.
pub(super) fn absent(
    plan: &Plan,
    object: Node<'_>,
    applied: &[Applied],
    path: &str,
    choices: &Choices,
    doubts: &mut Vec<Doubt>,
) -> Vec<u32> {
    if !object.member_nodes().any(|(_, value)| value.is_null()) {
        return Vec::new();
    }
    let around = Around::new(plan, applied);
    let mut absent = Vec::new();
    let mut doubtful: Vec<(u32, String)> = Vec::new();
    for (key, _) in object.member_nodes().filter(|(_, value)| value.is_null()) {
        let name = key.as_str().unwrap_or_default();
        match fate(&around, &name) {
            Fate::Value => {}
            Fate::Absence => absent.push(key.index()),
            Fate::Doubtful => doubtful.push((key.index(), name.into_owned())),
        }
    }
    if !doubtful.is_empty() {
        let ways = ways(&around, &doubtful);
        let chosen = choices.0.get(path).copied().unwrap_or_default();
        absent.extend(ways.get(chosen).into_iter().flatten());
        doubts.push(Doubt { path: path.to_owned(), ways: ways.len() });
    }
    absent
}

/// The schemas that apply for sure, and those that apply perhaps.
struct Around<'p> {
    certain: Vec<&'p PlanNode>,
    perhaps: Vec<&'p PlanNode>,
}

impl<'p> Around<'p> {
    fn new(plan: &'p Plan, applied: &[Applied]) -> Self {
        let of = |certainty: Certainty| {
            let wanted = applied.iter().filter(move |applied| applied.certainty == certainty);
            wanted.map(|applied| plan.node(applied.node)).collect()
        };
        Self { certain: of(Certainty::Certain), perhaps: of(Certainty::Perhaps) }
    }
}

fn accept(nodes: &[&PlanNode], name: &str) -> bool {
    nodes.iter().filter_map(|node| node.property(name)).any(|property| !property.rejects_null)
}

fn fate(around: &Around<'_>, name: &str) -> Fate {
    let Around { certain, perhaps } = around;
    if certain.iter().any(|node| node.requires(name)) {
        return Fate::Value;
    }
    let rejects =
        |nodes: &[&PlanNode]| nodes.iter().filter_map(|node| node.property(name)).any(|property| property.rejects_null);
    if rejects(certain) {
        return Fate::Absence;
    }
    let declares = |node: &&PlanNode| node.property(name).is_some();
    if !rejects(perhaps) {
        // A schema that does not name the property may refuse it all the same.
        let refuses = |node: &&PlanNode| !declares(node) && node.speaks_of_others();
        let is_told_apart =
            perhaps.iter().any(declares) && perhaps.iter().any(|node| !declares(node) && node.has_properties());
        let is_declared = certain.iter().chain(perhaps).any(declares);
        let may_be_refused = is_told_apart || certain.iter().chain(perhaps).any(refuses);
        return if is_declared && may_be_refused { Fate::Doubtful } else { Fate::Value };
    }
    let is_accepted = accept(certain, name) || accept(perhaps, name);
    let is_optional = perhaps.iter().any(|node| declares(node) && !node.requires(name));
    if is_optional && !is_accepted { Fate::Absence } else { Fate::Doubtful }
}

/// The sets of keys that may be absent together: what nobody takes as `null`; as each alternative has it; none; all.
fn ways(around: &Around<'_>, doubtful: &[(u32, String)]) -> Vec<Vec<u32>> {
    let Around { certain, perhaps } = around;
    let keys = |is_absent: &dyn Fn(&str) -> bool| -> Vec<u32> {
        doubtful.iter().filter(|(_, name)| is_absent(name)).map(|(key, _)| *key).collect()
    };
    let mut ways = vec![keys(&|name| !accept(certain, name) && !accept(perhaps, name))];
    for node in perhaps.iter().filter(|node| doubtful.iter().any(|(_, name)| node.property(name).is_some())) {
        ways.push(keys(&|name| match node.property(name) {
            Some(property) => property.rejects_null && !node.requires(name),
            None => !accept(certain, name),
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
    use super::are_related;

    #[test]
    fn places_are_related_by_whole_tokens() {
        assert!(are_related("", "/a/b") && are_related("/a/b", "/a") && are_related("/a", "/a"));
        assert!(!are_related("/ab", "/a") && !are_related("/a/b", "/a/c"));
    }
}
