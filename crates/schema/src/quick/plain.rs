//! Schemas of which the faults of arguments can be told as they came, without completing them first.

use super::Quick;
use super::object::{Default, ObjectRule};
use super::rules::{ListRule, Rule, RuleId};

impl Quick {
    /// Whether each value has one schema, and no default, filled in or not, makes anything wrong or right, or another text
    /// of what is told: its own schema takes it, and nothing counts or compares the members among which it would stand.
    pub(super) fn is_plain(&self) -> bool {
        self.is_whole && self.rules.iter().all(|rule| self.is_plain_rule(rule))
    }

    fn is_plain_rule(&self, rule: &Rule) -> bool {
        rule.in_place.as_ref().is_none_or(|in_place| in_place.passes_on)
            && rule.object.as_ref().is_none_or(|object| is_plain_object(object))
            && rule.list.as_ref().is_none_or(|list| self.is_plain_list(list))
    }

    fn is_plain_list(&self, list: &ListRule) -> bool {
        list.leading.is_empty() && (!list.is_unique || list.items.is_some_and(|items| self.has_no_members(items)))
    }

    /// Whether a schema says nothing of what objects and arrays hold.
    fn has_no_members(&self, id: RuleId) -> bool {
        self.rule(id).is_some_and(|rule| rule.object.is_none() && rule.list.is_none() && rule.in_place.is_none())
    }
}

fn is_plain_object(object: &ObjectRule) -> bool {
    let has_default = object.properties.iter().any(|property| property.default != Default::None);
    let is_silent = |default: &Default| !matches!(default, Default::Unsure);
    let counts = object.least > 0 || object.most < u64::MAX;
    !(has_default && counts)
        && object.properties.iter().all(|property| {
            is_silent(&property.default) && !(property.is_required && property.default != Default::None)
        })
}
