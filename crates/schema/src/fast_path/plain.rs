//! Schemas of which the faults of arguments can be told as they came, without completing them first.

use super::FastPath;
use super::object::{DefaultRule, ObjectRule};
use super::rules::{ArrayRule, Rule, RuleId};

impl FastPath {
    /// Whether each value has one schema, and no default, filled in or not, makes anything wrong or right, or another text
    /// of what is told: its own schema takes it, and nothing counts or compares the members among which it would stand.
    pub(super) fn is_plain(&self) -> bool {
        self.is_whole && self.rules.iter().all(|rule| self.is_plain_rule(rule))
    }

    fn is_plain_rule(&self, rule: &Rule) -> bool {
        rule.in_place.as_ref().is_none_or(|in_place| in_place.is_transparent)
            && rule.object.as_ref().is_none_or(|object| is_plain_object(object))
            && rule.array.as_ref().is_none_or(|list| self.is_plain_list(list))
    }

    fn is_plain_list(&self, list: &ArrayRule) -> bool {
        list.prefix_items.is_empty() && (!list.is_unique || list.items.is_some_and(|items| self.has_no_members(items)))
    }

    /// Whether a schema says nothing of what objects and arrays hold.
    fn has_no_members(&self, id: RuleId) -> bool {
        self.rule(id).is_some_and(|rule| rule.object.is_none() && rule.array.is_none() && rule.in_place.is_none())
    }
}

fn is_plain_object(object: &ObjectRule) -> bool {
    let has_default = object.properties.iter().any(|property| property.default != DefaultRule::None);
    let is_silent = |default: &DefaultRule| !matches!(default, DefaultRule::Unknown);
    let counts = object.min_members > 0 || object.max_members < u64::MAX;
    !(has_default && counts)
        && object.properties.iter().all(|property| {
            is_silent(&property.default) && !(property.is_required && property.default != DefaultRule::None)
        })
}
