//! Rule `null_absent`: `null` for an optional property that takes no `null`.

use super::RepairRule;
use super::place::Place;
use super::reading::{Change, Reading};
use toolgate_json::Kind;

pub(super) fn read<'t>(place: &Place<'t>) -> Option<Reading<'t>> {
    let object = place.parent.filter(|parent| parent.kind() == Kind::Object)?;
    if !place.node.is_null() || place.is_required || place.is_map_entry || !place.is_of_wrong_type_or_value() {
        return None;
    }
    Some(Reading { rule: RepairRule::NullAbsent, change: Change::Remove { object, value: place.node } })
}
