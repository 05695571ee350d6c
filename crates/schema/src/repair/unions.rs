//! Values under `anyOf` and `oneOf` of which no alternative fits. The value is repaired under each alternative alone; if
//! more than one can be made to fit, it has two readings.

use serde_json::Value;

use super::InvalidArgs;
use super::search::{Repair, RepairSearch, RepairedPart};
use crate::{ArgsSchema, Issue};
use toolgate_json::Tape;

/// The largest number of alternatives that are tried.
const MAX_ALTERNATIVES: usize = 16;
/// The deepest nesting of `anyOf` and `oneOf` in one value that is repaired.
const MAX_DEPTH: usize = 3;

/// The outermost value of which no alternative fits. A `null` is not one: it can only be absent.
pub(super) fn first<'i>(issues: &'i [Issue], tape: &Tape) -> Option<&'i Issue> {
    let is_union = |issue: &&Issue| {
        let fits_several = issue.params.get("passingSchemas").is_some_and(Value::is_array);
        matches!(issue.keyword.as_str(), "anyOf" | "oneOf") && !fits_several
    };
    let is_null = |issue: &&Issue| tape.root().at(&issue.instance_path).is_some_and(|node| node.is_null());
    issues.iter().filter(is_union).filter(|issue| !is_null(issue)).min_by_key(|issue| issue.instance_path.len())
}

/// Repairs the value of a union, if exactly one of its alternatives can be made to fit.
pub(super) fn repair(
    search: &mut RepairSearch<'_>,
    schema: &ArgsSchema,
    tape: &Tape,
    union: &Issue,
    depth: usize,
) -> Option<Repair> {
    let path = union.instance_path.as_str();
    if search.plan.visibility(tape.root(), path).shown.is_some() {
        return None;
    }
    let whole = schema.compiled().document()?;
    let pointer = union.schema_path.strip_prefix('#')?;
    let count = whole.pointer(pointer)?.as_array()?.len();
    if count > MAX_ALTERNATIVES || depth >= MAX_DEPTH {
        search.work.give_up();
        return None;
    }
    let schema_bytes = whole.to_string().len();
    let mut fitting = None;
    for index in 0..count {
        search.work.take_compilation(schema_bytes)?;
        let narrowed = ArgsSchema::compile(&narrowed(whole, pointer, index)?).ok()?;
        search.work.take_check(tape)?;
        // The value is wrong under the whole schema; under this alternative, it may be other errors that are reported.
        let Err(InvalidArgs { tape, issues }) =
            narrowed.check(tape.clone(), search.settings.clamps, search.settings.nulls)
        else {
            return None;
        };
        let repaired =
            search.run(&narrowed, InvalidArgs { tape, issues }, RepairedPart { within: path, depth: depth + 1 });
        if let Some((tape, repaired)) = repaired.filter(|(_, repaired)| !repaired.is_empty())
            && fitting.replace((tape, repaired)).is_some()
        {
            search.work.give_up();
            return None;
        }
    }
    fitting
}

/// The schema in which one alternative stands for the union.
fn narrowed(whole: &Value, pointer: &str, index: usize) -> Option<Value> {
    let (holder, keyword) = pointer.rsplit_once('/')?;
    let mut narrowed = whole.clone();
    let holder = narrowed.pointer_mut(holder)?.as_object_mut()?;
    let alternative = holder.shift_remove(keyword)?.as_array_mut()?.swap_remove(index);
    let all = holder.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
    all.as_array_mut()?.push(alternative);
    Some(narrowed)
}
