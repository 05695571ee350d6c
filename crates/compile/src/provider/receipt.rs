//! The receipt of a lowering: its losses and changes, and the work that it has left.

use indexmap::IndexSet;
use serde_json::Value;

use toolgate_definition::LoweringEntry;

/// The work of one lowering, in bytes of the schemas that it reads or copies. The largest definition (1 MiB) that
/// references nothing takes a small part of it; references and conjunctions can multiply a schema without end.
const MAX_WORK: usize = 32 * 1024 * 1024;

/// The work for a value besides its texts, in bytes.
const VALUE_WORK: usize = 16;

/// The losses and changes of one declaration, in the order found, without duplicates.
#[derive(Debug)]
pub(super) struct Receipt {
    entries: IndexSet<LoweringEntry>,
    work_left: usize,
}

impl Default for Receipt {
    fn default() -> Self {
        Self { entries: IndexSet::new(), work_left: MAX_WORK }
    }
}

impl Receipt {
    /// A receipt without entries that continues with the work left here.
    pub(super) fn continued(&self) -> Self {
        Self { entries: IndexSet::new(), work_left: self.work_left }
    }

    /// Adds the entries of a receipt that continued this one, and takes over the work that it has left.
    pub(super) fn append(&mut self, continued: Self) {
        self.work_left = continued.work_left;
        self.entries.extend(continued.entries);
    }

    /// Takes over the work that a receipt, which continued this one, has left, without its entries.
    pub(super) fn take_work_of(&mut self, continued: &Self) {
        self.work_left = continued.work_left;
    }

    /// Records a change that drops no constraint.
    pub(super) fn changed(&mut self, pointer: impl Into<String>, change: impl Into<String>) {
        self.push(pointer.into(), change.into(), false);
    }

    /// Records a constraint that the declaration lacks.
    pub(super) fn lost(&mut self, pointer: impl Into<String>, change: impl Into<String>) {
        self.push(pointer.into(), change.into(), true);
    }

    fn push(&mut self, pointer: String, change: String, lost: bool) {
        self.spend(pointer.len() + change.len());
        if !self.is_spent() {
            self.entries.insert(LoweringEntry { pointer, change, lost });
        }
    }

    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Removes all entries but the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
    }

    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &LoweringEntry> {
        self.entries.iter()
    }

    pub(super) fn into_entries(self) -> Vec<LoweringEntry> {
        self.entries.into_iter().collect()
    }

    /// Counts work.
    pub(super) fn spend(&mut self, work: usize) {
        self.work_left = self.work_left.saturating_sub(work);
    }

    /// Counts the work of reading or copying a value.
    pub(super) fn spend_on(&mut self, value: &Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let texts = match value {
                Value::String(text) => text.len(),
                Value::Array(items) => {
                    open.extend(items);
                    0
                }
                Value::Object(members) => {
                    open.extend(members.values());
                    members.keys().map(String::len).sum()
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            };
            self.spend(VALUE_WORK + texts);
            if self.is_spent() {
                return;
            }
        }
    }

    /// Whether the limit of work is reached. The lowering then stops, and there is no declaration.
    pub(super) const fn is_spent(&self) -> bool {
        self.work_left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn work_ends_and_entries_with_it() {
        let mut receipt = Receipt::default();
        receipt.changed("/a", "b");
        receipt.changed("/a", "b");
        let text = "a".repeat(MAX_WORK / 2);
        receipt.spend_on(&json!({ "text": text }));
        assert!(!receipt.is_spent());
        let mut continued = receipt.continued();
        continued.spend_on(&json!([text, 1]));
        continued.lost("/b", "c");
        assert!(continued.is_spent());
        receipt.append(continued);
        assert!(receipt.is_spent());
        let entries = [LoweringEntry { pointer: "/a".into(), change: "b".into(), lost: false }];
        assert_eq!(receipt.into_entries(), entries);
    }
}
