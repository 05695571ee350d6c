//! The search for the one reading that fits: rounds of repairs at the places that the validator names, until no error is
//! left. It gives up where a value has two readings, and where the bounds of its work are reached.

use std::collections::BTreeMap;

use super::place::Place;
use super::reading::{Change, Reading};
use super::readings;
use super::work::Work;
use super::{InvalidArgs, RepairRule, RepairSettings, Repaired, unions, wrapped_arguments};
use crate::annotation_plan::AnnotationPlan;
use crate::member_edits::edit_members;
use crate::{ArgsSchema, Issue};
use toolgate_json::{Edit, Node, Tape};

/// Arguments with what was repaired in them.
pub(super) type Repair = (Tape, Vec<Repaired>);

/// The largest number of rounds. Each repairs all values that are known to be wrong, or one value of an `anyOf` or `oneOf`.
const MAX_ROUNDS: usize = 80;

/// Repairs arguments; the result is valid.
pub(super) fn repair(schema: &ArgsSchema, invalid: InvalidArgs, settings: &RepairSettings<'_>) -> Option<Repair> {
    let mut search = RepairSearch { settings, plan: schema.compiled().plan(), work: Work::new() };
    let found = search.run(schema, invalid, RepairedPart { within: "", depth: 0 });
    // A search that gave up may have missed another reading.
    found.filter(|_| !search.work.has_given_up())
}

pub(super) struct RepairSearch<'s> {
    pub(super) settings: &'s RepairSettings<'s>,
    /// The whole schema's: what may be sensitive in it is never repaired, whatever alternative is being tried.
    pub(super) plan: &'s AnnotationPlan,
    pub(super) work: Work,
}

/// The part of the arguments that is being repaired.
#[derive(Clone, Copy)]
pub(super) struct RepairedPart<'p> {
    /// JSON Pointer of the value. Errors elsewhere do not count.
    pub(super) within: &'p str,
    /// The number of `anyOf` and `oneOf` around it of which an alternative is being tried.
    pub(super) depth: usize,
}

impl RepairSearch<'_> {
    /// Repairs a part of the arguments under a schema.
    pub(super) fn run(&mut self, schema: &ArgsSchema, invalid: InvalidArgs, part: RepairedPart<'_>) -> Option<Repair> {
        let InvalidArgs { mut tape, mut issues } = invalid;
        let mut repaired = Vec::new();
        for _ in 0..MAX_ROUNDS {
            issues.retain(|issue| is_within(&issue.instance_path, part.within));
            if issues.is_empty() {
                return Some((tape, repaired));
            }
            let (next, done) = self.round(schema, &tape, &issues, &repaired, part.depth)?;
            if !done.iter().all(|done| may_follow(done, &repaired)) {
                return None;
            }
            repaired.extend(done);
            issues = self.issues(schema, &next)?;
            tape = next;
        }
        self.work.give_up();
        None
    }

    /// The errors of arguments.
    fn issues(&mut self, schema: &ArgsSchema, tape: &Tape) -> Option<Vec<Issue>> {
        self.work.take_check(tape)?;
        let checked = schema.check(tape.clone(), self.settings.clamps, self.settings.nulls);
        Some(checked.err().map(|invalid| invalid.issues).unwrap_or_default())
    }

    fn round(
        &mut self,
        schema: &ArgsSchema,
        tape: &Tape,
        issues: &[Issue],
        repaired: &[Repaired],
        depth: usize,
    ) -> Option<Repair> {
        if issues.iter().any(|issue| issue.keyword == "more") {
            self.work.give_up();
            return None;
        }
        let may_be_wrapped = repaired.iter().all(|repaired| repaired.rule != RepairRule::WrappedArguments);
        if may_be_wrapped && let Some(inner) = wrapped_arguments::read(self.plan, tape, issues) {
            return Some(inner);
        }
        match unions::first(issues, tape) {
            Some(union) => unions::repair(self, schema, tape, union, depth),
            None => self.repair_values(schema, tape, issues),
        }
    }

    /// Repairs each wrong value that has a reading.
    fn repair_values(&mut self, schema: &ArgsSchema, tape: &Tape, issues: &[Issue]) -> Option<Repair> {
        let mut changes = Changes::default();
        let mut repaired: Vec<Repaired> = Vec::new();
        for (position, issue) in issues.iter().enumerate() {
            let path = &issue.instance_path;
            let is_known = issues.iter().take(position).any(|earlier| earlier.instance_path == *path);
            let place = if is_known { None } else { Place::new(self.plan, schema, tape, path, issues) };
            let readings = place.as_ref().map(readings::read_by_all_rules).unwrap_or_default();
            if readings.is_empty() {
                continue;
            }
            if repaired.iter().any(|done| is_within(path, &done.path) || is_within(&done.path, path)) {
                return None;
            }
            self.work.take_place()?;
            let reading = self.only_fitting(schema, tape, path, readings)?;
            repaired.push(Repaired { path: path.clone(), rule: reading.rule });
            changes.add(reading);
        }
        if repaired.is_empty() {
            return None;
        }
        Some((changes.apply(tape)?, repaired))
    }

    /// The reading with which the value fits, if it is the only one.
    fn only_fitting<'t>(
        &mut self,
        schema: &ArgsSchema,
        tape: &Tape,
        path: &str,
        mut readings: Vec<Reading<'t>>,
    ) -> Option<Reading<'t>> {
        if readings.len() == 1 {
            return readings.pop();
        }
        let mut fitting = None;
        for reading in readings {
            let mut changes = Changes::default();
            changes.add(reading.clone());
            let issues = self.issues(schema, &changes.apply(tape)?)?;
            if issues.iter().all(|issue| !is_within(&issue.instance_path, path)) && fitting.replace(reading).is_some() {
                // Two readings: under an alternative, that is no reason to take another one.
                self.work.give_up();
                return None;
            }
        }
        fitting
    }
}

/// Changes of one text.
#[derive(Default)]
struct Changes<'t> {
    edits: Vec<Edit>,
    /// By the index of their object: members that are removed.
    removed: BTreeMap<u32, (Node<'t>, Vec<u32>)>,
}

impl<'t> Changes<'t> {
    fn add(&mut self, reading: Reading<'t>) {
        match reading.change {
            Change::Replace(edit) => self.edits.push(edit),
            Change::Remove { object, value } => {
                let (_, values) = self.removed.entry(object.index()).or_insert_with(|| (object, Vec::new()));
                values.push(value.index());
            }
        }
    }

    fn apply(self, tape: &Tape) -> Option<Tape> {
        let mut edits = self.edits;
        for (object, values) in self.removed.into_values() {
            // A value follows its key.
            edit_members(object, |key| values.contains(&(key.index() + 1)), &[], &mut edits);
        }
        tape.edited(edits)
    }
}

/// Whether a value is another one, or is inside it.
pub(super) fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a repair may follow those of earlier rounds: a value is repaired once. Inside it, only what was encoded is.
fn may_follow(repair: &Repaired, earlier: &[Repaired]) -> bool {
    earlier.iter().all(|earlier| {
        let opens = matches!(earlier.rule, RepairRule::JsonText | RepairRule::WrappedArguments);
        !is_within(&repair.path, &earlier.path) || (opens && repair.path != earlier.path)
    })
}
