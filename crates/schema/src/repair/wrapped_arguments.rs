//! Rule `wrapped_arguments`: the arguments inside a property such as `arguments`, alone, where the schema has none of this
//! name.

use super::search::Repair;
use super::{RepairRule, Repaired};
use crate::Issue;
use crate::annotation_plan::AnnotationPlan;
use toolgate_json::{Kind, Limits, Tape};

const WRAPPERS: [&str; 4] = ["arguments", "parameters", "input", "args"];

/// Keywords that a wrapper breaks.
const BROKEN: [&str; 3] = ["required", "additionalProperties", "unevaluatedProperties"];

/// The inner arguments, if the whole is nothing but a wrapper.
pub(super) fn read(plan: &AnnotationPlan, tape: &Tape, issues: &[Issue]) -> Option<Repair> {
    let root = tape.root();
    let is_broken = |issue: &Issue| issue.instance_path.is_empty() && BROKEN.contains(&issue.keyword.as_str());
    if root.len() != 1 || plan.has_sensitive() || !issues.iter().any(is_broken) {
        return None;
    }
    let (name, inner) = root.members().next()?;
    let is_wrapper = WRAPPERS.contains(&&*name) && inner.kind() == Kind::Object;
    if !is_wrapper || !plan.applied_to_member(plan.root(), &name).is_empty() {
        return None;
    }
    let tape = Tape::parse(inner.raw(), &Limits::widest()).ok()?;
    Some((tape, vec![Repaired::whole(RepairRule::WrappedArguments)]))
}
